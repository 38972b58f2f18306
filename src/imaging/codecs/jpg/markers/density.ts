// The density of a JFIF file: the unit, and pixels per unit, in its APP0 segment (JFIF 1.02).

import { concatenate } from "../../../../base/index.ts";
import type { Resolution } from "../../image-header.ts";
import { marker } from "./walk.ts";
import { ascii, jfifSegment, startOfImage } from "./write.ts";

/**
 * Units of JFIF (1 is the inch, 2 the centimetre), with the factor from pixels per centimetre to pixels per
 * unit.
 */
const units = [
  { unit: 2, factor: 1 },
  { unit: 1, factor: 2.54 },
] as const;

const name = ascii("JFIF\0");

/**
 * Returns the file with the resolution (pixels per centimetre) in its JFIF segment. Without a resolution, or
 * if it does not fit 1 to 65535 whole pixels per unit, the segment says square pixels without a unit. Of the
 * two units, the one with the smaller rounding error is used. An existing segment is changed in place.
 */
export function withDensity(jpeg: Uint8Array, resolution: Resolution | undefined): Uint8Array {
  const fields = densityFields(resolution);
  if (jpeg[3] === marker.app0 && name.every((byte, i) => jpeg[6 + i] === byte)) {
    jpeg.set(fields, 13);
    return jpeg;
  }
  return concatenate([startOfImage, jfifSegment(fields), jpeg.subarray(2)]);
}

/**
 * Returns units, Xdensity and Ydensity of a JFIF segment, 5 bytes; square pixels without a unit in the cases
 * that {@link withDensity} lists.
 */
export function densityFields(resolution: Resolution | undefined): readonly number[] {
  let best: { unit: number; x: number; y: number; error: number } = { unit: 0, x: 1, y: 1, error: 1 };
  for (const { unit, factor } of resolution ? units : []) {
    const exact = [resolution!.x * factor, resolution!.y * factor] as const;
    const [x, y] = [Math.round(exact[0]), Math.round(exact[1])];
    if (!(x >= 1 && y >= 1 && x <= 65535 && y <= 65535)) continue;
    const error = Math.max(Math.abs(x / exact[0] - 1), Math.abs(y / exact[1] - 1));
    if (error < best.error) best = { unit, x, y, error };
  }
  return [best.unit, best.x >> 8, best.x & 255, best.y >> 8, best.y & 255];
}
