// Sizes as viewers see them, whatever way a picture is stored.

import type { OutputPolicy } from "./policy.ts";

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
