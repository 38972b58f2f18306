// An image in a listing of a page: its size, or the reason why it cannot be shown.

import { ServiceError, type Size } from "../../base/index.ts";
import { type OutputPolicy, shownSize } from "../../imaging/index.ts";
import { type Caller, isUndecided, type Sharing } from "../access/access.ts";
import type { Admission } from "./admission/admit.ts";
import { checkServable, type DescribeParts, describe } from "./describe.ts";
import { type OpenParts, withMaster } from "./open.ts";

/** Parts that the sizes of derivatives depend on. */
export type LookParts = OpenParts &
  DescribeParts & {
    readonly policy: Pick<OutputPolicy, "metadata">;
    readonly admission: Pick<Admission, "allows">;
  };

export interface ListedImage {
  readonly identifier: string;
  /** Upright size; absent if the image cannot be served. */
  readonly size?: Size;
  /** Reason why it cannot be served, as text for people. */
  readonly problem?: string;
}

/**
 * Returns the listing of one image for its caller; undefined if the caller may not see it. Adds the access
 * decision to `sharing`. Never throws.
 */
export async function look(
  parts: LookParts,
  caller: Caller,
  sharing: Sharing[],
): Promise<ListedImage | undefined> {
  const { identifier } = caller;
  try {
    return await withMaster(
      parts,
      caller,
      async (master): Promise<ListedImage> => {
        sharing.push(master.grant);
        const header = await describe(parts, master, caller.signal);
        checkServable(parts, master, header);
        return { identifier, size: shownSize(header, parts.policy) };
      },
      (denial) => {
        sharing.push(denial);
        return undefined;
      },
    );
  } catch (error) {
    // It is unknown whether the caller may know of this image.
    if (isUndecided(error)) {
      sharing.push({ cachedBy: "caller", vary: [] });
      return undefined;
    }
    return {
      identifier,
      problem: error instanceof ServiceError ? error.message : "This picture cannot be read.",
    };
  }
}
