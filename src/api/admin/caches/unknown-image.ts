// Tells an operator who purges an image of which nothing was cached that the identifier may be wrong.

import { ServiceError } from "../../../errors.ts";
import { nearIdentifier } from "../../../images/diagnosis/near.ts";
import { withMaster } from "../../../images/open.ts";
import { asOperator, operatorCaller } from "../../../images/operator.ts";
import type { RenderParts } from "../../../images/render.ts";
import { maskIdentifier } from "../../../lib/telemetry/mask-path.ts";

/** Milliseconds for opening an image; one that takes longer counts as there. */
const longestMs = 2000;

/**
 * Throws `not-found` (code image_not_found) if no source has an image of this identifier, with the identifier
 * that was probably meant.
 */
export async function refuseUnknown(images: RenderParts, identifier: string): Promise<void> {
  if (await isThere(images, identifier)) return;
  const decoded = decode(identifier);
  const meant =
    decoded !== undefined && (await isThere(images, decoded))
      ? decoded
      : await nearIdentifier(images.sources, identifier);
  throw new ServiceError(
    "not-found",
    `Nothing was cached of ${maskIdentifier(identifier)}, and no source has an image of this identifier. ${meant === undefined ? "Check its spelling." : `Did you mean ${maskIdentifier(meant)}?`}`,
    { code: "image_not_found" },
  );
}

async function isThere(images: RenderParts, identifier: string): Promise<boolean> {
  const signal = AbortSignal.timeout(longestMs);
  try {
    return await withMaster(asOperator(images), operatorCaller(identifier, signal), async () => true);
  } catch (error) {
    return !(error instanceof ServiceError && error.kind === "not-found");
  }
}

/** Returns an identifier that was copied from an address as it is meant; undefined if it was not encoded. */
function decode(identifier: string): string | undefined {
  try {
    const decoded = decodeURIComponent(identifier);
    return decoded === identifier ? undefined : decoded;
  } catch {
    return undefined;
  }
}
