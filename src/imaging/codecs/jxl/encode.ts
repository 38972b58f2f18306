// JPEG XL output. Pixels of tiles are coded as our JPEG encoder codes them, and its coefficients are written
// as JPEG XL: a seventh fewer bytes than the JPEG has, for 2 to 4 ms of a tile. The rest goes to libjxl.

import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { orient } from "../../pipeline/steps/orient.ts";
import type { JpegEncoder } from "../jpg/encode/fast-encode.ts";
import type { EncodeOptions } from "../plan.ts";
import type { EncodeByLibjxl } from "./libjxl.ts";
import type { Recode } from "./recode.ts";
import { wayOf } from "./ways.ts";

/** Returns an encoder for gray or RGB of 8 bits, with or without alpha. Throws ImagingError `encode`. */
export function jxlEncoder(recode: Recode, baseline: () => JpegEncoder, byLibjxl: EncodeByLibjxl) {
  return async (pixels: PixelBuffer, { quality, chroma, embed }: EncodeOptions): Promise<Uint8Array> => {
    const { width, height, data, interpretation, bands } = pixels;
    if (!(data instanceof Uint8Array) || (interpretation !== "gray" && interpretation !== "rgb"))
      throw new ImagingError(
        "encode",
        `Expected 8-bit gray or RGB pixels for JPEG XL; received ${interpretation} in ${bands} bands. Reduce them before.`,
        { code: "not_encodable" },
      );
    const { effort } = wayOf(pixels);
    // Decoders take the orientation from the codestream, and libjxl's has none.
    if (effort !== undefined) return byLibjxl(orient(pixels, embed?.orientation ?? 1), { quality, effort });
    const samples = { ...pixels, data, interpretation };
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
