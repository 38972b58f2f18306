// Profiles without tables: curves and a matrix to linear sRGB, by relative colorimetry with black-point
// compensation.

import type { ByteSource } from "../../base/index.ts";
import { type Curve, readToneCurve } from "./curves.ts";
import { isUnusable, type Profile, readTags, type Unusable } from "./icc.ts";
import { apply, isRgbSpace, type Matrix, multiply } from "./matrix.ts";
import { linearToSrgb, srgbToLinear, xyzToSrgb } from "./srgb.ts";

/** Device values, by a curve each and a matrix, to linear sRGB. */
export interface MatrixShaper {
  readonly kind: "matrix";
  readonly curves: readonly [Curve, Curve, Curve];
  readonly matrix: Matrix;
}

/** A gray value to linear light. */
export interface GrayShaper {
  readonly kind: "gray";
  readonly curve: Curve;
}

export type Shaper = MatrixShaper | GrayShaper;

/** Returns the shaper of a profile whose model is not a table. */
export async function readShaper(profile: Profile, bytes: ByteSource): Promise<Shaper | Unusable> {
  const model = profile.model === "gray" ? "gray" : "matrix";
  const tags = await readTags(profile, model, bytes);
  if (isUnusable(tags)) return tags;
  const curveOf = (name: string) => readToneCurve(tags.get(name)!);
  if (model === "gray") {
    const stored = curveOf("kTRC");
    if (!stored) return damagedProfile("a tone curve");
    const curve: Curve = profile.lab ? (x) => luminance(stored(x)) : stored;
    return { kind: "gray", curve: fromBlack(curve, curve(0)) };
  }
  const red = curveOf("rTRC");
  const green = curveOf("gTRC");
  const blue = curveOf("bTRC");
  if (!red || !green || !blue) return damagedProfile("three tone curves");
  const columns = ["rXYZ", "gXYZ", "bXYZ"].map((name) => readXyz(tags.get(name)!));
  if (!columns.every((column) => column !== undefined)) return damagedProfile("three primaries in XYZ");
  const device: Matrix = [0, 1, 2].flatMap((row) => columns.map((column) => column[row]!));
  if (!isRgbSpace(device)) return damagedProfile("primaries that span a space and are white together");
  const black = apply(device, [red(0), green(0), blue(0)])[1];
  const curves = [fromBlack(red, black), fromBlack(green, black), fromBlack(blue, black)] as const;
  return { kind: "matrix", curves, matrix: multiply(xyzToSrgb, device) };
}

/** Returns the curve of gray samples as equal red, green and blue; a shaper of gray is returned unchanged. */
export function neutralOf(shaper: Shaper): GrayShaper {
  if (shaper.kind === "gray") return shaper;
  const { curves, matrix } = shaper;
  const curve: Curve = (x) => {
    const [red, green, blue] = apply(matrix, [curves[0](x), curves[1](x), curves[2](x)]);
    return neutralLight(red, green, blue);
  };
  return { kind: "gray", curve };
}

/**
 * Returns the light of a linear sRGB colour as gray: that of the BT.601 luma of its encoded values, as for
 * quality `gray`. Equal values are returned unchanged.
 */
export function neutralLight(red: number, green: number, blue: number): number {
  const encode = (light: number) => linearToSrgb(Math.min(1, Math.max(0, light)));
  return srgbToLinear(0.299 * encode(red) + 0.587 * encode(green) + 0.114 * encode(blue));
}

/**
 * Maximum difference, in levels of 8 bit, between samples and sRGB to count as sRGB. Published sRGB profiles
 * round their primaries, which in the dark band of a pure colour is one and a half levels.
 */
const tolerance = { neutral: 1, coloured: 2 } as const;

/** True if samples under this shaper are sRGB, or gray in its tone curve, except for rounding. */
export function isSrgb(shaper: Shaper): boolean {
  const isNear = (light: number, level: number, off: number = tolerance.neutral) =>
    Math.abs(linearToSrgb(Math.min(1, Math.max(0, light))) * 255 - level) <= off;
  if (shaper.kind === "gray") return levels(1).every((level) => isNear(shaper.curve(level / 255), level));
  const { curves, matrix } = shaper;
  const isSame = (colour: readonly [number, number, number], off: number) => {
    const light = colour.map((level, i) => curves[i]!(level / 255)) as [number, number, number];
    return apply(matrix, light).every((value, i) => isNear(value, colour[i]!, off));
  };
  const coarse = levels(51);
  return (
    levels(1).every((level) => isSame([level, level, level], tolerance.neutral)) &&
    coarse.every((r) => coarse.every((g) => coarse.every((b) => isSame([r, g, b], tolerance.coloured))))
  );
}

const levels = (step: number) => Array.from({ length: 255 / step + 1 }, (_, i) => i * step);

/** Returns a curve whose black is moved to 0 and whose white stays. */
const fromBlack = (curve: Curve, black: number): Curve =>
  black > 0 && black < 1 ? (x) => Math.max(0, (curve(x) - black) / (1 - black)) : curve;

/** CIE lightness, 0 to 1, to luminance. */
function luminance(lightness: number): number {
  const f = (lightness * 100 + 16) / 116;
  return f > 6 / 29 ? f ** 3 : (lightness * 100) / (24389 / 27);
}

/** XYZType (10.31). */
function readXyz(tag: Uint8Array): readonly number[] | undefined {
  if (tag.length < 20) return undefined;
  const view = new DataView(tag.buffer, tag.byteOffset, tag.length);
  if (view.getUint32(0) !== 0x58595a20) return undefined; // "XYZ "
  return [8, 12, 16].map((at) => view.getInt32(at) / 65536);
}

const damagedProfile = (expected: string): Unusable => ({
  ignored: `it is damaged: expected ${expected}, received other data`,
});
