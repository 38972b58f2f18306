// Types of `smalti/imaging`. The README.md next to it has an example.

/** Random access to the bytes of a file. */
export interface ByteSource {
  /** Length in bytes, if known. */
  readonly size?: number | undefined;
  /** Returns bytes `offset` to `offset + length`; fewer only at the end of the file, and none after it. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** All bytes of a file, or ranges of them on demand. They must not change while the same object is used. */
export type FileBytes = Uint8Array | ByteSource;

/** A rectangle of whole pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Meaning of samples. YCbCr is named ycc; CMYK samples are inks. */
export type Interpretation = "gray" | "rgb" | "ycc" | "cmyk" | "lab";

/** Facts of one page of a file, from its header alone. */
export interface ImageHeader {
  readonly format: "jpg" | "png" | "webp" | "gif" | "tif" | "jp2" | "avif" | "jxl" | "pdf";
  /** Width as stored, before orientation. */
  readonly width: number;
  readonly height: number;
  /** Samples per pixel as `read` returns them, including alpha. */
  readonly bands: number;
  readonly depth: 8 | 16;
  readonly interpretation: Interpretation;
  /** Orientation in EXIF numbering, 1 to 8. */
  readonly orientation: number;
  /** Number of images in the file. */
  readonly pages: number;
  /** Set if the file has more pages, which cannot be read: too many, or after a damaged one. */
  readonly pagesCut?: "limit" | "damage";
  /** Kind within the format, in human-readable form: "progressive", "lzw", "htj2k". */
  readonly variant: string;
  /** Reason why this file cannot be read, if the header shows it. */
  readonly unsupported?: string | undefined;
}

/**
 * Decoded pixels: rows from the top without padding, the bands of a pixel side by side, alpha last and not
 * premultiplied.
 */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly interpretation: Interpretation;
  /** Samples from 0 to 255, or from 0 to 65535 for 16 bits. */
  readonly data: Uint8Array | Uint16Array;
  /** True if part of the file is missing or damaged, and shown as gray or white. */
  readonly incomplete?: boolean | undefined;
}

/** Request for a derivative of a file. Coordinates are those of the upright image. */
export interface DerivativeRequest {
  readonly format: "jpg" | "png" | "webp" | "tif" | "jp2" | "avif" | "jxl";
  /** Region in full-size pixels; the whole image by default. */
  readonly region?: Rectangle;
  /**
   * Size in pixels. If only one of the two is set, the other keeps the aspect ratio; without both, the region
   * keeps its size.
   */
  readonly width?: number;
  readonly height?: number;
  /** Quality from 1 to 100 for JPEG, WebP, AVIF and JPEG XL; 85 by default. */
  readonly quality?: number;
  /**
   * Colour that replaces transparency in a format without it: red, green, blue, 0 to 255. White by default.
   */
  readonly background?: readonly [number, number, number];
}

/** An encoded derivative: 8 bits per sample, sRGB or gray, upright. */
export interface Encoded {
  readonly bytes: Uint8Array;
  /** See {@link Pixels}. */
  readonly incomplete?: boolean | undefined;
}

/**
 * Data derived from a file so that reads of its regions are cheap. It is plain data, to be stored next to the
 * file.
 */
export interface Sidecar {
  readonly entry: Uint8Array;
  /** Larger parts, by number. */
  readonly blocks: ReadonlyMap<number, Uint8Array>;
}

/** A page of a file. Its methods reject with an {@link ImagingError}. */
export interface Master {
  readonly header: ImageHeader;
  /** Reductions at which `read` decodes fewer pixels, in ascending order from 1. */
  readonly scaleFactors: readonly number[];
  /**
   * Returns pixels as stored, before orientation and colour management: ceil(width/scaleFactor) by
   * ceil(height/scaleFactor). The region is in full-size pixels, and is the whole image by default; its edges
   * must be multiples of `scaleFactor`, or edges of the image.
   */
  read(region?: Rectangle, scaleFactor?: number): Promise<Pixels>;
  /** Returns the plan of `derive`; its `memory` is the estimated peak bytes. */
  plan(request: DerivativeRequest): { readonly memory: number };
  derive(request: DerivativeRequest): Promise<Encoded>;
  /** Builds the sidecar of this page from the whole file; undefined for formats and files that have none. */
  buildSidecar(): Promise<Sidecar | undefined>;
}

export interface OpenOptions {
  /** Page number, from 1; 1 by default. */
  readonly page?: number;
  /** Sidecar of this page of this file. One that does not match is ignored. */
  readonly sidecar?: Sidecar;
}

/**
 * Returns the facts in the header of a page, from the first bytes of a file. Rejects with an {@link
 * ImagingError}.
 */
export function probe(file: FileBytes, page?: number): Promise<ImageHeader>;

/** Opens a page of a file for reading. Rejects as `probe` does. */
export function open(file: FileBytes, options?: OpenOptions): Promise<Master>;

/**
 * Opens a file on disk, which is read by ranges. Close it when all reads have ended. Rejects with the
 * runtime's error.
 */
export function openFile(path: string): Promise<ByteSource & { close(): Promise<void> }>;

/**
 * Names the folder `dist` of this package or a copy of it, as a path or a file URL, before the first other
 * call: for programs that are bundled, and run where the package is not installed.
 */
export function useFiles(folder: string | URL): void;

/** The error of all functions except `openFile`. Its message says what was expected and what was received. */
export class ImagingError extends Error {
  /**
   * Kind of the error. `bad-request`: arguments out of range; `not-found`: no such page; `decode`: a damaged
   * file; `unsupported`: a file that cannot be read correctly; `too-large`; `source`: bytes could not be
   * read; `changed`: the file was replaced while it was being read.
   */
  readonly kind: string;
  /** Stable code in snake_case. */
  readonly code: string;
}
