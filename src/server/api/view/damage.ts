// Finds out if the image that a page opens with is known to be damaged in part.

import { ServiceError } from "../../../base/index.ts";
import { checkIdentifier, mainPrefix } from "../../../iiif/index.ts";
import { type Caller, isUndecided, type Sharing } from "../../access/access.ts";
import { isDamaged } from "../../images/damaged-masters.ts";
import { describe } from "../../images/describe.ts";
import { withMaster } from "../../images/open.ts";
import type { RenderParts } from "../../images/render.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { imageOf } from "./image.ts";
import type { OpenedDocument } from "./opened.ts";

/** Returns whether it is, and the access decision that this depends on. Images of other sites are unknown. */
export async function findDamage(
  c: RequestContext,
  { images }: Service,
  { shown }: OpenedDocument,
): Promise<{ readonly damaged: boolean; readonly sharing: readonly Sharing[] }> {
  const address = shown && imageOf(shown.canvas)?.service;
  const identifier = address === undefined ? undefined : identifierIn(c.get("base"), address);
  if (identifier === undefined) return { damaged: false, sharing: [] };
  const sharing: Sharing[] = [];
  const damaged = await isKnownDamaged(images, callerOf(c, identifier), sharing);
  return { damaged, sharing };
}

function identifierIn(base: string, address: string): string | undefined {
  const prefix = base + mainPrefix[3];
  if (!address.startsWith(prefix)) return undefined;
  try {
    return checkIdentifier(decodeURIComponent(address.slice(prefix.length)));
  } catch {
    return undefined;
  }
}

/**
 * Returns whether an image is known to be damaged, for a caller who may see it; false for others, and for
 * images that cannot be read at all. Adds the access decision to `sharing`. Never throws.
 */
async function isKnownDamaged(parts: RenderParts, caller: Caller, sharing: Sharing[]): Promise<boolean> {
  try {
    return await withMaster(
      parts,
      caller,
      async (master) => {
        sharing.push(master.grant);
        return isDamaged(parts, master, await describe(parts, master, caller.signal));
      },
      (denial) => {
        sharing.push(denial);
        return false;
      },
    );
  } catch (error) {
    if (isUndecided(error)) sharing.push({ cachedBy: "caller", vary: [] });
    else if (!(error instanceof ServiceError)) throw error;
    return false;
  }
}
