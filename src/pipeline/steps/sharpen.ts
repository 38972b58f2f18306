// Sharpening by an unsharp mask on luma: what a blur takes away is added once more.

import { fullScale, hasAlpha, type PixelBuffer, samplesLike } from "../pixels.ts";

/** How much is sharpened. */
export interface Sharpening {
  /** Standard deviation of the Gaussian blur, in pixels; above 0. */
  readonly radius: number;
  /** What share of the difference from the blur is added. */
  readonly amount: number;
  /** Differences of luma below this stay as they are, in levels of 0 to 255. */
  readonly threshold: number;
}

/** Pixels to each side that a blur looks at. */
export function blurReach(radius: number): number {
  return Math.ceil(3 * radius);
}

/**
 * Gray or rgb, with or without alpha, in either depth, of the same size. All colours of a pixel change by the same amount, that
 * of its BT.601 luma, so hues stay. Beyond the buffer the edge repeats; the blur weights pixels by alpha, which
 * itself stays as it is. A pixel depends on those within `blurReach` only.
 */
export function sharpen(pixels: PixelBuffer, { radius, amount, threshold }: Sharpening): PixelBuffer {
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

/** Half of the kernel, from its middle outwards; the whole sums to 1. */
export function gaussian(radius: number): Float32Array {
  const half = Array.from({ length: blurReach(radius) + 1 }, (_, k) =>
    Math.exp(-(k * k) / (2 * radius ** 2)),
  );
  const sum = half.reduce((total, weight, k) => total + (k === 0 ? weight : 2 * weight), 0);
  return Float32Array.from(half, (weight) => weight / sum);
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
