// JPEG XL output. Pixels are coded as our JPEG encoder codes them, and its coefficients are written as JPEG
// XL: a seventh fewer bytes than the JPEG has, for 2 to 4 ms of a tile.

import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { JpegEncoder } from "../jpg/encode/fast-encode.ts";
import type { EncodeOptions } from "../plan.ts";
import type { Recode } from "./recode.ts";

/** Returns an encoder for one band of gray or three of RGB, 8 bits. Throws ImagingError `encode`. */
export function jxlEncoder(recode: Recode, baseline: () => JpegEncoder) {
  return async (pixels: PixelBuffer, { quality, chroma, embed }: EncodeOptions): Promise<Uint8Array> => {
    const { width, height, data, interpretation, bands } = pixels;
    const expected = interpretation === "gray" ? 1 : interpretation === "rgb" ? 3 : undefined;
    if (!(data instanceof Uint8Array) || bands !== expected)
      throw new ImagingError(
        "encode",
        `Expected 8-bit gray or RGB pixels without alpha for JPEG XL; received ${interpretation} in ${bands} bands. Reduce them before.`,
        { code: "not_encodable" },
      );
    const samples = { ...pixels, data, interpretation: interpretation as "gray" | "rgb" };
    const jpeg = baseline().encode(
      { kind: "pixels", pixels: samples },
      { quality, chroma, optimise: false, resolution: undefined },
    );
    const encoded = await recode(jpeg, embed?.orientation ?? 1);
    if (encoded) return encoded;
    throw new ImagingError(
      "encode",
      `A picture of ${width} by ${height} pixels could not be written as JPEG XL; ask for a smaller size or another format.`,
    );
  };
}
