// JPEG XL through libjxl (@jsquash/jxl): sRGB of 8 bits with alpha.

import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost } from "../codec.ts";
import { asImagingError, cachedInstance, emscriptenOptions } from "../instance.ts";
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

/** The used exports of the module. */
interface Module {
  readonly HEAPU8: Uint8Array;
  encode(
    rgba: Uint8Array,
    width: number,
    height: number,
    options: typeof usual & { quality: number; effort: number },
  ): Uint8Array | null;
}

export type EncodeByLibjxl = (
  pixels: PixelBuffer,
  options: { readonly quality: number; readonly effort: number },
) => Promise<Uint8Array>;

/** Creates the encoder. It throws ImagingError `encode`, and the errors of `loadWasm`. */
export function libjxlEncoder(host: CodecHost): EncodeByLibjxl {
  const withEncoder = cachedInstance<Module>({
    create: async () => {
      const [{ default: create }, module] = await Promise.all([
        import("./encoder-glue.ts"),
        host.loadWasm("jxl-encode"),
      ]);
      return (await create({
        ...emscriptenOptions(module),
        locateFile: (name: string) => name, // never fetched; prevents the glue from using import.meta.url
      } as object)) as unknown as Module;
    },
    memory: ({ HEAPU8 }) => HEAPU8.length,
  });
  return (pixels, options) =>
    withEncoder((encoder) => {
      const rgba = toRgba(pixels, "JPEG XL");
      if (!(rgba instanceof Uint8Array)) throw new ImagingError("encode", failure);
      try {
        const encoded = encoder.encode(rgba, pixels.width, pixels.height, { ...usual, ...options });
        if (encoded) return encoded;
      } catch (error) {
        throw asImagingError(error, "encode", failure);
      }
      throw new ImagingError("encode", failure);
    });
}

const failure = "The JPEG XL encoder failed; ask for a smaller size or another format.";
