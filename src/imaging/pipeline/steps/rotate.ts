// Rotation by any angle (IIIF Image API 3.0, section 4.3): right angles move pixels, others sample with
// Lanczos-3.

import { lanczos } from "../kernel.ts";
import { orientationOfTurn } from "../orientation.ts";
import { hasAlpha, type PixelBuffer } from "../pixels.ts";
import { orient } from "./orient.ts";
import { toSrgb } from "./to-srgb.ts";

/** Sides that are slightly above a whole number because of floating-point errors are rounded down to it. */
const tolerance = 1e-6;

/** True if a rotation by `degrees` only moves pixels. */
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
 * Rotates clockwise about the centre. Angles other than right ones add alpha if there is none (cmyk becomes
 * rgb first): uncovered corners are transparent, and edges are smoothed by their coverage of a pixel. Same
 * depth. `freely` rotates gray and rgb by such angles.
 */
export function rotate(pixels: PixelBuffer, degrees: number, freely: Rotate): PixelBuffer {
  const orientation = orientationOfTurn(degrees);
  return orientation ? orient(pixels, orientation) : freely(toSrgb(pixels), ((degrees % 360) + 360) % 360);
}

type Rotate = (pixels: PixelBuffer, degrees: number) => PixelBuffer;

/** A rotated picture: its size, its colours, and how its pixels map to those of the source. */
export interface Turn {
  readonly width: number;
  readonly height: number;
  /** Bands without alpha. */
  readonly colours: number;
  readonly sine: number;
  readonly cosine: number;
}

/** The turn of a gray or rgb picture. */
export function turnOf(pixels: PixelBuffer, degrees: number): Turn {
  const colours = hasAlpha(pixels) ? pixels.bands - 1 : pixels.bands;
  return { ...rotatedSize(pixels.width, pixels.height, degrees), colours, ...direction(degrees) };
}

/** Returns the position on the image of the centre of output pixel `x`, `y`. */
export function sourceOf(
  { width, height }: PixelBuffer,
  turn: Turn,
  x: number,
  y: number,
): { x: number; y: number } {
  const dx = x + 0.5 - turn.width / 2;
  const dy = y + 0.5 - turn.height / 2;
  return {
    x: turn.cosine * dx + turn.sine * dy + width / 2,
    y: turn.cosine * dy - turn.sine * dx + height / 2,
  };
}

/** Positions are rounded to this fraction of a pixel. */
export const phases = 2048;
/** f32 from phase to phase: six taps and two that are 0. */
export const phaseLength = 8;

let madeTable: Float32Array | undefined;

/**
 * For points 0 to 1 (in `phases` steps) past pixel 0 the Lanczos-3 weights of the pixels from -2 to 3, their
 * sum 1.
 */
export function phaseTable(): Float32Array {
  if (madeTable) return madeTable;
  const table = new Float32Array((phases + 1) * phaseLength);
  for (let phase = 0; phase <= phases; phase++) {
    const weights = Array.from({ length: 6 }, (_, k) => lanczos(k - 2 - phase / phases));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    table.set(
      weights.map((weight) => weight / sum),
      phase * phaseLength,
    );
  }
  return (madeTable = table);
}

function direction(degrees: number): { sine: number; cosine: number } {
  const angle = (degrees * Math.PI) / 180;
  return { sine: Math.sin(angle), cosine: Math.cos(angle) };
}
