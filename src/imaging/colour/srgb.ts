// sRGB (IEC 61966-2-1): its primaries and its tone curve.

import { inverse, type Matrix, type Primaries, toXyz } from "./matrix.ts";

export const srgbPrimaries: Primaries = {
  white: [0.3127, 0.329],
  red: [0.64, 0.33],
  green: [0.3, 0.6],
  blue: [0.15, 0.06],
};

/** XYZ under D50 to linear red, green and blue. */
export const xyzToSrgb = inverse(toXyz(srgbPrimaries)!) as Matrix;

/** Converts an encoded value to linear light; extrapolates beyond 0 and 1 like {@link linearToSrgb}. */
export function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Converts linear light to an encoded value; extrapolates linearly below 0, and along the curve above 1. */
export function linearToSrgb(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}
