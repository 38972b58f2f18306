// Draws an overlay (a watermark) over the pixels of a derivative (Porter-Duff "over").

import type { Size } from "../../../base/index.ts";
import { hasAlpha, type PixelBuffer, samplesLike } from "../pixels.ts";
import type { Kernels } from "../step.ts";
import { gray } from "./gray.ts";
import type { Placement } from "./overlay-layout.ts";

/** Returns an overlay's picture in a size: rgb with alpha, 8 bits. */
export function overlayInSize(
  image: PixelBuffer,
  { width, height }: Size,
  kernels: Pick<Kernels, "resize">,
): PixelBuffer {
  if (width === image.width && height === image.height) return image;
  return kernels.resize(
    image,
    { size: width, origin: 0, scale: image.width / width },
    { size: height, origin: 0, scale: image.height / height },
  );
}

/**
 * Returns the pixels of a derivative under an overlay: gray or rgb, with or without alpha, of either depth,
 * all unchanged. `image` is rgb with alpha and 8 bit, in the colours of the derivative and in the size of the
 * placement; on gray its luma counts. Alpha is not premultiplied on either side.
 */
export function overlay(
  pixels: PixelBuffer,
  image: PixelBuffer,
  placement: Placement,
  opacity: number,
): PixelBuffer {
  const stamp = pixels.interpretation === "gray" ? gray(image) : image;
  const data = samplesLike(pixels, pixels.data.length);
  data.set(pixels.data);
  const under = { ...pixels, data };
  const blend = blendOf(under, stamp, opacity);
  for (const { from, to, count } of runs(pixels, placement)) blend(from, to, count);
  return under;
}

/**
 * A run of pixels of one row: indices of the overlay's first pixel and of the derivative's, and their number.
 */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Yields all runs of the overlay's copies on a derivative. */
export function* runs(derivative: Size, { x, y, width, height, tiled }: Placement): Generator<Run> {
  const [left, top] = tiled ? [mod(x, width) - width, mod(y, height) - height] : [x, y];
  const [right, bottom] = tiled ? [derivative.width, derivative.height] : [x + width, y + height];
  for (let row = Math.max(0, top); row < Math.min(derivative.height, bottom); row++) {
    const own = mod(row - top, height) * width;
    for (let at = left; at < right; at += width) {
      const first = Math.max(0, at);
      const count = Math.min(derivative.width, at + width) - first;
      if (count > 0) yield { from: own + first - at, to: row * derivative.width + first, count };
    }
  }
}

const mod = (value: number, by: number) => ((value % by) + by) % by;

type Blend = (from: number, to: number, count: number) => void;

function blendOf(pixels: PixelBuffer, stamp: PixelBuffer, opacity: number): Blend {
  if (hasAlpha(pixels)) return overAlpha(pixels, stamp, opacity);
  return pixels.data instanceof Uint16Array
    ? overDeep(pixels.data, pixels.bands, stamp.data, opacity)
    : overOpaque(pixels.data, pixels.bands, stamp.data, opacity);
}

/** Weights in 1/65536 for each value of an overlay's alpha. */
export function weightsOf(opacity: number): Int32Array {
  return Int32Array.from({ length: 256 }, (_, alpha) => Math.round((alpha / 255) * opacity * 65536));
}

/** 8 bit without alpha, in whole numbers: the usual derivative. */
function overOpaque(data: Uint8Array, bands: number, over: PixelBuffer["data"], opacity: number): Blend {
  const weights = weightsOf(opacity);
  if (bands === 3)
    return (from, to, count) => {
      let p = from * 4;
      for (let q = to * 3, end = (to + count) * 3; q < end; p += 4, q += 3) {
        const weight = weights[over[p + 3]!]!;
        if (weight === 0) continue;
        const red = data[q]!;
        const green = data[q + 1]!;
        const blue = data[q + 2]!;
        data[q] = red + (((over[p]! - red) * weight + 32768) >> 16);
        data[q + 1] = green + (((over[p + 1]! - green) * weight + 32768) >> 16);
        data[q + 2] = blue + (((over[p + 2]! - blue) * weight + 32768) >> 16);
      }
    };
  return (from, to, count) => {
    let p = from * (bands + 1);
    for (let q = to * bands, end = (to + count) * bands; q < end; p += bands + 1, q += bands) {
      const weight = weights[over[p + bands]!]!;
      if (weight === 0) continue;
      for (let b = 0; b < bands; b++) {
        const under = data[q + b]!;
        data[q + b] = under + (((over[p + b]! - under) * weight + 32768) >> 16);
      }
    }
  };
}

function overDeep(data: Uint16Array, bands: number, over: PixelBuffer["data"], opacity: number): Blend {
  return (from, to, count) => {
    let p = from * (bands + 1);
    for (let q = to * bands, end = (to + count) * bands; q < end; p += bands + 1, q += bands) {
      const weight = (over[p + bands]! / 255) * opacity;
      for (let b = 0; b < bands; b++) {
        const under = data[q + b]!;
        data[q + b] = under + (over[p + b]! * 257 - under) * weight + 0.5; // the store drops the fraction
      }
    }
  };
}

/** Either depth; over transparent pixels only the overlay's colour remains. */
function overAlpha({ data, bands }: PixelBuffer, { data: over }: PixelBuffer, opacity: number): Blend {
  const full = data instanceof Uint16Array ? 65535 : 255;
  const level = full / 255;
  const colours = bands - 1;
  return (from, to, count) => {
    let p = from * bands;
    for (let q = to * bands, end = (to + count) * bands; q < end; p += bands, q += bands) {
      const alpha = (over[p + colours]! / 255) * opacity;
      if (alpha === 0) continue;
      const below = (data[q + colours]! / full) * (1 - alpha);
      const both = alpha + below;
      for (let b = 0; b < colours; b++)
        data[q + b] = (over[p + b]! * level * alpha + data[q + b]! * below) / both + 0.5;
      data[q + colours] = both * full + 0.5;
    }
  };
}
