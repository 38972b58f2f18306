// Storage of a page of a PDF: that of its image, in a PDF.

import type { ByteSource } from "../../../base/index.ts";
import type { FileFacts } from "../file-facts.ts";
import type { ImageHeader } from "../image-header.ts";
import { jp2Facts } from "../jp2/facts.ts";
import { readJpegFacts } from "../jpg/facts.ts";
import { type InnerFormat, innerBytes, innerFormat } from "./inner.ts";

const readers: Readonly<Record<InnerFormat, typeof jp2Facts>> = { jpg: readJpegFacts, jp2: jp2Facts };

/** Returns the facts of the image that a page is. Throws ImagingError `decode`. */
export async function pdfFacts(bytes: ByteSource, header: ImageHeader): Promise<FileFacts> {
  const format = innerFormat(header);
  const facts = format && (await readers[format](innerBytes(bytes, header), header));
  return { ...facts, container: facts?.container ? `PDF, ${facts.container}` : "PDF" };
}
