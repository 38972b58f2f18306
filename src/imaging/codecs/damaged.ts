// The errors for damaged files and data, of the kind `decode`: what was expected, and what was received.

import { ImagingError } from "../../base/index.ts";

const contentError = (where: string, advice: string) => (expected: string, received: string) =>
  new ImagingError("decode", `Expected ${expected} ${where}, received ${received}; ${advice}.`);

const positionError = (format: string) => (where: string) =>
  new ImagingError(
    "decode",
    `Expected an intact ${format}, received one that is damaged at ${where}: replace the file.`,
  );

const structureError = (format: string) => (expected: string, cause?: unknown) =>
  new ImagingError("decode", `The ${format} file is damaged: expected ${expected}.`, { cause });

export const damagedGif = positionError("GIF");
export const damagedPng = positionError("PNG");
export const damagedJp2 = structureError("JPEG 2000");
export const damagedJxl = structureError("JPEG XL");
export const damagedAvif = structureError("AVIF");
export const damagedTif = contentError("of the TIFF file", "check or replace the file");
export const damagedPdf = contentError(
  "in the PDF file",
  "repair it with `qpdf IN.pdf OUT.pdf`, or replace it",
);
export const damagedLzma = contentError("in data compressed by LZMA", "check or replace the file");
export const damagedZstd = contentError("in Zstandard data", "the file may be damaged");
export const damagedWebpHeader = structureError("WebP");

/** Returns the error of a WebP file that is not intact, and why. */
export const damagedWebp = (why: string, cause?: unknown): ImagingError =>
  new ImagingError("decode", `Expected an intact WebP file, but ${why}; the file may be damaged.`, { cause });

/** Returns the error of a broken structure before the scans of a JPEG file. */
export const damagedJpgHeader = (expected: string, received: string): ImagingError =>
  new ImagingError(
    "decode",
    `Expected ${expected} in the header of the JPEG file; received ${received}. Replace the source file.`,
    { code: "damaged_header" },
  );
