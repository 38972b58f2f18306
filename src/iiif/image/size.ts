// Sizes and regions in pixels, the limits on derivatives (Image API 3.0 section 5.2), and the exact
// arithmetic for both.

import { ServiceError, type Size } from "../../base/index.ts";

/** A rectangle in pixels of the upright, full-size image. */
export interface Region extends Size {
  readonly x: number;
  readonly y: number;
}

/** Largest derivatives in pixels; 0 is no limit. */
export interface Limits {
  readonly maxWidth: number;
  readonly maxHeight: number;
  readonly maxArea: number;
}

/** The rules for sizes of derivatives. */
export interface SizeRules {
  readonly limits: Limits;
  /** Preferred side of the square tiles. */
  readonly tileSize: number;
}

/** No limits. */
export const noLimits: Limits = { maxWidth: 0, maxHeight: 0, maxArea: 0 };

/** Returns the effective limits: a width alone limits the height too (Image API 3.0 section 5.2). */
export function effectiveLimits(limits: Limits): Limits {
  return limits.maxWidth > 0 && limits.maxHeight === 0 ? { ...limits, maxHeight: limits.maxWidth } : limits;
}

/**
 * True if a derivative of this size is within the limits, taken literally: {@link effectiveLimits} comes
 * first.
 */
export function withinLimits(size: Size, { maxWidth, maxHeight, maxArea }: Limits): boolean {
  return (
    (maxWidth === 0 || size.width <= maxWidth) &&
    (maxHeight === 0 || size.height <= maxHeight) &&
    (maxArea === 0 || BigInt(size.width) * BigInt(size.height) <= BigInt(maxArea))
  );
}

/** Throws ServiceError `too-large` (code output_too_large) if the size exceeds one of the limits. */
export function refuseOverLimits(size: Size, limits: Limits): void {
  if (withinLimits(size, limits)) return;
  const parts = [
    limits.maxWidth > 0 ? `${limits.maxWidth} pixels wide` : "",
    limits.maxHeight > 0 ? `${limits.maxHeight} pixels high` : "",
    limits.maxArea > 0 ? `${limits.maxArea} pixels in area` : "",
  ].filter((part) => part !== "");
  throw new ServiceError(
    "too-large",
    `Expected a derivative of at most ${parts.join(", ")}; received a request for ${sizeText(size)}. Ask for a smaller size, or for max.`,
    { code: "output_too_large" },
  );
}

/** Returns the longest sides that the limits allow, for any area. */
export function bounds(limits: Limits): Size {
  return {
    width: limits.maxWidth || Number.MAX_SAFE_INTEGER,
    height: limits.maxHeight || Number.MAX_SAFE_INTEGER,
  };
}

/** Returns the smaller width and the smaller height of two sizes. */
export function overlap(a: Size, b: Size): Size {
  return { width: Math.min(a.width, b.width), height: Math.min(a.height, b.height) };
}

/** Returns n / d rounded half up, at most the largest safe integer. */
export function roundedRatio(n: bigint, d: bigint): number {
  return Math.min(Number((2n * n + d) / (2n * d)), Number.MAX_SAFE_INTEGER);
}

/** Formats a size for messages. */
export function sizeText(size: Size): string {
  return `${size.width} x ${size.height} pixels`;
}
