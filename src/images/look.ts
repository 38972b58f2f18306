// An image as pages list it: its size, or why it cannot be shown.

import { type Caller, isUndecided, type Sharing } from "../access/access.ts";
import { ServiceError } from "../errors.ts";
import { type Size, uprightSize } from "../imaging/render/sampling.ts";
import type { Admission } from "./admission/admit.ts";
import { checkServable, type DescribeParts, describe } from "./describe.ts";
import { type OpenParts, withMaster } from "./open.ts";
import { asShown } from "./plan/orientation.ts";
import type { OutputPolicy } from "./plan/policy.ts";

/** What the sizes of derivatives follow from. */
export type LookParts = OpenParts &
  DescribeParts & {
    readonly policy: Pick<OutputPolicy, "metadata">;
    readonly admission: Pick<Admission, "allows">;
  };

export interface Listed {
  readonly identifier: string;
  /** Upright; absent if the picture cannot be served. */
  readonly size?: Size;
  /** Why not, in words. */
  readonly problem?: string;
}

/**
 * One image for its caller; undefined if that one may not have it. Adds what was decided to `sharing`.
 * Never throws.
 */
export async function look(
  parts: LookParts,
  caller: Caller,
  sharing: Sharing[],
): Promise<Listed | undefined> {
  const { identifier } = caller;
  try {
    return await withMaster(
      parts,
      caller,
      async (master): Promise<Listed> => {
        sharing.push(master.grant);
        const header = await describe(parts, master, caller.signal);
        checkServable(parts, master, header);
        return { identifier, size: uprightSize(asShown(header, parts.policy)) };
      },
      (denial) => {
        sharing.push(denial);
        return undefined;
      },
    );
  } catch (error) {
    // Nobody knows whether the caller may know of this image.
    if (isUndecided(error)) {
      sharing.push({ keptBy: "caller", vary: [] });
      return undefined;
    }
    return {
      identifier,
      problem: error instanceof ServiceError ? error.message : "This picture cannot be read.",
    };
  }
}
