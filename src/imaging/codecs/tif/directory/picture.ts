// An image in a TIFF file: the storage of its samples, and the result of decoding them.

import type { Interpretation } from "../../../pipeline/pixels.ts";
import { isSubsampled, unitRowBytes, type YccCoding } from "../samples/ycc.ts";

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly compression: number;
  readonly photometric: number;
  /** Stored bits of one sample; of JPEG 2000, which has its own depths, the decoded depth: 8 or 16. */
  readonly bits: number;
  /** Bits of one sample in JPEG 2000. */
  readonly codedBits?: number;
  readonly float: boolean;
  readonly signed: boolean;
  /** Stored samples of one pixel. */
  readonly samples: number;
  /** True if each sample has its own strips or tiles. */
  readonly planar: boolean;
  readonly predictor: number;
  readonly reversedBits: boolean;
  readonly alpha: "none" | "straight" | "associated";
  /** Index of the stored alpha sample, from 0; decoding moves it after the colours. */
  readonly alphaAt: number;
  /** Coding of luma and chroma, unless the compression determines it. */
  readonly ycc?: YccCoding;
  readonly tiled: boolean;
  /** Size of a stored tile, or of a full strip. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** Bands of the result. */
  readonly bands: number;
  readonly depth: 8 | 16;
  readonly interpretation: Interpretation;
  /** Reason why it is refused, in words for the caller. */
  readonly unsupported?: string;
}

/** Samples per pixel that are read, before palette lookup. */
export const storedBands = ({ photometric, bands }: Pick<Picture, "photometric" | "bands">): number =>
  photometric === 3 ? bands - 2 : bands;

const packedBits: readonly number[] = [1, 2, 4];

/** True if samples are addressed within their bytes: one for each pixel, of which whole ones fill a byte. */
export const isPacked = ({ bits, samples }: Pick<Picture, "bits" | "samples">): boolean =>
  samples === 1 && packedBits.includes(bits);

/** Bytes that a row takes in addition to its stored form and its result while its samples become numbers. */
export function numberBytes(picture: Picture): number {
  const { bits, float, planar, samples, blockWidth } = picture;
  const made = (bits % 8 !== 0 && !isPacked(picture)) || (float && bits < 32);
  return made ? 6 * blockWidth * (planar ? 1 : samples) : 0;
}

/**
 * Returns the number of rows that are stored together, and their bytes: several if one sample of chroma
 * covers more than one row.
 */
export function storedRows(picture: Picture): { readonly rows: number; readonly bytes: number } {
  const { ycc, blockWidth } = picture;
  if (!ycc || !isSubsampled(ycc)) return { rows: 1, bytes: rowBytes(picture) };
  return { rows: ycc.down, bytes: unitRowBytes(ycc, blockWidth) };
}

/** Returns the bytes of one row of a strip or tile, with chroma as large as luma. */
export function rowBytes(picture: Picture): number {
  return Math.ceil((picture.blockWidth * (picture.planar ? 1 : picture.samples) * picture.bits) / 8);
}
