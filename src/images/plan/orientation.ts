// Sizes as viewers see them, whatever way a picture is stored.

import { orientationOf } from "../../pipeline/orientation.ts";

import type { OutputPolicy } from "./policy.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size that a viewer sees, of a stored picture with an orientation. */
export function uprightSize(stored: Size & { readonly orientation: number }): Size {
  return orientationOf(stored.orientation).swap
    ? { width: stored.height, height: stored.width }
    : { width: stored.width, height: stored.height };
}

/**
 * A master as answers show it: one whose metadata are preserved is not turned, so that for sizes, regions and pixels it
 * counts as upright.
 */
export function asShown<Stored extends { readonly orientation: number }>(
  stored: Stored,
  { metadata }: Pick<OutputPolicy, "metadata">,
): Stored {
  return metadata === "preserve" ? { ...stored, orientation: 1 } : stored;
}
