// Writes TIFF: little-endian, one page, strips, deflate with horizontal differencing (TIFF 6.0, sections 2 to
// 8, 14, 18).

import { ImagingError } from "../../errors.ts";
import { hasAlpha, type PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost } from "../codec.ts";
import type { EncodeOptions } from "../plan.ts";

/** Level of deflate. */
export const level = 6;
/**
 * Approximate bytes of a strip before compression: large enough to compress well, small enough for partial
 * reads.
 */
const stripSize = 256 * 1024;
const dpi72 = 72 / 2.54;

const fieldTypes = { short: 3, long: 4, rational: 5 } as const;
const fieldSizes = { short: 2, long: 4, rational: 8 } as const;

/** A field of the directory; rationals are numerators over {@link rationalBase}. */
interface Field {
  readonly tag: number;
  readonly type: keyof typeof fieldTypes;
  readonly values: readonly number[];
}

const rationalBase = 10_000;

/** Returns the nearest numerator that fits a field. */
function rational(value: number): number {
  return Math.min(0xffffffff, Math.max(1, Math.round(value * rationalBase)));
}

/**
 * Returns a TIFF of 1 to 4 bands (gray, gray + alpha, rgb, rgb + alpha; alpha unassociated) with the 8 or 16
 * bit of the pixels. Resolution tags have `options.resolution`, or 72 dpi. The directory comes first. Throws
 * ImagingError `encode` for other pixels and above 4 GiB.
 */
export async function encodeTiff(
  pixels: PixelBuffer,
  options: Pick<EncodeOptions, "resolution">,
  host: Pick<CodecHost, "deflate">,
): Promise<Uint8Array> {
  const { width, height, bands, data } = pixels;
  if (bands < 1 || bands > 4 || pixels.interpretation === "cmyk" || pixels.interpretation === "ycc")
    throw new ImagingError(
      "encode",
      `Expected gray or RGB pixels for a TIFF, received ${bands} bands of ${pixels.interpretation}.`,
    );
  const sampleBytes = data.BYTES_PER_ELEMENT;
  const rowBytes = width * bands * sampleBytes;
  const rowsPerStrip = Math.min(height, Math.max(1, Math.floor(stripSize / rowBytes)));
  const strips: Uint8Array[] = [];
  for (let y = 0; y < height; y += rowsPerStrip) {
    const rows = differences(pixels, y, Math.min(rowsPerStrip, height - y));
    strips.push(await host.deflate(rows, level));
  }

  const { x, y } = options.resolution ?? { x: dpi72, y: dpi72 };
  const alpha = hasAlpha(pixels);
  const fields: Field[] = [
    { tag: 256, type: "long", values: [width] },
    { tag: 257, type: "long", values: [height] },
    { tag: 258, type: "short", values: new Array(bands).fill(8 * sampleBytes) }, // BitsPerSample
    { tag: 259, type: "short", values: [8] }, // Compression: deflate (Adobe)
    { tag: 262, type: "short", values: [bands < 3 ? 1 : 2] }, // Photometric: BlackIsZero, RGB
    { tag: 273, type: "long", values: strips.map(() => 0) }, // StripOffsets, once the directory's length is known
    { tag: 277, type: "short", values: [bands] },
    { tag: 278, type: "long", values: [rowsPerStrip] },
    { tag: 279, type: "long", values: strips.map((strip) => strip.length) },
    { tag: 282, type: "rational", values: [rational(x)] },
    { tag: 283, type: "rational", values: [rational(y)] },
    { tag: 284, type: "short", values: [1] }, // PlanarConfiguration: bands together
    { tag: 296, type: "short", values: [3] }, // ResolutionUnit: centimetre
    { tag: 317, type: "short", values: [2] }, // Predictor: horizontal differencing
    ...(alpha ? [{ tag: 338, type: "short", values: [2] } as const] : []), // ExtraSamples: unassociated alpha
  ];
  return assemble(fields, strips);
}

/**
 * Returns `count` rows from `y` as bytes, little-endian, each sample minus the one of the same band to its
 * left.
 */
function differences({ width, bands, data }: PixelBuffer, y: number, count: number): Uint8Array {
  const row = width * bands;
  const start = y * row;
  const length = count * row;
  const wide = data instanceof Uint16Array;
  const out = new Uint8Array(length * (wide ? 2 : 1));
  for (let i = 0, x = 0; i < length; i++, x = x + 1 === row ? 0 : x + 1) {
    const at = start + i;
    const difference = x < bands ? data[at]! : data[at]! - data[at - bands]!;
    if (wide) {
      out[2 * i] = difference;
      out[2 * i + 1] = difference >> 8;
    } else out[i] = difference;
  }
  return out;
}

/** Assembles header, directory, values that do not fit into it, and strips. */
function assemble(fields: readonly Field[], strips: readonly Uint8Array[]): Uint8Array {
  const valueBytes = (field: Field) => fieldSizes[field.type] * field.values.length;
  const directoryEnd = 8 + 2 + fields.length * 12 + 4;
  const valuesLength = fields.map(valueBytes).reduce((sum, n) => (n > 4 ? sum + n + (n & 1) : sum), 0);
  const stripsStart = directoryEnd + valuesLength;
  const total = stripsStart + strips.reduce((sum, strip) => sum + strip.length, 0);
  if (total > 0xffffffff)
    throw new ImagingError("encode", "Expected at most 4 GiB for a TIFF, received more: ask for less.");

  const file = new Uint8Array(total);
  const view = new DataView(file.buffer);
  const offsets: number[] = [];
  let at = stripsStart;
  for (const strip of strips) {
    file.set(strip, at);
    offsets.push(at);
    at += strip.length;
  }

  file.set([0x49, 0x49, 42, 0]); // "II": little-endian
  view.setUint32(4, 8, true);
  view.setUint16(8, fields.length, true);
  let overflow = directoryEnd;
  for (const [i, field] of fields.entries()) {
    const entry = 10 + i * 12;
    const values = field.tag === 273 ? offsets : field.values;
    view.setUint16(entry, field.tag, true);
    view.setUint16(entry + 2, fieldTypes[field.type], true);
    view.setUint32(entry + 4, values.length, true);
    const size = valueBytes(field);
    let to = entry + 8;
    if (size > 4) {
      view.setUint32(to, overflow, true);
      to = overflow;
      overflow += size + (size & 1);
    }
    for (const value of values) {
      if (field.type === "short") view.setUint16(to, value, true);
      else view.setUint32(to, value, true);
      if (field.type === "rational") view.setUint32(to + 4, rationalBase, true);
      to += fieldSizes[field.type];
    }
  }
  return file;
}
