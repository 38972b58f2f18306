// What image files hold beside their pixels, freed of the framing of their container.

/** Each kind as its own specification lays it out; absent where the file has none. */
export interface Metadata {
  /** An ICC profile (ICC.1). */
  readonly icc?: Uint8Array | undefined;
  /** EXIF, from its TIFF header on, without "Exif\0\0". */
  readonly exif?: Uint8Array | undefined;
  /** An XMP packet in UTF-8. */
  readonly xmp?: Uint8Array | undefined;
  /** IPTC IIM data sets, without Photoshop's resource around them. */
  readonly iptc?: Uint8Array | undefined;
}

/** Metadata of a file is read up to this many bytes together; what is larger counts as absent. */
export const mostMetadataBytes = 16 * 2 ** 20;

/** Which kinds to read: all, or only those that colours follow from. */
export type MetadataKinds = "icc" | "all";
