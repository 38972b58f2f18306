// The kernels of wasm/pixels in plain double precision, as references for the modules.

import { fullScale, hasAlpha, type PixelBuffer, samplesLike } from "../../../src/imaging/pipeline/pixels.ts";
import type { Lookups } from "../../../src/imaging/pipeline/steps/light.ts";
import {
  phaseLength,
  phases,
  phaseTable,
  rotate,
  sourceOf,
  turnOf,
} from "../../../src/imaging/pipeline/steps/rotate.ts";
import { gaussian, type Sharpening } from "../../../src/imaging/pipeline/steps/sharpen.ts";

/** An unsharp mask on luma; the blur weights pixels by alpha. */
export function sharpenInDoubles(
  pixels: PixelBuffer,
  { radius, amount, threshold }: Sharpening,
): PixelBuffer {
  const { width, height, bands, data: source } = pixels;
  const full = fullScale(pixels);
  const weights = gaussian(radius);
  const least = (threshold * full) / 255;
  const light = lumaOf(pixels);
  const alpha = hasAlpha(pixels) ? alphaOf(pixels) : undefined;
  const weighted = alpha ? light.map((value, i) => value * alpha[i]!) : light;
  const blurred = blur(weighted, width, height, weights);
  const cover = alpha && blur(alpha, width, height, weights);
  const colours = alpha ? bands - 1 : bands;
  const data = samplesLike(pixels, source.length);
  data.set(source);
  for (let i = 0, p = 0; i < light.length; i++, p += bands) {
    const around = cover ? (cover[i]! > 0 ? blurred[i]! / cover[i]! : light[i]!) : blurred[i]!;
    const detail = light[i]! - around;
    if (Math.abs(detail) < least) continue;
    const more = amount * detail + 0.5;
    for (let b = p; b < p + colours; b++) data[b] = Math.min(full, Math.max(0, source[b]! + more)); // the store drops the fraction
  }
  return { ...pixels, data };
}

function lumaOf({ width, height, bands, data }: PixelBuffer): Float32Array {
  const light = new Float32Array(width * height);
  if (bands < 3) for (let i = 0, p = 0; i < light.length; i++, p += bands) light[i] = data[p]!;
  else
    for (let i = 0, p = 0; i < light.length; i++, p += bands)
      light[i] = 0.299 * data[p]! + 0.587 * data[p + 1]! + 0.114 * data[p + 2]!;
  return light;
}

function alphaOf({ width, height, bands, data }: PixelBuffer): Float32Array {
  const alpha = new Float32Array(width * height);
  for (let i = 0, p = bands - 1; i < alpha.length; i++, p += bands) alpha[i] = data[p]!;
  return alpha;
}

/** Along rows, then down columns; always in the order of the taps, so that every window has the same sums. */
function blur(values: Float32Array, width: number, height: number, weights: Float32Array): Float32Array {
  const reach = weights.length - 1;
  const across = new Float32Array(values.length);
  const row = new Float64Array(width + 2 * reach);
  for (let y = 0; y < height; y++) {
    const start = y * width;
    row.fill(values[start]!, 0, reach);
    row.set(values.subarray(start, start + width), reach);
    row.fill(values[start + width - 1]!, reach + width);
    for (let x = 0; x < width; x++) {
      let sum = weights[0]! * row[x + reach]!;
      for (let k = 1; k <= reach; k++) sum += weights[k]! * (row[x + reach - k]! + row[x + reach + k]!);
      across[start + x] = sum;
    }
  }
  const blurred = new Float32Array(values.length);
  const sums = new Float64Array(width);
  for (let y = 0; y < height; y++) {
    const start = y * width;
    for (let x = 0; x < width; x++) sums[x] = weights[0]! * across[start + x]!;
    for (let k = 1; k <= reach; k++) {
      const above = Math.max(0, y - k) * width;
      const below = Math.min(height - 1, y + k) * width;
      const weight = weights[k]!;
      for (let x = 0; x < width; x++) sums[x]! += weight * (across[above + x]! + across[below + x]!);
    }
    blurred.set(sums, start);
  }
  return blurred;
}

/** Clockwise about the centre, by any angle. */
export const rotateInDoubles = (pixels: PixelBuffer, degrees: number): PixelBuffer =>
  rotate(pixels, degrees, rotateFreely);

function rotateFreely(pixels: PixelBuffer, degrees: number): PixelBuffer {
  const turn = turnOf(pixels, degrees);
  const { width, height, colours } = turn;
  const bands = colours + 1;
  const data = samplesLike(pixels, width * height * bands);
  const full = fullScale(pixels);
  const sample = sampler(pixels, colours);
  const mixed = new Float64Array(bands);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = sourceOf(pixels, turn, x, y);
      const cover = overlap(at.x, pixels.width) * overlap(at.y, pixels.height);
      if (cover === 0) continue; // the new buffer is zero
      sample(at.x, at.y, mixed);
      const alpha = mixed[colours]!;
      const shown = Math.floor(Math.min(1, alpha) * cover * full + 0.5);
      if (shown <= 0) continue;
      const p = (y * width + x) * bands;
      for (let b = 0; b < colours; b++) data[p + b] = Math.min(full, Math.max(0, mixed[b]! / alpha + 0.5));
      data[p + colours] = shown;
    }
  return { width, height, bands, interpretation: pixels.interpretation, data };
}

/** Returns the part of the unit interval around `centre` that is within 0 to `size`. */
function overlap(centre: number, size: number): number {
  return Math.max(0, Math.min(size, centre + 0.5) - Math.max(0, centre - 0.5));
}

type Sample = (x: number, y: number, out: Float64Array) => void;

/**
 * Lanczos-3 over six by six pixels, edges repeated. `out` gets the colours, weighted by alpha, and then alpha
 * as 0 to 1 (unclamped).
 */
function sampler({ width, height, bands, data }: PixelBuffer, colours: number): Sample {
  const full = fullScale({ data });
  const table = phaseTable();
  return (x, y, out) => {
    const left = Math.floor(x - 0.5);
    const top = Math.floor(y - 0.5);
    const across = phaseAt(x - 0.5 - left);
    const down = phaseAt(y - 0.5 - top);
    out.fill(0);
    for (let j = 0; j < 6; j++) {
      const row = Math.min(height - 1, Math.max(0, top - 2 + j)) * width;
      for (let i = 0; i < 6; i++) {
        const p = (row + Math.min(width - 1, Math.max(0, left - 2 + i))) * bands;
        let weight = table[across + i]! * table[down + j]!;
        if (bands > colours) weight *= data[p + colours]! / full;
        for (let b = 0; b < colours; b++) out[b]! += data[p + b]! * weight;
        out[colours]! += weight;
      }
    }
  };
}

const phaseAt = (t: number) => Math.floor(t * phases + 0.5) * phaseLength;

/** Samples through tables. */
export const lookupsInScript: Lookups = {
  bytesToWords: look,
  wordsToWords: look,
  wordsToBytes: look,
};

function look(
  from: Uint8Array | Uint16Array,
  table: Uint8Array | Uint16Array,
  to: Uint8Array | Uint16Array,
): void {
  for (let p = 0; p < to.length; p++) to[p] = table[from[p]!]!;
}
