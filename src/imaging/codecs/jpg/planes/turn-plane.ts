// Turns the samples of one plane, without changing them.

import type { Orientation } from "../../../pipeline/orientation.ts";
import type { Plane } from "../encode/input.ts";
import type { Transformer } from "../lossless/transform.ts";

/** Returns the plane in an orientation: the plane itself if it is upright, undefined if memory runs out. */
export function turnPlane(
  plane: Plane,
  { swap, flipX, flipY }: Orientation,
  transformer: () => Transformer,
): Plane | undefined {
  if (swap) return transformer().transpose(plane, flipX, flipY);
  return flipX || flipY ? mirror(plane, flipX, flipY) : plane;
}

/** Returns a mirrored copy, rows without padding. */
function mirror({ data: from, width, height, stride }: Plane, flipX: boolean, flipY: boolean): Plane {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = (flipY ? height - 1 - y : y) * stride;
    const row = data.subarray(y * width, (y + 1) * width);
    row.set(from.subarray(start, start + width));
    if (flipX) row.reverse();
  }
  return { data, width, height, stride: width };
}
