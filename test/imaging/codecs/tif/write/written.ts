// Pyramids written into memory.

import { concatenate } from "../../../../../src/base/bytes/concatenate.ts";
import type { Size } from "../../../../../src/base/index.ts";
import type { TakeRows } from "../../../../../src/imaging/codecs/codec.ts";
import {
  type PyramidOptions,
  type TiffSink,
  writeTiffPyramid,
} from "../../../../../src/imaging/codecs/tif/write/pyramid.ts";
import type { TileHost } from "../../../../../src/imaging/codecs/tif/write/tile-formats.ts";
import type { PixelBuffer } from "../../../../../src/imaging/pipeline/pixels.ts";
import { createKernels } from "../../../../../src/imaging/render/kernels.ts";
import { testHost } from "../../../../host.ts";
import { seeded } from "../../../../seeded.ts";

export const { resize } = createKernels(testHost);

/** Collects a file. */
export function memorySink(): TiffSink & { readonly file: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  return {
    append: async (bytes) => void parts.push(bytes.slice()),
    async replace(at, bytes) {
      const whole = concatenate(parts);
      whole.set(bytes, at);
      parts.splice(0, parts.length, whole);
    },
    file: () => concatenate(parts),
  };
}

/** Returns a function that passes on the rows of pixels, `step` at a time. */
export const rowsOf = (pixels: PixelBuffer, step: number) => async (take: TakeRows) => {
  const rowLength = pixels.width * pixels.bands;
  for (let y = 0; y < pixels.height; y += step) {
    const height = Math.min(step, pixels.height - y);
    const data = pixels.data.slice(y * rowLength, (y + height) * rowLength);
    await take({ ...pixels, height, data });
    data.fill(0); // rows are valid only until they are taken
  }
};

export async function written(
  pixels: PixelBuffer,
  options: PyramidOptions,
  { step = 50, host = testHost }: { readonly step?: number; readonly host?: TileHost } = {},
): Promise<Uint8Array> {
  const sink = memorySink();
  await writeTiffPyramid(rowsOf(pixels, step), pixels, sink, options, { host, resize });
  return sink.file();
}

/** Waves of different lengths in each band, with a little noise. */
export function waves({ width, height }: Size, bands: number, depth: 8 | 16): PixelBuffer {
  const random = seeded(width * bands + depth);
  const full = 2 ** depth - 1;
  const length = width * height * bands;
  const data = depth === 16 ? new Uint16Array(length) : new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const band = i % bands;
    const pixel = (i - band) / bands;
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const wave = Math.sin((x * (band + 1)) / 23) * Math.cos((y * (bands - band)) / 31);
    data[i] = full * (0.5 + 0.45 * wave + random(1000) / 25_000);
  }
  return { width, height, bands, interpretation: bands < 3 ? "gray" : "rgb", data };
}
