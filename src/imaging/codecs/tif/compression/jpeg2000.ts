// JPEG 2000 strips and tiles, each an independent codestream, raw or in boxes, as slide scanners and libvips
// write them.

import { ImagingError } from "../../../../base/index.ts";
import { toSrgb } from "../../../pipeline/steps/to-srgb.ts";
import { damagedTif } from "../../damaged.ts";
import { asImagingError } from "../../instance.ts";
import { type Block, openBlock } from "../../jp2/block.ts";
import type { SharedWorkbench } from "../../jp2/region/workbench.ts";
import { APERIO_YCC, VIPS_JPEG_2000 } from "./compression.ts";

/** PhotometricInterpretation (TIFF 6.0 sections 6 and 21). */
const RGB = 2;
const YCC = 6;

/** Required properties of an image's JPEG 2000 block. */
export interface Jpeg2000Block {
  /** Required columns, and the maximum. */
  readonly columns: number;
  readonly width: number;
  /** Required rows, and the maximum. */
  readonly rows: number;
  readonly maxRows: number;
  readonly samples: number;
  readonly compression: number;
  /** PhotometricInterpretation. */
  readonly photometric: number;
  /** Bits of each sample. */
  readonly bits: number;
  /** 1, 2, 4 or 8: side of the squares of pixels that become one if the codestream has such a level. */
  readonly side: number;
}

/** Samples of 8 bits, or of 16 in machine order. */
export interface Jpeg2000Pixels {
  readonly data: Uint8Array;
  /** Pixels from row to row. */
  readonly stride: number;
  /** See {@link Jpeg2000Block.side}; limited by the levels of the codestream. */
  readonly side: number;
}

type Colours = Pick<Block, "subsampled" | "transformed" | "comment">;

/**
 * For some compressions, by number: returns true if the codestream contains luma and chroma whatever the
 * directory says.
 */
const chromas: Readonly<Record<number, (block: Colours) => boolean>> = {
  // Like OpenSlide. Bio-Formats writes RGB under the same number, under a transform that is for RGB.
  [APERIO_YCC]: ({ transformed }) => !transformed,
  // libvips converts before it compresses, and back after it has decompressed.
  [VIPS_JPEG_2000]: ({ comment }) => comment.startsWith("Created by OpenJPEG"),
};

/**
 * True if components are luma and chroma. Only chroma is ever subsampled. A directory may use this name for
 * the output of the codestream's component transform, which is then undone.
 */
function isChroma(block: Colours, { compression, photometric, samples }: Jpeg2000Block): boolean {
  if (photometric === YCC) return !block.transformed || chromas[compression]?.(block) === true;
  if (photometric !== RGB || samples !== 3) return false;
  return block.subsampled || chromas[compression]?.(block) === true;
}

/**
 * Decodes JPEG 2000 blocks to interleaved samples of at least `rows` rows, over `side`, rounded up: scaled to
 * the full range of 8 or 16 bits. Throws ImagingError `decode`, and `unsupported` for signed samples.
 */
export type DecodeJpeg2000 = (data: Uint8Array, block: Jpeg2000Block) => Promise<Jpeg2000Pixels>;

/** Creates a decoder on a workbench. */
export function jpeg2000Decoder(bench: SharedWorkbench): DecodeJpeg2000 {
  return async (data, wanted) => {
    try {
      const block = await openBlock(data);
      confirm(block, wanted);
      const level = Math.min(Math.log2(wanted.side), block.levels);
      const samples = await block.decode(bench, wanted.rows, level);
      const stride = Math.ceil(block.width / 2 ** level);
      const height = samples.length / wanted.samples / stride;
      const pixels = { width: stride, height, bands: wanted.samples, data: samples } as const;
      const out = isChroma(block, wanted) ? toSrgb({ ...pixels, interpretation: "ycc" }).data : samples;
      return {
        data: new Uint8Array(out.buffer, out.byteOffset, out.byteLength),
        stride,
        side: 2 ** level,
      };
    } catch (error) {
      throw asImagingError(
        error,
        "decode",
        damagedTif("a sound JPEG 2000 strip or tile", "a damaged one").message,
      );
    }
  };
}

/**
 * Throws ImagingError `decode` for a block that does not match the directory, `unsupported` for signed
 * samples.
 */
function confirm({ width, height, components }: Block, wanted: Jpeg2000Block): void {
  const { columns, rows, maxRows, samples, bits } = wanted;
  if (width < columns || width > wanted.width || height < rows || height > maxRows)
    throw damagedTif(
      `JPEG 2000 strips or tiles of ${columns} to ${wanted.width} by ${rows} to ${maxRows} pixels`,
      `${width} by ${height}`,
    );
  if (components.length !== samples)
    throw damagedTif(`JPEG 2000 strips or tiles of ${samples} components`, `${components.length}`);
  const other = components.find((component) => component.bits !== bits);
  if (other) throw damagedTif(`JPEG 2000 strips or tiles of ${bits} bits`, `${other.bits}`);
  if (components.some(({ signed }) => signed))
    throw new ImagingError(
      "unsupported",
      "Expected unsigned samples in JPEG 2000 in the TIFF file, received signed ones; convert the file.",
    );
}
