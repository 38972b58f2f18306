// How the tiles of a written pyramid are compressed.

import { ImagingError } from "../../../../base/index.ts";
import { hasAlpha, type Interpretation, type PixelBuffer } from "../../../pipeline/pixels.ts";
import type { CodecHost } from "../../codec.ts";
import { createJpegEncoder, typicalTableStream } from "../../jpg/encode/fast-encode.ts";
import { JPEG } from "../compression/compression.ts";
import { tags } from "../directory/tags.ts";
import { differences } from "./differences.ts";
import type { Field } from "./directories.ts";
import { deflateFields } from "./fields.ts";

/**
 * Compression of all tiles. `jpeg`: quality from 1 to 100, and the sampling of chroma; 8-bit gray and RGB
 * without alpha. `deflate`: without loss, level from 1 to 9; all pixels of 1 to 4 bands.
 */
export type TileCompression =
  | { readonly kind: "jpeg"; readonly quality: number; readonly chroma: "420" | "444" }
  | { readonly kind: "deflate"; readonly level: number };

/** A compression for the pixels of one image. */
export interface TileFormat {
  /** Its fields in the directory of each level. */
  readonly fields: readonly Field[];
  encode(tile: PixelBuffer): Promise<Uint8Array>;
}

export type TileHost = Pick<CodecHost, "wasm" | "deflate">;

/** PhotometricInterpretation of uncoded samples (TIFF 6.0 sections 4, 6 and 16). */
const photometrics: Partial<Record<Interpretation, number>> = { gray: 1, rgb: 2, cmyk: 5 };
const YCBCR = 6;

/**
 * Returns the format of tiles for pixels like these. Throws ImagingError `encode` if the compression does not
 * take them.
 */
export function tileFormat(like: PixelBuffer, compression: TileCompression, host: TileHost): TileFormat {
  return compression.kind === "jpeg"
    ? jpegTiles(like, compression, host)
    : deflatedTiles(like, compression, host);
}

function deflatedTiles(
  like: PixelBuffer,
  { level }: TileCompression & { kind: "deflate" },
  host: TileHost,
): TileFormat {
  const photometric = photometrics[like.interpretation];
  if (photometric === undefined || like.bands > 4)
    throw refusedError("1 to 4 bands of gray, RGB or CMYK", like);
  return {
    fields: [...deflateFields, { tag: tags.PhotometricInterpretation, type: "short", values: [photometric] }],
    encode: (tile) => host.deflate(differences(tile, 0, tile.height), level),
  };
}

/** Tiles as abbreviated streams, with their tables in the directory (TIFF Technical Note 2). */
function jpegTiles(
  like: PixelBuffer,
  { quality, chroma }: TileCompression & { kind: "jpeg" },
  host: TileHost,
): TileFormat {
  const { interpretation, bands, data } = like;
  const isTaken = interpretation === "gray" || interpretation === "rgb";
  if (!isTaken || hasAlpha(like) || !(data instanceof Uint8Array))
    throw refusedError("8-bit gray or RGB without alpha for JPEG", like);
  const encoder = createJpegEncoder(host.wasm("jpeg-encode"));
  const options = { quality, chroma, abbreviated: true };
  const area = chroma === "420" ? 2 : 1;
  const luma: readonly Field[] = [
    { tag: tags.PhotometricInterpretation, type: "short", values: [YCBCR] },
    { tag: tags.YCbCrSubSampling, type: "short", values: [area, area] },
    // Full range, which section 20 does not have as its default.
    { tag: tags.ReferenceBlackWhite, type: "rational", values: [0, 255, 128, 255, 128, 255] },
  ];
  return {
    fields: [
      { tag: tags.Compression, type: "short", values: [JPEG] },
      ...(bands === 3
        ? luma
        : [{ tag: tags.PhotometricInterpretation, type: "short", values: [1] } as const]),
      { tag: tags.JPEGTables, type: "bytes", values: typicalTableStream(quality, bands === 3 ? 3 : 1) },
    ],
    encode: async (pixels) => encoder.encode({ kind: "pixels", pixels }, options),
  };
}

function refusedError(expected: string, { bands, interpretation, data }: PixelBuffer): ImagingError {
  return new ImagingError(
    "encode",
    `Expected ${expected}, received ${bands} bands of ${8 * data.BYTES_PER_ELEMENT}-bit ${interpretation}. Choose another compression, or convert the image before.`,
    { code: "not_encodable" },
  );
}
