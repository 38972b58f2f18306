// Images as their files store them, for another container such as a PDF file.

import type { ByteRange, ByteSource } from "../../base/index.ts";
import type { ImageHeader } from "./image-header.ts";
import { storedJp2 } from "./jp2/stored.ts";
import { storedJpeg } from "./jpg/lossless/stored.ts";
import { hasOwnProfile, innerBytes, innerFormat, innerLength, innerOffset } from "./pdf/inner.ts";

/** An image that decoders of PDF files read as it is stored. */
export interface StoredImage {
  readonly format: keyof typeof readers;
  readonly bands: 1 | 3;
  /** True if its three bands are luma and chroma; absent for other formats than JPEG. */
  readonly isYcc?: boolean;
  /** Its ICC profile, if that fits its bands; absent: sRGB, or its tone curve. */
  readonly profile?: Uint8Array | undefined;
  /** The ranges of the file to take, in their order. */
  readonly parts: readonly ByteRange[];
  /** Returns a function that clears metadata in the bytes of `parts`, all of which have to pass it. */
  readonly blank?: () => (part: Uint8Array) => Uint8Array;
}

const readers = { jpg: storedJpeg, jp2: storedJp2 } as const;

const formatOf = (header: ImageHeader) => innerFormat(header) ?? header.format;

/**
 * Returns the bytes that an image takes in a file of `fileSize` bytes, of which it may be a part; undefined
 * if its header says that no other container takes it as it is stored.
 */
export function storedBytes(header: ImageHeader, fileSize: number): number | undefined {
  const { depth, bands } = header;
  if (!Object.hasOwn(readers, formatOf(header)) || depth !== 8 || (bands !== 1 && bands !== 3))
    return undefined;
  if (!innerFormat(header)) return fileSize;
  // A profile of the page would have to be found and inflated.
  return hasOwnProfile(header) ? undefined : innerLength(header);
}

/**
 * Returns how an image is stored; undefined if not all programs that show PDF files read it so. `strips`:
 * leaves out all metadata but its profile. Throws ImagingError `decode`, and what the source throws.
 */
export async function storedImage(
  bytes: ByteSource,
  header: ImageHeader,
  strips: boolean,
): Promise<StoredImage | undefined> {
  if (storedBytes(header, 0) === undefined) return undefined;
  const format = formatOf(header) as keyof typeof readers;
  const isInner = innerFormat(header) !== undefined;
  const stored = await readers[format](isInner ? innerBytes(bytes, header) : bytes, strips);
  if (!stored) return undefined;
  const start = isInner ? innerOffset(header) : 0;
  const parts = stored.parts.map(({ offset, length }) => ({ offset: start + offset, length }));
  return { ...stored, format, parts };
}
