// Turning the samples of one plane: exact moves.

import type { Orientation } from "../../../pipeline/orientation.ts";
import type { Plane } from "../encode/input.ts";
import type { Transformer } from "../lossless/transform.ts";

/** The plane in an orientation; the plane itself where there is nothing to do, `undefined` where there is no memory. */
export function turnPlane(
  plane: Plane,
  { swap, flipX, flipY }: Orientation,
  transformer: () => Transformer,
): Plane | undefined {
  if (swap) return transformer().transpose(plane, flipX, flipY);
  return flipX || flipY ? mirrored(plane, flipX, flipY) : plane;
}

/** Rows without padding. */
function mirrored({ data: from, width, height, stride }: Plane, flipX: boolean, flipY: boolean): Plane {
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = (flipY ? height - 1 - y : y) * stride;
    const row = data.subarray(y * width, (y + 1) * width);
    row.set(from.subarray(start, start + width));
    if (flipX) row.reverse();
  }
  return { data, width, height, stride: width };
}
