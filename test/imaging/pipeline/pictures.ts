// Made-up pictures and measures for the pipeline's tests.

import sharp, { type Sharp } from "sharp";
import type { Interpretation, PixelBuffer } from "../../../src/imaging/pipeline/pixels.ts";
import type { ResampleAxis } from "../../../src/imaging/pipeline/step.ts";
import { fixture } from "../../host.ts";

const readings = { 1: "gray", 2: "gray", 3: "rgb", 4: "rgb" } as const satisfies Record<
  number,
  Interpretation
>;

export type Bands = keyof typeof readings;

/** A picture of one value, or from a function of x, y and band. */
export function picture(
  width: number,
  height: number,
  bands: Bands,
  sample: number | ((x: number, y: number, band: number) => number),
  bits: 8 | 16 = 8,
): PixelBuffer {
  const data = bits === 16 ? new Uint16Array(width * height * bands) : new Uint8Array(width * height * bands);
  if (typeof sample === "number") data.fill(sample);
  else
    for (let y = 0, p = 0; y < height; y++)
      for (let x = 0; x < width; x++) for (let band = 0; band < bands; band++) data[p++] = sample(x, y, band);
  return { width, height, bands, interpretation: readings[bands], data };
}

/** Repeatable noise over the whole range of the depth. */
export function noise(width: number, height: number, bands: Bands, bits: 8 | 16 = 8, seed = 1): PixelBuffer {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> (32 - bits);
  return picture(width, height, bands, next, bits);
}

/** The photograph of the fixtures, 600 by 400, 8-bit rgb. */
export async function photograph(): Promise<PixelBuffer> {
  const { data, info } = await sharp(fixture("base.png"))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return {
    width: info.width,
    height: info.height,
    bands: 3,
    interpretation: "rgb",
    data: new Uint8Array(data),
  };
}

/** An 8-bit picture as sharp's input. */
export function asSharp({ data, width, height, bands }: PixelBuffer): Sharp {
  return sharp(data, { raw: { width, height, channels: bands as 1 | 2 | 3 | 4 } });
}

/** The axis that scales all of `from` to all of `to`. */
export function whole(from: number, to: number): ResampleAxis {
  return { size: to, origin: 0, scale: from / to };
}

/** Samples of one pixel. */
export function at(pixels: PixelBuffer, x: number, y: number): number[] {
  const p = (y * pixels.width + x) * pixels.bands;
  return [...pixels.data.subarray(p, p + pixels.bands)];
}

/** Peak signal-to-noise ratio in dB for a range of 0 to `full`. */
export function psnr(a: ArrayLike<number>, b: ArrayLike<number>, full = 255): number {
  if (a.length !== b.length) throw new Error(`Expected equal lengths, received ${a.length} and ${b.length}.`);
  let squares = 0;
  for (let p = 0; p < a.length; p++) squares += (a[p]! - b[p]!) ** 2;
  return 10 * Math.log10((full * full * a.length) / squares);
}

/** Returns the centre of mass of the first band above `ground`, in pixels. */
export function centreOfMass(pixels: PixelBuffer, ground = 0): { x: number; y: number } {
  let [mass, x, y] = [0, 0, 0];
  for (let p = 0, i = 0; p < pixels.data.length; p += pixels.bands, i++) {
    const value = pixels.data[p]! - ground;
    mass += value;
    x += value * ((i % pixels.width) + 0.5);
    y += value * (Math.floor(i / pixels.width) + 0.5);
  }
  return { x: x / mass, y: y / mass };
}

/** Returns the number of samples that differ. */
export function differing(a: PixelBuffer, b: PixelBuffer): number {
  if (a.width !== b.width || a.height !== b.height || a.bands !== b.bands)
    throw new Error(
      `Expected ${a.width}x${a.height}x${a.bands}, received ${b.width}x${b.height}x${b.bands}.`,
    );
  let count = 0;
  for (let p = 0; p < a.data.length; p++) if (a.data[p] !== b.data[p]) count++;
  return count;
}
