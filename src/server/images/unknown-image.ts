// Tells an operator who names an image that the identifier may be wrong.

import { maskIdentifier, ServiceError, trimFinalSlashes, withDeadline } from "../../base/index.ts";
import { nearIdentifier } from "./near.ts";
import { withMaster } from "./open.ts";
import { asOperator, operatorCaller } from "./operator.ts";
import type { RenderParts } from "./render.ts";

/** Milliseconds for opening an image; one that takes longer counts as there. */
const maxMs = 2000;

/**
 * Returns an error `not-found` (code image_not_found) if no source has an image of this identifier, with the
 * identifier that was probably meant; undefined if there may be one.
 */
export async function unknownImageError(
  images: RenderParts,
  identifier: string,
): Promise<ServiceError | undefined> {
  const advice = await adviceIfMissing(images, identifier);
  if (advice === undefined) return undefined;
  return new ServiceError(
    "not-found",
    `Nothing was cached of ${maskIdentifier(identifier)}, and no source has an image of this identifier. ${advice}`,
    { code: "image_not_found" },
  );
}

/** Returns what to do if no source has an image of this identifier; undefined if there may be one. */
export async function adviceIfMissing(images: RenderParts, identifier: string): Promise<string | undefined> {
  return (await isThere(images, identifier)) ? undefined : adviceOn(images, identifier);
}

async function adviceOn(images: RenderParts, identifier: string): Promise<string> {
  const { sources } = images;
  const { source, key } = sources.resolve(trimFinalSlashes(identifier));
  const list = async () => source.list?.(key);
  if (await withDeadline(maxMs, list).catch(() => undefined)) return "It is a folder: purge it as a folder.";
  const decoded = decode(identifier);
  const meant =
    decoded !== undefined && (await isThere(images, decoded))
      ? decoded
      : await nearIdentifier(sources, identifier);
  return meant === undefined ? "Check its spelling." : `Did you mean ${maskIdentifier(meant)}?`;
}

async function isThere(images: RenderParts, identifier: string): Promise<boolean> {
  const signal = AbortSignal.timeout(maxMs);
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
