// Facts about the storage of an image in its file, beyond those needed to read it: for people who ask why an
// image looks or behaves as it does.

import type { ByteSource, Size } from "../../base/index.ts";
import type { ImageHeader } from "./image-header.ts";

/**
 * Facts of one page as stored, before palettes, subsampling or transforms are undone. Facts that a file does
 * not state are absent.
 */
export interface FileFacts {
  /** Form of the file: "JP2", "BigTIFF", "GIF89a". */
  readonly container?: string;
  readonly byteOrder?: "little endian" | "big endian";
  /** Bits of each sample of a pixel. */
  readonly bits?: readonly number[];
  readonly sampleFormat?: "unsigned integer" | "signed integer" | "floating point";
  /** Meaning of the samples: "YCbCr", "palette". */
  readonly colours?: string;
  /** Colours of the palette. */
  readonly paletteEntries?: number;
  readonly transparency?: string;
  readonly compression?: string;
  readonly lossless?: boolean;
  readonly predictor?: "none" | "horizontal" | "floating point";
  /** Division of the image; "whole" if it is not divided. */
  readonly layout?: "tiles" | "strips" | "whole";
  /** Size of a tile or of a full strip in pixels. */
  readonly block?: Size;
  /** Tiles or strips of one band, or of all if bands are interleaved. */
  readonly blocks?: number;
  /** True if each band is stored separately. */
  readonly planar?: boolean;
  readonly progressive?: boolean;
  readonly interlaced?: boolean;
  /** Chroma subsampling, such as "4:2:0", or the factors of all components if there is no such name. */
  readonly subsampling?: string;
  /** MCUs between restart markers; 0 if there are none. */
  readonly restartInterval?: number;
  /** Reduced images that the file contains, or that can be decoded from it directly. */
  readonly levels?: readonly Size[];
  /** JPEG 2000: packet order, quality layers, wavelet levels and kind, code-blocks. */
  readonly progression?: string;
  readonly layers?: number;
  readonly decompositions?: number;
  readonly wavelet?: "reversible 5-3" | "irreversible 9-7";
  readonly codeBlock?: Size;
  /** JPEG 2000: from the smallest resolution up; absent if a precinct is a whole resolution. */
  readonly precincts?: readonly Size[];
  /** JPEG 2000: marker segments with positions of tile-parts and packets: TLM, PLM, PLT. */
  readonly pointers?: readonly string[];
}

/** Returns the sizes of the picture at 1/2, 1/4 and so on, `count` of them. */
export function halvings({ width, height }: Size, count: number): Size[] {
  return Array.from({ length: count }, (_, i) => ({
    width: Math.ceil(width / 2 ** (i + 1)),
    height: Math.ceil(height / 2 ** (i + 1)),
  }));
}

/**
 * Reads the facts of the page that a header describes. Throws ImagingError `decode` for a damaged file, and
 * what the source throws.
 */
export type ReadFacts = (bytes: ByteSource, header: ImageHeader, page: number) => Promise<FileFacts>;
