// How a derivative is written as JPEG XL: by the coefficients of a JPEG, or by libjxl.

import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { hasAlpha } from "../../pipeline/pixels.ts";
import type { Shape } from "../../pipeline/shape.ts";

/** A way, its nanoseconds for a pixel, and the bytes that a pixel takes in the encoder. */
interface Way {
  /** Of libjxl; undefined for coefficients. */
  readonly effort: number | undefined;
  readonly ns: number;
  readonly bytes: number;
}

const coefficients: Way = { effort: undefined, ns: 20, bytes: 0 };
const quick: Way = { effort: 3, ns: 220, bytes: 120 };
const small: Way = { effort: 5, ns: 1000, bytes: 120 };

/**
 * Ways by size, without alpha and with it. A tile by effort 3 has 0 to 20 % fewer bytes than its
 * coefficients, for ten times the time; a download by effort 5 has 20 to 35 % fewer at equal quality. Effort
 * 7 takes half as long again for no fewer. Larger ones would take a gigabyte.
 */
const ways = [
  { pixels: 2 ** 20, opaque: coefficients, alpha: quick }, // tiles
  { pixels: 2 ** 22, opaque: small, alpha: small }, // downloads
  { pixels: Number.POSITIVE_INFINITY, opaque: coefficients, alpha: quick },
] as const;

/** Returns the way of a derivative. */
export function wayOf(derivative: Pick<PixelBuffer, "width" | "height" | "bands" | "interpretation">): Way {
  const area = derivative.width * derivative.height;
  return ways.find(({ pixels }) => area <= pixels)![hasAlpha(derivative) ? "alpha" : "opaque"];
}

export const jxlNsPerPixel = (derivative: Shape): number => wayOf(derivative).ns;

export function jxlMemory(derivative: Shape): number {
  const { effort, bytes } = wayOf(derivative);
  return effort === undefined ? 0 : 2 ** 25 + derivative.width * derivative.height * bytes;
}
