// How a file stores its picture, beyond what reading it needs: facts for people who ask why an image looks or behaves as it does.

export interface StoredSize {
  readonly width: number;
  readonly height: number;
}

/** Facts of one page as it is stored, before palettes, subsampling or transforms are undone. What a file does not say is absent. */
export interface FileFacts {
  /** Form of the file: "JP2", "BigTIFF", "GIF89a". */
  readonly container?: string;
  readonly byteOrder?: "little endian" | "big endian";
  /** Bits of a sample, one number for each sample of a pixel. */
  readonly bits?: readonly number[];
  readonly sampleFormat?: "unsigned integer" | "signed integer" | "floating point";
  /** What the samples mean: "YCbCr", "palette". */
  readonly colours?: string;
  /** Colours of the palette. */
  readonly paletteEntries?: number;
  readonly transparency?: string;
  readonly compression?: string;
  readonly lossless?: boolean;
  readonly predictor?: "none" | "horizontal" | "floating point";
  /** How the picture is divided; "whole" where it is not. */
  readonly layout?: "tiles" | "strips" | "whole";
  /** Size of a tile or of a full strip in pixels. */
  readonly block?: StoredSize;
  /** Tiles or strips of one band, or of all where bands are interleaved. */
  readonly blocks?: number;
  /** Whether each band is stored by itself. */
  readonly planar?: boolean;
  readonly progressive?: boolean;
  readonly interlaced?: boolean;
  /** Samples of chroma, as "4:2:0", or the factors of all components where they have no such name. */
  readonly subsampling?: string;
  /** MCUs between restart markers; 0: there are none. */
  readonly restartInterval?: number;
  /** Reduced pictures that the file holds beside the full one, or that can be decoded from it by themselves. */
  readonly levels?: readonly StoredSize[];
  /** JPEG 2000: order of packets, layers of quality, levels of the wavelet and its kind, code-blocks. */
  readonly progression?: string;
  readonly layers?: number;
  readonly decompositions?: number;
  readonly wavelet?: "reversible 5-3" | "irreversible 9-7";
  readonly codeBlock?: StoredSize;
  /** JPEG 2000: from the smallest resolution up; absent where a precinct is a whole resolution. */
  readonly precincts?: readonly StoredSize[];
  /** JPEG 2000: marker segments that say where tile-parts and packets lie: TLM, PLM, PLT. */
  readonly pointers?: readonly string[];
}

/** The picture at 1/2, 1/4 and so on, `count` times. */
export function halvings({ width, height }: StoredSize, count: number): StoredSize[] {
  return Array.from({ length: count }, (_, i) => ({
    width: Math.ceil(width / 2 ** (i + 1)),
    height: Math.ceil(height / 2 ** (i + 1)),
  }));
}
