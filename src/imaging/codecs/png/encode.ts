// Writes PNG: one filter per row by the smallest sum of differences, one zlib stream (PNG specification 9 to
// 12).

import { concatenate, ImagingError, crc32 as ownCrc32 } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { layOut } from "../areas.ts";
import type { CodecHost } from "../codec.ts";
import type { EncodeOptions } from "../plan.ts";
import { signature } from "./header.ts";
import type { PngInstances, PngModule } from "./module.ts";

/** Colour type by the number of bands. */
const colourTypes = [0, 0, 4, 2, 6] as const;

/** On photographs zlib at 6 takes two to four times as long for 1 to 8 % of the bytes. */
export const level = 4;

/** What encoding needs of the host. */
export interface EncodingHost extends Pick<CodecHost, "deflate" | "zlib"> {
  readonly instances: PngInstances;
}

/**
 * Returns a PNG of 1 to 4 bands (gray, gray + alpha, rgb, rgb + alpha) with 8 or 16 bit like the pixels, or
 * with 1 bit if `bilevel` says that they are one band of only 0 and 255. Throws ImagingError `encode` for
 * other pixels.
 */
export async function encodePng(
  pixels: PixelBuffer,
  options: Pick<EncodeOptions, "resolution" | "bilevel">,
  host: EncodingHost,
): Promise<Uint8Array> {
  const { width, height, bands, data } = pixels;
  const colourType = colourTypes[bands];
  if (colourType === undefined || pixels.interpretation === "cmyk" || pixels.interpretation === "ycc")
    throw new ImagingError(
      "encode",
      `Expected gray or RGB pixels for a PNG, received ${bands} bands of ${pixels.interpretation}.`,
    );
  if (width < 1 || height < 1 || width > 0x7fffffff || height > 0x7fffffff)
    throw new ImagingError(
      "encode",
      `Expected PNG sides of 1 to 2147483647 pixels, received ${width} x ${height}.`,
    );
  const bilevel = options.bilevel && bands === 1 && isBilevel(data);
  const depth = bilevel ? 1 : data instanceof Uint16Array ? 16 : 8;
  const rows = bilevel
    ? packBits(data, width, height)
    : await host.instances((module) => filterRows(module, pixels));
  const stream = await host.deflate(rows, level);
  if (stream.length > 0x7fffffff)
    throw new ImagingError(
      "encode",
      "Expected at most 2147483647 bytes of PNG data, received more: ask for less.",
    );

  const head = new Uint8Array(13);
  const view = new DataView(head.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  head.set([depth, colourType, 0, 0, 0], 8);
  return concatenate([
    signature,
    ...chunk("IHDR", head),
    ...(options.resolution ? chunk("pHYs", encodePhysical(options.resolution)) : []),
    ...chunk("IDAT", stream, host.zlib?.crc32),
    ...chunk("IEND", new Uint8Array()),
  ]);
}

function isBilevel(data: Uint8Array | Uint16Array): data is Uint8Array {
  return data instanceof Uint8Array && data.every((sample) => sample === 0 || sample === 255);
}

/** Packs rows of 1-bit samples, unfiltered: filters do not help below 8 bit (12.7). */
function packBits(data: Uint8Array, width: number, height: number): Uint8Array {
  const rowLength = 1 + Math.ceil(width / 8);
  const rows = new Uint8Array(rowLength * height);
  for (let y = 0, from = 0; y < height; y++) {
    const start = y * rowLength + 1;
    for (let x = 0; x < width; x++, from++)
      if (data[from]) rows[start + (x >> 3)] = rows[start + (x >> 3)]! | (128 >> (x & 7));
  }
  return rows;
}

/** pHYs: whole pixels per metre. */
function encodePhysical(resolution: { readonly x: number; readonly y: number }): Uint8Array {
  const content = new Uint8Array(9);
  const view = new DataView(content.buffer);
  const perMetre = (value: number) => Math.min(0x7fffffff, Math.max(1, Math.round(value * 100)));
  view.setUint32(0, perMetre(resolution.x));
  view.setUint32(4, perMetre(resolution.y));
  content[8] = 1;
  return content;
}

/** Returns a whole chunk: length, type, content and checksum. */
export function chunk(type: string, content: Uint8Array, crc32 = ownCrc32): Uint8Array[] {
  const head = new Uint8Array(8);
  new DataView(head.buffer).setUint32(0, content.length);
  for (let i = 0; i < 4; i++) head[4 + i] = type.charCodeAt(i);
  const tail = new Uint8Array(4);
  new DataView(tail.buffer).setUint32(0, crc32(content, crc32(head.subarray(4))));
  return [head, content, tail];
}

/** Bytes of rows that are filtered together, unless a row is longer. */
const bandBytes = 128 * 1024;

/**
 * Returns the rows of an image, each preceded by its filter type, ready to be deflated; 16-bit samples
 * big-endian. Each row gets the filter whose output has the least sum of absolute values (as signed bytes).
 * Throws RangeError if there is no memory for two rows.
 */
export function filterRows(module: PngModule, pixels: PixelBuffer): Uint8Array {
  const { width, height, bands, data } = pixels;
  const step = bands * data.BYTES_PER_ELEMENT;
  const length = width * step;
  const out = new Uint8Array((length + 1) * height);
  const samples = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const max = Math.min(height, Math.max(1, Math.floor(bandBytes / length)));
  const [above, to] = layOut(module, (max + 1) * length, max * (length + 1)) as [number, number];
  const from = above + length;
  const memory = new Uint8Array(module.memory.buffer);
  memory.fill(0, above, from);
  for (let y = 0; y < height; y += max) {
    const count = Math.min(max, height - y);
    memory.set(samples.subarray(y * length, (y + count) * length), from);
    if (data instanceof Uint16Array) module.swapBytes(from, count * length);
    module.filterRows(from, length, count, step, to);
    out.set(memory.subarray(to, to + count * (length + 1)), y * (length + 1));
    memory.copyWithin(above, above + count * length, from + count * length);
  }
  return out;
}
