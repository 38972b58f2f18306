// Matrices and boxes of PDF pages (ISO 32000-2, section 8.3).

import { numberOf, type PdfValue } from "../syntax/values.ts";

/** a, b, c, d, e, f: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [number, number, number, number, number, number];

/** Edges in points, upwards and to the right. */
export interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the matrix that applies `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [A, B, C, D, E, F] = second;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** True if rectangles stay rectangles: no turn but by multiples of 90 degrees. */
export function isAxisParallel([a, b, c, d]: Matrix): boolean {
  const small = 1e-4 * Math.max(...[a, b, c, d].map(Math.abs));
  const straight = Math.abs(b) <= small && Math.abs(c) <= small && a !== 0 && d !== 0;
  const turned = Math.abs(a) <= small && Math.abs(d) <= small && b !== 0 && c !== 0;
  return straight || turned;
}

/** Returns the box of a rectangle under an axis-parallel matrix. */
export function transformBox({ left, bottom, right, top }: Box, [a, b, c, d, e, f]: Matrix): Box {
  const cornerOf = (x: number, y: number) => [a * x + c * y + e, b * x + d * y + f] as const;
  const [[x, y], [X, Y]] = [cornerOf(left, bottom), cornerOf(right, top)];
  return { left: Math.min(x, X), bottom: Math.min(y, Y), right: Math.max(x, X), top: Math.max(y, Y) };
}

/** Reads a rectangle (section 7.9.5), whose corners may be in any order; undefined if it is none. */
export function boxFrom(values: readonly PdfValue[] | undefined): Box | undefined {
  const [x, y, X, Y] = (values ?? []).map(numberOf);
  if (x === undefined || y === undefined || X === undefined || Y === undefined) return undefined;
  return { left: Math.min(x, X), bottom: Math.min(y, Y), right: Math.max(x, X), top: Math.max(y, Y) };
}

export const sizeOf = ({ left, bottom, right, top }: Box) => ({ width: right - left, height: top - bottom });

/** Returns the part that two boxes share, possibly an empty one. */
export const intersect = (a: Box, b: Box): Box => ({
  left: Math.max(a.left, b.left),
  bottom: Math.max(a.bottom, b.bottom),
  right: Math.min(a.right, b.right),
  top: Math.min(a.top, b.top),
});
