// Rotation by any angle (IIIF Image API 3.0, section 4.3): right angles move pixels, others sample with cubic weights.

import { orient } from "./orient.ts";
import { rightAngleOf } from "./orientation.ts";
import { fullScale, hasAlpha, type PixelBuffer, samplesLike } from "./pixels.ts";
import { toSrgb } from "./to-srgb.ts";

/** Sides that come out a hair above a whole number by floating-point noise are that whole number. */
const tolerance = 1e-6;

/** Whether a rotation by `degrees` only moves pixels. */
export function isRightAngle(degrees: number): boolean {
  return degrees % 90 === 0;
}

/** The bounding box of a rotated picture, in whole pixels: 1000x1000 by 45 degrees is 1415x1415. */
export function rotatedSize(
  width: number,
  height: number,
  degrees: number,
): { width: number; height: number } {
  if (isRightAngle(degrees))
    return degrees % 180 === 0 ? { width, height } : { width: height, height: width };
  const { sine, cosine } = direction(degrees);
  return {
    width: Math.ceil(width * Math.abs(cosine) + height * Math.abs(sine) - tolerance),
    height: Math.ceil(width * Math.abs(sine) + height * Math.abs(cosine) - tolerance),
  };
}

/**
 * Clockwise about the centre. Other than right angles add alpha where there is none (cmyk becomes rgb first): corners
 * that the picture leaves are transparent, its edges are smoothed by how much of a pixel they cover. Same depth.
 */
export function rotate(pixels: PixelBuffer, degrees: number): PixelBuffer {
  const orientation = rightAngleOf(degrees);
  return orientation
    ? orient(pixels, orientation)
    : rotateFreely(toSrgb(pixels), ((degrees % 360) + 360) % 360);
}

function rotateFreely(pixels: PixelBuffer, degrees: number): PixelBuffer {
  const size = rotatedSize(pixels.width, pixels.height, degrees);
  const { sine, cosine } = direction(degrees);
  const colours = hasAlpha(pixels) ? pixels.bands - 1 : pixels.bands;
  const bands = colours + 1;
  const data = samplesLike(pixels, size.width * size.height * bands);
  const full = fullScale(pixels);
  const sample = cubicSampler(pixels, colours);
  const mixed = new Float64Array(bands);
  for (let y = 0; y < size.height; y++) {
    const dy = y + 0.5 - size.height / 2;
    for (let x = 0; x < size.width; x++) {
      const dx = x + 0.5 - size.width / 2;
      const sourceX = cosine * dx + sine * dy + pixels.width / 2;
      const sourceY = cosine * dy - sine * dx + pixels.height / 2;
      const cover = overlap(sourceX, pixels.width) * overlap(sourceY, pixels.height);
      if (cover === 0) continue; // the new buffer is zero
      sample(sourceX, sourceY, mixed);
      const alpha = mixed[colours]!;
      const shown = Math.floor(Math.min(1, alpha) * cover * full + 0.5);
      if (shown <= 0) continue;
      const p = (y * size.width + x) * bands;
      for (let b = 0; b < colours; b++) data[p + b] = Math.min(full, Math.max(0, mixed[b]! / alpha + 0.5));
      data[p + colours] = shown;
    }
  }
  return { ...size, bands, interpretation: pixels.interpretation, data };
}

/** How much of the unit interval around `centre` lies within 0 to `size`. */
function overlap(centre: number, size: number): number {
  return Math.max(0, Math.min(size, centre + 0.5) - Math.max(0, centre - 0.5));
}

type Sample = (x: number, y: number, out: Float64Array) => void;

/**
 * Catmull-Rom over four by four pixels, edges repeated. `out` gets the colours, weighted by alpha, and then alpha as
 * 0 to 1 (unclamped; 1 where the picture has none).
 */
function cubicSampler({ width, height, bands, data }: PixelBuffer, colours: number): Sample {
  const full = fullScale({ data });
  const stride = width * bands;
  const across = new Float64Array(4);
  const down = new Float64Array(4);
  const column = (x: number) => Math.min(width - 1, Math.max(0, x)) * bands;
  const row = (y: number) => Math.min(height - 1, Math.max(0, y)) * stride;

  return (x, y, out) => {
    const left = Math.floor(x - 0.5);
    const top = Math.floor(y - 0.5);
    catmullRom(x - 0.5 - left, across);
    catmullRom(y - 0.5 - top, down);
    const c0 = column(left - 1);
    const c1 = column(left);
    const c2 = column(left + 1);
    const c3 = column(left + 2);
    out.fill(0);
    for (let j = 0; j < 4; j++) {
      const p = row(top - 1 + j);
      const weight = down[j]!;
      let w0 = across[0]! * weight;
      let w1 = across[1]! * weight;
      let w2 = across[2]! * weight;
      let w3 = across[3]! * weight;
      if (bands > colours) {
        w0 *= data[p + c0 + colours]! / full;
        w1 *= data[p + c1 + colours]! / full;
        w2 *= data[p + c2 + colours]! / full;
        w3 *= data[p + c3 + colours]! / full;
        out[colours]! += w0 + w1 + w2 + w3;
      }
      for (let b = p; b < p + colours; b++)
        out[b - p]! += data[c0 + b]! * w0 + data[c1 + b]! * w1 + data[c2 + b]! * w2 + data[c3 + b]! * w3;
    }
    if (bands === colours) out[colours] = 1;
  };
}

/** Cubic convolution with a = -1/2 (Keys 1981): weights of the pixels at -1, 0, 1 and 2, for a point `t` (0 to 1) past pixel 0. */
function catmullRom(t: number, weights: Float64Array): void {
  weights[0] = t * (-0.5 + t * (1 - 0.5 * t));
  weights[1] = 1 + t * t * (-2.5 + 1.5 * t);
  weights[2] = t * (0.5 + t * (2 - 1.5 * t));
  weights[3] = t * t * (-0.5 + 0.5 * t);
}

function direction(degrees: number): { sine: number; cosine: number } {
  const angle = (degrees * Math.PI) / 180;
  return { sine: Math.sin(angle), cosine: Math.cos(angle) };
}
