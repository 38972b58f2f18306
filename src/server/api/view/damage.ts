// Finds out if the image that a page opens with is known to be damaged in part.

import { checkIdentifier, mainPrefix } from "../../../iiif/index.ts";
import type { Sharing } from "../../access/access.ts";
import { isKnownDamaged } from "../../images/known-damage.ts";
import type { Service } from "../../service.ts";
import { callerOf } from "../http/client/caller.ts";
import type { RequestContext } from "../http/context.ts";
import { imageOf } from "./image.ts";
import type { OpenedDocument } from "./opened.ts";

/** Returns whether it is, and the access decision that this depends on. Images of other sites are unknown. */
export async function findDamage(
  c: RequestContext,
  { images }: Service,
  { place }: OpenedDocument,
): Promise<{ readonly damaged: boolean; readonly sharing: readonly Sharing[] }> {
  const address = place && imageOf(place.canvas)?.service;
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
