// How a JPEG XL file stores its image, and whether its end is missing.

import type { ByteSource } from "../../../base/index.ts";
import { boxBytes } from "../boxes.ts";
import type { Cut, SizedSource } from "../cut.ts";
import type { FileFacts } from "../file-facts.ts";
import { spaces } from "./codestream.ts";
import { readFile } from "./file.ts";
import { hasAlpha, readJxlHeader } from "./header.ts";

/** Returns facts of the headers. Throws ImagingError `decode`. */
export async function jxlFacts(bytes: ByteSource): Promise<FileFacts> {
  const { file, stream } = await readJxlHeader(bytes);
  const { bits, isFloat, extra, isXyb, colour } = stream;
  const colours = colour.space === spaces.gray ? 1 : 3;
  return {
    container: file.isBoxed ? "JPEG XL" : "JPEG XL codestream",
    bits: Array.from({ length: colours + extra.length }, () => bits),
    sampleFormat: isFloat ? "floating point" : "unsigned integer",
    colours: isXyb ? "XYB" : colours === 1 ? "gray" : "RGB",
    ...(hasAlpha(stream) && { transparency: "alpha for each pixel" }),
    compression: file.isJpeg ? "recoded JPEG" : "JPEG XL",
    // Only frames show if samples are exact.
    ...(isXyb && { lossless: false }),
    layout: "whole",
  };
}

/** A file with boxes ends behind the last part of its codestream; the end of one without is not known. */
export async function jxlCut(source: SizedSource): Promise<Cut | undefined> {
  const { isBoxed, codestream } = await readFile(boxBytes(source), source.size);
  const end = Math.max(...codestream.map(({ offset, length }) => offset + length));
  return isBoxed && end > source.size ? "picture" : undefined;
}
