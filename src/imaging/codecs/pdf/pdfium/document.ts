// A PDF file in an instance of PDFium, and regions of its pages as pixels.

import { ImagingError, type Size } from "../../../../base/index.ts";
import type { StoredWord } from "../../codec.ts";
import type { SizedSource } from "../../cut.ts";
import { damagedPdf } from "../../damaged.ts";
import type { Rectangle } from "../../image-header.ts";
import { createPdfium, type MemoryLimit, type PdfiumExports } from "./module.ts";
import { readWords } from "./words.ts";

/** Bytes of a file that are read together. */
const readBytes = 2 ** 20;

/** FPDFBitmap_BGRx: four bytes for each pixel. */
const [bitmapFormat, bytesPerPixel] = [3, 4];
/** FPDF_ANNOT: annotations that have an appearance are shown. */
const flags = 1;
const white = 0xffffffff;
/** FS_MATRIX and FS_RECTF. */
const [matrixBytes, rectangleBytes] = [24, 16];

/** A region of a page to render. */
export interface PageRegion {
  /** 1-based. */
  readonly page: number;
  /** Size of the whole page in pixels of the result. */
  readonly width: number;
  readonly height: number;
  /** In the same pixels. */
  readonly region: Rectangle;
}

/** A file that PDFium has opened. */
export class PdfDocument {
  readonly #pdfium: PdfiumExports;
  readonly #document: number;
  readonly #limit: MemoryLimit;
  /** The page that was rendered last: its decoded images stay in memory. */
  #open: { readonly page: number; readonly pointer: number } | undefined;

  private constructor(pdfium: PdfiumExports, document: number, limit: MemoryLimit) {
    this.#pdfium = pdfium;
    this.#document = document;
    this.#limit = limit;
  }

  /**
   * Reads a whole file into an instance of its own, which may grow to `limit` bytes. Throws ImagingError
   * `decode`, `too-large` and what the source throws.
   */
  static async open(module: WebAssembly.Module, file: SizedSource, bytes: number): Promise<PdfDocument> {
    const limit = { bytes };
    const pdfium = createPdfium(module, limit);
    const data = allocate(pdfium, file.size);
    for (let at = 0; at < file.size; at += readBytes) {
      const part = await file.read(at, Math.min(readBytes, file.size - at));
      new Uint8Array(pdfium.memory.buffer).set(part, data + at);
    }
    const document = pdfium.FPDF_LoadMemDocument64(data, file.size, 0);
    if (document === 0)
      throw damagedPdf("a file that PDFium opens", `its error ${pdfium.FPDF_GetLastError()}`);
    return new PdfDocument(pdfium, document, limit);
  }

  /** Sets how large the memory of the instance may be from now on. */
  set limit(bytes: number) {
    this.#limit.bytes = bytes;
  }

  /** Bytes of the memory of the instance. */
  get memory(): number {
    return this.#pdfium.memory.buffer.byteLength;
  }

  /** Returns RGB samples of a region, on white. Throws ImagingError `decode` and `too-large`. */
  render({ page, width, height, region }: PageRegion): Uint8Array {
    const pdfium = this.#pdfium;
    const pointer = this.#openPage(page);
    const bytes = bytesPerPixel * region.width * region.height;
    const samples = allocate(pdfium, bytes + matrixBytes + rectangleBytes);
    const bitmap = pdfium.FPDFBitmap_CreateEx(
      region.width,
      region.height,
      bitmapFormat,
      samples,
      bytesPerPixel * region.width,
    );
    if (bitmap === 0) throw damagedPdf("a bitmap", "none");
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, region.width, region.height, white);
    // PDFium draws the page on whole points before it applies the matrix.
    const across = width / Math.max(1, Math.trunc(pdfium.FPDF_GetPageWidthF(pointer)));
    const down = height / Math.max(1, Math.trunc(pdfium.FPDF_GetPageHeightF(pointer)));
    const matrix = samples + bytes;
    const view = new DataView(pdfium.memory.buffer);
    for (const [i, value] of [across, 0, 0, down, -region.x, -region.y].entries())
      view.setFloat32(matrix + 4 * i, value, true);
    for (const [i, value] of [0, 0, region.width, region.height].entries())
      view.setFloat32(matrix + matrixBytes + 4 * i, value, true);
    pdfium.FPDF_RenderPageBitmapWithMatrix(bitmap, pointer, matrix, matrix + matrixBytes, flags);
    pdfium.FPDFBitmap_Destroy(bitmap);
    const result = rgbOf(new Uint8Array(pdfium.memory.buffer, samples, bytes));
    pdfium.free(samples);
    return result;
  }

  /**
   * Returns the lines of a page (1-based) that is shown in the given size, each with words. Throws
   * ImagingError `decode` and `too-large`.
   */
  words(page: number, size: Size): StoredWord[][] {
    return readWords(this.#pdfium, this.#openPage(page), size);
  }

  #openPage(page: number): number {
    if (this.#open?.page === page) return this.#open.pointer;
    if (this.#open) this.#pdfium.FPDF_ClosePage(this.#open.pointer);
    this.#open = undefined;
    const pointer = this.#pdfium.FPDF_LoadPage(this.#document, page - 1);
    if (pointer === 0) throw damagedPdf(`page ${page}`, `PDFium's error ${this.#pdfium.FPDF_GetLastError()}`);
    this.#open = { page, pointer };
    return pointer;
  }
}

function allocate(pdfium: PdfiumExports, bytes: number): number {
  const pointer = pdfium.malloc(Math.max(1, bytes));
  if (pointer === 0) throw new ImagingError("too-large", "This page of a PDF needs too much memory.");
  return pointer >>> 0;
}

/** Returns RGB of BGRx. */
function rgbOf(samples: Uint8Array): Uint8Array {
  const result = new Uint8Array((samples.length / 4) * 3);
  for (let from = 0, to = 0; from < samples.length; from += 4, to += 3) {
    result[to] = samples[from + 2]!;
    result[to + 1] = samples[from + 1]!;
    result[to + 2] = samples[from]!;
  }
  return result;
}
