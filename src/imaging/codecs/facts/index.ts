// Facts of files by format, one row each.

import type { ByteSource } from "../../../base/index.ts";
import type { ImageHeader, SourceFormat } from "../image-header.ts";
import type { FileFacts } from "./file-facts.ts";
import { gifFacts } from "./gif.ts";
import { jp2Facts } from "./jp2.ts";
import { jpegFacts } from "./jpg.ts";
import { pngFacts } from "./png.ts";
import { tiffFacts } from "./tif.ts";
import { webpFacts } from "./webp.ts";

export type { FileFacts, StoredSize } from "./file-facts.ts";

/**
 * Reads the facts of the page that a header describes. Throws ImagingError `decode` for a damaged file, and
 * what the source throws.
 */
export type ReadFacts = (bytes: ByteSource, header: ImageHeader, page: number) => Promise<FileFacts>;

const readers = {
  jpg: jpegFacts,
  png: pngFacts,
  gif: gifFacts,
  tif: tiffFacts,
  webp: webpFacts,
  jp2: jp2Facts,
} as const satisfies Record<SourceFormat, ReadFacts>;

/** Reads the facts of a header's file. Throws as {@link ReadFacts} does. */
export const readFileFacts: ReadFacts = (bytes, header, page) => readers[header.format](bytes, header, page);
