// Profiles for colour information without a profile: EXIF's colour space, PNG's gAMA and cHRM.

import { isRgbSpace, type Primaries, toXyz } from "./matrix.ts";
import { srgbPrimaries } from "./srgb.ts";
import { type CurveParameters, grayProfile, rgbProfile } from "./write.ts";

/** Adobe RGB (1998), sections 4.3.1 and 4.3.4. */
const adobePrimaries: Primaries = { ...srgbPrimaries, green: [0.21, 0.71] };
const adobeCurve: CurveParameters = [563 / 256];

/** The profile of EXIF's "Adobe RGB": ColorSpace 2, or uncalibrated with interoperability index R03. */
export function adobeRgbProfile(): Uint8Array {
  return rgbProfile("Adobe RGB (1998)", adobePrimaries, adobeCurve);
}

/**
 * Colour chunks of a PNG: the file's gamma (gAMA, 1 for 100000), and eight coordinates (cHRM) in the order of
 * the chunk.
 */
export interface ChunkColour {
  readonly gamma?: number | undefined;
  readonly chromaticities?: readonly number[] | undefined;
}

/** The gamma that means sRGB without an sRGB chunk (PNG, third edition, 11.3.2.5). */
const srgbGamma = 0.45455;
/** Tolerance for the rounding of writers. */
const roundedBy = 0.00006;
/** Coordinates are written with 3 to 5 decimals. */
const sameCoordinate = 0.0006;

/**
 * Returns the profile that gAMA and cHRM describe; undefined if it is sRGB, if they are invalid, or without a
 * gamma. gAMA 45455 with sRGB's primaries, or none, is how sRGB is written without its own chunk.
 */
export function chunkProfile({ gamma, chromaticities }: ChunkColour, gray: boolean): Uint8Array | undefined {
  if (gamma === undefined || !(gamma > 0.05 && gamma < 20)) return undefined;
  const primaries = primariesOf(chromaticities) ?? srgbPrimaries;
  const like = gray || isSrgb(primaries);
  if (like && Math.abs(gamma - srgbGamma) < roundedBy) return undefined;
  const curve: CurveParameters = [1 / gamma];
  return gray ? grayProfile("PNG gAMA", curve) : rgbProfile("PNG gAMA and cHRM", primaries, curve);
}

function primariesOf(values: readonly number[] | undefined): Primaries | undefined {
  if (values?.length !== 8) return undefined;
  const [wx, wy, rx, ry, gx, gy, bx, by] = values as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const found: Primaries = { white: [wx, wy], red: [rx, ry], green: [gx, gy], blue: [bx, by] };
  const matrix = toXyz(found);
  return matrix && isRgbSpace(matrix) ? found : undefined;
}

function isSrgb(primaries: Primaries): boolean {
  return (Object.keys(srgbPrimaries) as (keyof Primaries)[]).every((key) =>
    primaries[key].every((value, i) => Math.abs(value - srgbPrimaries[key][i]!) < sameCoordinate),
  );
}
