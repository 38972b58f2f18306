// Decodes a file with another decoder (sharp), without colour management and at the file's own depth.

import sharp from "sharp";

export interface Reference {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly data: Uint8Array | Uint16Array;
}

export async function reference(file: Uint8Array, options: { page?: number } = {}): Promise<Reference> {
  const image = sharp(file, { ignoreIcc: true, limitInputPixels: false, ...options });
  const { channels = 0, depth } = await image.metadata();
  const wide = depth === "ushort";
  const gray = channels < 3;
  const grayAlpha = channels === 2 && !wide; // as gray, sharp would drop the alpha
  const space = grayAlpha ? "srgb" : gray ? (wide ? "grey16" : "b-w") : wide ? "rgb16" : "srgb";
  const { data, info } = await image
    .toColourspace(space)
    .raw({ depth: wide ? "ushort" : "uchar" })
    .toBuffer({ resolveWithObject: true });
  const bytes = new Uint8Array(data);
  const { width, height } = info;
  if (grayAlpha && info.channels === 4)
    return { width, height, bands: 2, data: bytes.filter((_, i) => i % 4 === 0 || i % 4 === 3) };
  return { width, height, bands: info.channels, data: wide ? new Uint16Array(bytes.buffer) : bytes };
}
