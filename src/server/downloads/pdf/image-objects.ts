// Images and their colours as objects of a PDF file (ISO 32000-1, 8.6 and 8.9).

import { sha256, toHex } from "../../../base/index.ts";
import type { Piece } from "../pieces.ts";
import type { ObjectFile } from "./object-file.ts";
import { decimal, ref } from "./syntax.ts";

/** An image in a form that readers of PDF files decode themselves. */
export interface PdfImage {
  readonly filter: "DCTDecode" | "JPXDecode";
  /** Stored pixels. */
  readonly width: number;
  readonly height: number;
  /** Number of bands, each of 8 bits. */
  readonly bands: 1 | 3;
  /** ICC profile with as many components; absent: sRGB, or its tone curve. */
  readonly profile?: Uint8Array | undefined;
  /** False if a JPEG of three bands has no YCbCr and no marker that says so. */
  readonly isYcc?: boolean;
  /** EXIF orientation that the page has to turn it by. */
  readonly orientation: number;
  readonly file: Piece;
}

/** Yields an image and its profile, which pages share: `profiles` has their numbers by digest. */
export async function* imageObjects(
  file: ObjectFile,
  number: number,
  image: PdfImage,
  profiles: Map<string, number>,
): AsyncGenerator<Piece> {
  const { filter, width, height, bands, profile, isYcc = true } = image;
  let colours = bands === 1 ? "/DeviceGray" : "/DeviceRGB";
  if (profile) {
    const name = toHex(await sha256(profile));
    let known = profiles.get(name);
    if (known === undefined) {
      known = file.reserve();
      profiles.set(name, known);
      yield* file.stream(known, { N: String(bands) }, profile);
    }
    colours = `[/ICCBased ${ref(known)}]`;
  }
  const entries = {
    Type: "/XObject",
    Subtype: "/Image",
    Width: String(width),
    Height: String(height),
    ColorSpace: colours,
    BitsPerComponent: "8",
    Filter: `/${filter}`,
    ...(!isYcc && bands === 3 && { DecodeParms: "<< /ColorTransform 0 >>" }),
  };
  yield* file.stream(number, entries, image.file);
}

/**
 * Returns the matrix that puts the unit square, whose top is the first row of an image, upright on a page, by
 * the EXIF orientation.
 */
export function matrixOf(orientation: number, w: number, h: number): string {
  const rows: Readonly<Record<number, readonly number[]>> = {
    2: [-w, 0, 0, h, w, 0],
    3: [-w, 0, 0, -h, w, h],
    4: [w, 0, 0, -h, 0, h],
    5: [0, -h, -w, 0, w, h],
    6: [0, -h, w, 0, 0, h],
    7: [0, h, w, 0, 0, 0],
    8: [0, h, -w, 0, w, 0],
  };
  return (rows[orientation] ?? [w, 0, 0, h, 0, 0]).map(decimal).join(" ");
}
