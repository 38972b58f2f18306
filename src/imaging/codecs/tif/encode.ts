// Writes TIFF: little-endian, one page, strips, deflate with horizontal differencing (TIFF 6.0, sections 2 to
// 8, 14, 18).

import { concatenate, ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost } from "../codec.ts";
import type { EncodeOptions } from "../plan.ts";
import { tags } from "./directory/tags.ts";
import { differences } from "./write/differences.ts";
import { encodeDirectories, encodeHeader, type Field } from "./write/directories.ts";
import { deflateFields, resolutionFields, sampleFields } from "./write/fields.ts";

/** Level of deflate. */
export const level = 6;
/**
 * Approximate bytes of a strip before compression: large enough to compress well, small enough for partial
 * reads.
 */
const stripSize = 256 * 1024;

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

  const fields: Field[] = [
    { tag: tags.ImageWidth, type: "long", values: [width] },
    { tag: tags.ImageLength, type: "long", values: [height] },
    ...sampleFields(pixels),
    ...deflateFields,
    { tag: tags.PhotometricInterpretation, type: "short", values: [bands < 3 ? 1 : 2] }, // BlackIsZero, RGB
    { tag: tags.RowsPerStrip, type: "long", values: [rowsPerStrip] },
    { tag: tags.StripByteCounts, type: "long", values: strips.map((strip) => strip.length) },
    ...resolutionFields(options.resolution),
  ];
  const directory = (offsets: readonly number[]) =>
    encodeDirectories([[...fields, { tag: tags.StripOffsets, type: "long", values: offsets }]], 8, "classic");
  const ends: number[] = [8 + directory(strips.map(() => 0)).length];
  for (const strip of strips) ends.push(ends.at(-1)! + strip.length);
  if (ends.at(-1)! > 0xffffffff)
    throw new ImagingError("encode", "Expected at most 4 GiB for a TIFF, received more: ask for less.");
  return concatenate([encodeHeader(8, "classic").subarray(0, 8), directory(ends.slice(0, -1)), ...strips]);
}
