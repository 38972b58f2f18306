// A picture of a TIFF file: how its samples are stored and what they become.

import type { Interpretation } from "../../../pipeline/pixels.ts";
import { isSubsampled, unitRowBytes, type YccCoding } from "../samples/ycc.ts";

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly compression: number;
  readonly photometric: number;
  /** Stored bits of one sample. */
  readonly bits: number;
  readonly float: boolean;
  /** Stored samples of one pixel. */
  readonly samples: number;
  /** Whether each sample has its own strips or tiles. */
  readonly planar: boolean;
  readonly predictor: number;
  readonly reversedBits: boolean;
  readonly alpha: "none" | "straight" | "associated";
  /** Which stored sample is alpha, from 0; it comes out behind the colours. */
  readonly alphaAt: number;
  /** How luma and chroma are stored, where that is not up to the compression. */
  readonly ycc?: YccCoding;
  readonly tiled: boolean;
  /** Size of a stored tile, or of a full strip. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** What comes out. */
  readonly bands: number;
  readonly depth: 8 | 16;
  readonly interpretation: Interpretation;
  /** Why it is refused, in words for the caller. */
  readonly unsupported?: string;
}

/** Rows that are stored together, and their bytes: several where one sample of chroma is for more than one row. */
export function storedRows(picture: Picture): { readonly rows: number; readonly bytes: number } {
  const { ycc, blockWidth } = picture;
  if (!ycc || !isSubsampled(ycc)) return { rows: 1, bytes: rowBytes(picture) };
  return { rows: ycc.down, bytes: unitRowBytes(ycc, blockWidth) };
}

/** Bytes of one row of a strip or tile, chroma as large as luma. */
export function rowBytes(picture: Picture, width = picture.blockWidth): number {
  return Math.ceil((width * (picture.planar ? 1 : picture.samples) * picture.bits) / 8);
}
