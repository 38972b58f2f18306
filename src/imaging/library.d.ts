// Types of `smalti/imaging`. README.md beside it has an example.

/** Random access to the bytes of a file. */
export interface ByteSource {
  /** Length in bytes, if it is known. */
  readonly size?: number | undefined;
  /** Bytes `offset` to `offset + length`; fewer only at the end of the file, and none behind it. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** All bytes of a file, or ranges of them as they are needed. */
export type FileBytes = Uint8Array | ByteSource;

/** A rectangle of whole pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How samples are to be understood. YCbCr is named ycc; CMYK samples are inks. */
export type Interpretation = "gray" | "rgb" | "ycc" | "cmyk" | "lab";

/** Facts of one page of a file, from its header alone. */
export interface ImageHeader {
  readonly format: "jpg" | "png" | "webp" | "gif" | "tif" | "jp2";
  /** As stored, before orientation. */
  readonly width: number;
  readonly height: number;
  /** Samples of a pixel as `read` returns them, alpha included. */
  readonly bands: number;
  readonly depth: 8 | 16;
  readonly interpretation: Interpretation;
  /** EXIF numbering, 1 to 8. */
  readonly orientation: number;
  /** Pictures in the file. */
  readonly pages: number;
  /** The kind within the format, in words for people: "progressive", "lzw", "htj2k". */
  readonly variant: string;
  /** Why this file cannot be read, if its header is enough to say so. */
  readonly unsupported?: string | undefined;
}

/** Decoded pixels: rows from the top without padding, the bands of a pixel side by side, alpha last and not premultiplied. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly interpretation: Interpretation;
  /** 0 to 255, or 0 to 65535 for samples of 16 bits. */
  readonly data: Uint8Array | Uint16Array;
  /** True if part of the file is missing or damaged, and gray or white stands for it. */
  readonly incomplete?: boolean | undefined;
}

/** A derivative of a file. Coordinates are those of the upright picture. */
export interface DerivativeRequest {
  readonly format: "jpg" | "png" | "webp" | "tif" | "jp2";
  /** In full-size pixels; the whole picture by default. */
  readonly region?: Rectangle;
  /** Pixels. If only one of the two is given, the other keeps the aspect ratio; without both the region keeps its size. */
  readonly width?: number;
  readonly height?: number;
  /** 1 to 100 for JPEG and WebP; 85 by default. */
  readonly quality?: number;
  /** What transparent pixels show in a format without transparency: red, green, blue, 0 to 255. White by default. */
  readonly background?: readonly [number, number, number];
}

/** An encoded derivative: 8 bits a sample, sRGB or gray, upright. */
export interface Encoded {
  readonly bytes: Uint8Array;
  /** As in {@link Pixels}. */
  readonly incomplete?: boolean | undefined;
}

/** What is derived from a file so that reads of its regions are cheap. Plain data, to be stored beside the file. */
export interface Sidecar {
  readonly entry: Uint8Array;
  /** The larger parts, by number. */
  readonly blocks: ReadonlyMap<number, Uint8Array>;
}

/** A page of a file. Its methods reject with an {@link ImagingError}. */
export interface Master {
  readonly header: ImageHeader;
  /** Reductions at which `read` decodes fewer pixels: ascending, beginning with 1. */
  readonly scaleFactors: readonly number[];
  /**
   * Pixels as they are stored, before orientation and colour management: ceil(width/scaleFactor) by ceil(height/scaleFactor). The region is
   * in full-size pixels, by default all; its edges are multiples of `scaleFactor`, or those of the picture.
   */
  read(region?: Rectangle, scaleFactor?: number): Promise<Pixels>;
  /** What `derive` would do; `memory`: its estimated peak bytes. */
  plan(request: DerivativeRequest): { readonly memory: number };
  derive(request: DerivativeRequest): Promise<Encoded>;
  /** Builds the sidecar of this page from the whole file; undefined for formats and files that have none. */
  buildSidecar(): Promise<Sidecar | undefined>;
}

export interface OpenOptions {
  /** 1-based; 1 by default. */
  readonly page?: number;
  /** That of this page of this file. One that does not fit is ignored. */
  readonly sidecar?: Sidecar;
}

/** The facts in the header of a page, from the first bytes of a file. Rejects with an {@link ImagingError}. */
export function probe(file: FileBytes, page?: number): Promise<ImageHeader>;

/** A page of a file, ready to be read. Rejects as `probe` does. */
export function open(file: FileBytes, options?: OpenOptions): Promise<Master>;

/** A file on disk, read by ranges. Close it when no read is under way any more. Rejects with the error of the runtime. */
export function openFile(path: string): Promise<ByteSource & { close(): Promise<void> }>;

/** What everything rejects with but `openFile`. Its message says what was expected and what was received. */
export class ImagingError extends Error {
  /**
   * `bad-request`: arguments out of range; `not-found`: no such page; `decode`: a damaged file; `unsupported`: a file that
   * cannot be read right; `too-large`; `source`: bytes could not be read; `changed`: the file was replaced meanwhile.
   */
  readonly kind: string;
  /** Stable, in snake_case. */
  readonly code: string;
}
