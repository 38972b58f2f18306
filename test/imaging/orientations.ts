// The eight orientations as Exif 2.3, tag 0x0112 draws them, stored pictures and EXIF blocks made by them.

import type { Reference as Picture } from "./codecs/reference.ts";

export const orientations = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** The stored point that an upright one shows, counted from the corners, of a stored picture of w by h. */
export const storedPoint: Readonly<
  Record<number, (x: number, y: number, w: number, h: number) => readonly [number, number]>
> = {
  1: (x, y) => [x, y],
  2: (x, y, w) => [w - x, y],
  3: (x, y, w, h) => [w - x, h - y],
  4: (x, y, _, h) => [x, h - y],
  5: (x, y) => [y, x],
  6: (x, y, _, h) => [y, h - x],
  7: (x, y, w, h) => [w - y, h - x],
  8: (x, y, w) => [w - y, x],
};

/** True if rows are stored as columns. */
export const swaps = (orientation: number): boolean => orientation > 4;

/** Returns the picture that has to be stored so that the orientation shows `upright`. */
export function storedFor(upright: Picture, orientation: number): Picture {
  const { bands } = upright;
  const [width, height] = swaps(orientation)
    ? [upright.height, upright.width]
    : [upright.width, upright.height];
  const data = new Uint8Array(upright.data.length);
  for (let y = 0; y < upright.height; y++)
    for (let x = 0; x < upright.width; x++) {
      const [u, v] = storedPoint[orientation]!(x + 0.5, y + 0.5, width, height);
      const to = (Math.floor(v) * width + Math.floor(u)) * bands;
      for (let b = 0; b < bands; b++) data[to + b] = upright.data[(y * upright.width + x) * bands + b]!;
    }
  return { width, height, bands, data };
}

/** Returns an EXIF block with nothing but the orientation, without "Exif\0\0". */
export function exifBlock(orientation: number): Uint8Array {
  const block = Buffer.alloc(26);
  block.write("MM\0*");
  block.writeUInt32BE(8, 4);
  block.writeUInt16BE(1, 8);
  block.writeUInt16BE(0x0112, 10);
  block.writeUInt16BE(3, 12);
  block.writeUInt32BE(1, 14);
  block.writeUInt16BE(orientation, 18);
  return new Uint8Array(block);
}

/** Returns an XMP packet with nothing but the orientation, as an attribute or an element. */
export function xmpPacket(orientation: number, as: "attribute" | "element" = "attribute"): Uint8Array {
  const [attribute, element] =
    as === "attribute"
      ? [` tiff:Orientation="${orientation}"`, ""]
      : ["", `<tiff:Orientation>${orientation}</tiff:Orientation>`];
  return new TextEncoder().encode(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
      `<rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/"${attribute}>${element}</rdf:Description></rdf:RDF></x:xmpmeta>`,
  );
}
