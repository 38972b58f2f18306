// What image files carry beside their pixels, freed of the framing of their container.

/** Each block as its own specification gives it; absent where the file has none. */
export interface Blocks {
  /** An ICC profile (ICC.1). */
  readonly icc?: Uint8Array;
  /** EXIF, from its TIFF header on, without "Exif\0\0". */
  readonly exif?: Uint8Array;
  /** An XMP packet in UTF-8. */
  readonly xmp?: Uint8Array;
  /** IPTC IIM data sets, without Photoshop's resource around them. */
  readonly iptc?: Uint8Array;
}

/** Blocks of a file are read up to this many bytes together; larger ones count as absent. */
export const mostBlockBytes = 16 * 2 ** 20;

/** Which blocks to read: all, or only what tells the colours. */
export type BlockKinds = "icc" | "all";
