// Turning the samples of one plane: exact moves, whole rows or blocks at a time.

import type { Orientation } from "../../pipeline/orientation.ts";
import type { Plane } from "./encode-input.ts";

/** Samples on a side of the blocks that are transposed: few enough rows to stay in the nearest cache. */
const block = 32;

/** The plane as an orientation has it, rows without padding; the plane itself where there is nothing to do. */
export function turnPlane(plane: Plane, { swap, flipX, flipY }: Orientation): Plane {
  if (swap) return transposed(plane, flipX, flipY);
  if (!flipX && !flipY) return plane;
  const { data: from, width, height } = plane;
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = (flipY ? height - 1 - y : y) * plane.stride;
    const row = data.subarray(y * width, (y + 1) * width);
    row.set(from.subarray(start, start + width));
    if (flipX) row.reverse();
  }
  return { data, width, height, stride: width };
}

/** Rows become columns; then the new axes are flipped. */
function transposed({ data: from, stride, ...size }: Plane, flipX: boolean, flipY: boolean): Plane {
  const [width, height] = [size.height, size.width];
  const data = new Uint8Array(width * height);
  const across = flipX ? -stride : stride;
  const down = flipY ? -1 : 1;
  const origin = (flipX ? (width - 1) * stride : 0) + (flipY ? height - 1 : 0);
  for (let top = 0; top < height; top += block) {
    const bottom = Math.min(height, top + block);
    for (let left = 0; left < width; left += block) {
      const right = Math.min(width, left + block);
      for (let y = top; y < bottom; y++) {
        let at = origin + left * across + y * down;
        for (let to = y * width + left, end = y * width + right; to < end; to++, at += across)
          data[to] = from[at]!;
      }
    }
  }
  return { data, width, height, stride: width };
}
