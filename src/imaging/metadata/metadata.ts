// Metadata of image files, without the framing of their container.

/** Each kind in the form of its own specification; absent if the file has none. */
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

/** Maximum total size of a file's metadata; larger metadata count as absent. */
export const maxMetadataBytes = 16 * 2 ** 20;

/** Which kinds to read: all, or only those that colours follow from. */
export type MetadataKinds = "icc" | "all";

/** Metadata found so far, the first of each kind. */
export type FoundMetadata = { -readonly [K in keyof Metadata]?: Uint8Array | undefined };
