// Sharpening by an unsharp mask on luma: the difference from a blur is added once more. ../wasm/sharpen.ts
// implements it.

/** Strength of the sharpening. */
export interface Sharpening {
  /** Standard deviation of the Gaussian blur, in pixels; above 0. */
  readonly radius: number;
  /** Share of the difference from the blur that is added. */
  readonly amount: number;
  /** Differences of luma below this stay as they are, in levels of 0 to 255. */
  readonly threshold: number;
}

/** Pixels to each side that a blur looks at. */
export function blurReach(radius: number): number {
  return Math.ceil(3 * radius);
}

/** Half of the kernel, from its middle outwards; the whole sums to 1. */
export function gaussian(radius: number): Float32Array {
  const half = Array.from({ length: blurReach(radius) + 1 }, (_, k) =>
    Math.exp(-(k * k) / (2 * radius ** 2)),
  );
  const sum = half.reduce((total, weight, k) => total + (k === 0 ? weight : 2 * weight), 0);
  return Float32Array.from(half, (weight) => weight / sum);
}
