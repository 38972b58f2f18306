// Header facts of the pages of a PDF.

import { type ByteSource, ImagingError } from "../../../base/index.ts";
import type { CodecHost, Decoder } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import { openPdf, type PdfCaches, type PdfFile, unlessFailed } from "./directory/file.ts";
import { readPageLabels } from "./directory/labels.ts";
import { countPages, findPage, type PageCount, type PdfPage, pagesInOrder } from "./directory/pages.ts";
import { type InnerFormat, readInnerHeader } from "./inner.ts";
import { measureDrawing } from "./page/drawing.ts";
import { findPageImage } from "./page/page-image.ts";
import { readContent } from "./page/read-content.ts";
import { shapeOf } from "./page/shape.ts";
import { drawnHeader } from "./pdfium/header.ts";

/** What the reader of PDF files works with. */
export interface PdfTools {
  readonly host: Pick<CodecHost, "zlib">;
  readonly caches: PdfCaches;
  /** Decoders of images that a page may be. */
  readonly inner: Readonly<Record<InnerFormat, Decoder>>;
}

/**
 * Returns the header facts of a page, 1-based. `version` identifies the bytes of the file: what is read of it
 * stays in memory under it. Throws ImagingError `decode`, `unsupported` with code encrypted_pdf, `not-found`
 * with code page_not_found.
 */
export async function probePdf(
  bytes: ByteSource,
  page: number,
  tools: PdfTools,
  version: string | undefined,
): Promise<ImageHeader> {
  const name = version === undefined ? undefined : `${version} ${page}`;
  return unlessFailed(tools.caches.failures, name, () => probePage(bytes, page, tools, version));
}

async function probePage(
  bytes: ByteSource,
  page: number,
  tools: PdfTools,
  version: string | undefined,
): Promise<ImageHeader> {
  const file = await openPdf(bytes, tools.host.zlib, tools.caches, version);
  const count = await countPages(file);
  if (!Number.isInteger(page) || page < 1 || page > count.pages)
    throw new ImagingError(
      "not-found",
      `Expected a page from 1 to ${count.pages} of this PDF file, received ${page}.`,
      { code: "page_not_found" },
    );
  const label = (await readPageLabels(file))?.(page - 1);
  return describePage(bytes, file, { page: await findPage(file, page), count, label }, tools);
}

/** Yields the header facts of the first `count` pages, as `Decoder.probePages` does. */
export async function* probePdfPages(
  bytes: ByteSource,
  count: number,
  tools: PdfTools,
  version: string | undefined,
): AsyncGenerator<ImageHeader | ImagingError> {
  const file = await openPdf(bytes, tools.host.zlib, tools.caches, version);
  const all = await countPages(file);
  const labelOf = await readPageLabels(file);
  file.renew();
  let index = -1;
  for await (const page of pagesInOrder(file)) {
    if (++index >= Math.min(count, all.pages)) return;
    const label = labelOf?.(index);
    try {
      yield page instanceof ImagingError
        ? page
        : await describePage(bytes, file, { page, count: all, label }, tools);
    } catch (error) {
      if (!(error instanceof ImagingError) || error.kind === "source") throw error;
      yield error;
    }
  }
}

/** A page, and what its file says about it. */
interface PageOfFile {
  readonly page: PdfPage;
  readonly count: PageCount;
  readonly label: string | undefined;
}

async function describePage(
  bytes: ByteSource,
  file: PdfFile,
  { page, count, label }: PageOfFile,
  { inner, host }: PdfTools,
): Promise<ImageHeader> {
  const shape = await shapeOf(file, page);
  const content = await readContent(file, page);
  const found = await findPageImage(file, page, shape, content);
  const header =
    "reason" in found
      ? found
      : await readInnerHeader(bytes, found, { decoder: inner[found.format], zlib: host.zlib }).catch(
          reasonOf,
        );
  const described =
    "reason" in header
      ? drawnHeader(await measureDrawing(file, page, shape, content), header.reason)
      : header;
  return {
    ...described,
    pages: count.pages,
    ...(count.cut && { pagesCut: count.cut }),
    ...(label !== undefined && { pageLabel: label }),
  };
}

/** Returns why an image that its own decoder cannot read is drawn. Throws what is no error of the image. */
function reasonOf(error: unknown): { readonly reason: string } {
  if (error instanceof ImagingError && (error.kind === "decode" || error.kind === "unsupported"))
    return { reason: "its image is damaged or of an unusual kind" };
  throw error;
}
