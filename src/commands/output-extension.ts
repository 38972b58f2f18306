// Compares the extension of a file to write with the format of the derivative in it.

import { type Format, mediaType } from "../iiif/image/formats.ts";
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
 * programs would take the file for what it is not. Any other name is accepted. `request`: what chooses the
 * format; absent if nothing does.
 */
export function refuseOtherExtension(output: string, format: Format, request?: string): void {
  const [, before = "", extension = ""] = /^(.*[^/\\])\.([A-Za-z0-9]+)$/s.exec(output) ?? [];
  const lower = extension.toLowerCase();
  if (!Object.hasOwn(formats, lower) || formats[lower] === format) return;
  const renamed = `-o ${before}.${format}`;
  const other = formats[lower];
  const asked = other && request?.replace(/[A-Za-z0-9]+$/, other);
  const chosen = request === undefined ? "this command writes" : "the request asks for";
  throw new UsageError(
    `-o ${output} is the name of another format than ${mediaType(format)}, which ${chosen}; write ${renamed}${asked === undefined ? "" : `, or request ${asked}`}`,
  );
}
