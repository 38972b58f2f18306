// Compares the extension of a file to write with the format of the derivative in it.

import { type Format, mediaType } from "../../iiif/index.ts";
import { UsageError } from "./command-error.ts";

/** Extensions of image files in lower case, with the format that is written under it, if there is one. */
const formats: Readonly<Record<string, Format | undefined>> = {
  jpg: "jpg",
  jpeg: "jpg",
  jpe: "jpg",
  jfif: "jpg",
  png: "png",
  apng: undefined,
  tif: "tif",
  tiff: "tif",
  ptif: "tif",
  ptiff: "tif",
  webp: "webp",
  jp2: "jp2",
  jpx: undefined,
  jpf: undefined,
  j2k: undefined,
  jph: undefined,
  gif: undefined,
  avif: undefined,
  heic: undefined,
  jxl: undefined,
  bmp: undefined,
  svg: undefined,
  pdf: undefined,
};

/**
 * Throws UsageError if the extension of `output` is that of another format than the one that is written:
 * programs would take the file for what it is not. Any other name is accepted. `request`: the address that
 * chooses the format.
 */
export function refuseOtherExtension(output: string, format: Format, request: string): void {
  const [, before = "", extension = ""] = /^(.*[^/\\])\.([A-Za-z0-9]+)$/s.exec(output) ?? [];
  const lower = extension.toLowerCase();
  if (!Object.hasOwn(formats, lower) || formats[lower] === format) return;
  const other = formats[lower];
  const asked = other && request.replace(/[A-Za-z0-9]+$/, other);
  throw new UsageError(
    `-o ${output} is the name of another format than ${mediaType(format)}, which the request asks for; write -o ${before}.${format}${asked === undefined ? "" : `, or request ${asked}`}`,
  );
}
