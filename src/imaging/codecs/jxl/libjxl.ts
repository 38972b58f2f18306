// JPEG XL through libjxl (@jsquash/jxl): sRGB of 8 bits with alpha.

import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost } from "../codec.ts";
import { createPackageEncoder } from "../package-encoder.ts";
import { toRgba } from "../rgba.ts";

/** Options of the package that stay as they are there. */
const usual = {
  progressive: false,
  epf: -1,
  lossyPalette: false,
  decodingSpeedTier: 0,
  photonNoiseIso: 0,
  lossyModular: false,
  lossless: false,
};

interface Asked {
  readonly quality: number;
  readonly effort: number;
}

export type EncodeByLibjxl = (pixels: PixelBuffer, options: Asked) => Promise<Uint8Array>;

/** Creates the encoder. It throws ImagingError `encode`, and the errors of `loadWasm`. */
export function libjxlEncoder(host: CodecHost): EncodeByLibjxl {
  const encode = createPackageEncoder<typeof usual & Asked>(host, {
    module: "jxl-encode",
    title: "JPEG XL",
    loadGlue: () => import("./encoder-glue.ts"),
  });
  return async (pixels, options) => {
    const rgba = toRgba(pixels, "JPEG XL");
    if (!(rgba instanceof Uint8Array))
      throw new ImagingError("encode", "Expected 8 bits for each sample of JPEG XL, received 16.");
    return encode(rgba, pixels, { ...usual, ...options });
  };
}
