// Tells if an image is known to be damaged in part: its file lacks its end, or a render could not decode all
// of it. Nothing is rendered to find out.

import { ServiceError } from "../../base/index.ts";
import type { ImageHeader } from "../../imaging/index.ts";
import { type Caller, isUndecided, type Sharing } from "../access/access.ts";
import { masterVersion } from "./cache-keys.ts";
import type { DamagedMasters } from "./damaged-masters.ts";
import { type DescribeParts, describe, type Master } from "./describe.ts";
import { type OpenParts, withMaster } from "./open.ts";

/** True if derivatives of a master may lack a part. */
export const isDamaged = (
  { damaged }: { readonly damaged: Pick<DamagedMasters, "of"> },
  master: Master,
  header: ImageHeader,
): boolean =>
  header.incomplete === true || damaged.of(master.identifier, masterVersion(master)) !== undefined;

/**
 * Returns whether an image is known to be damaged, for a caller who may see it; false for others, and for
 * images that cannot be read at all. Adds the access decision to `sharing`. Never throws.
 */
export async function isKnownDamaged(
  parts: OpenParts & DescribeParts & { readonly damaged: Pick<DamagedMasters, "of"> },
  caller: Caller,
  sharing: Sharing[],
): Promise<boolean> {
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
    if (isUndecided(error)) sharing.push({ keptBy: "caller", vary: [] });
    else if (!(error instanceof ServiceError)) throw error;
    return false;
  }
}
