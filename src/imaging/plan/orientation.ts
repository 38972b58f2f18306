// Orientation of masters in derivatives.

import type { Size } from "../../base/index.ts";
import { uprightSize } from "../render/sampling.ts";
import type { OutputPolicy } from "./policy.ts";

/**
 * Returns a master with the orientation that derivatives turn it by. If metadata are preserved, pixels are
 * not turned, so the master counts as upright for sizes, regions and pixels.
 */
export function asShown<Stored extends { readonly orientation: number }>(
  stored: Stored,
  { metadata }: Pick<OutputPolicy, "metadata">,
): Stored {
  return metadata === "preserve" ? { ...stored, orientation: 1 } : stored;
}

/** Returns the size of a master in viewers: upright, unless metadata are preserved. */
export const shownSize = (
  stored: Parameters<typeof uprightSize>[0],
  policy: Pick<OutputPolicy, "metadata">,
): Size => uprightSize(asShown(stored, policy));
