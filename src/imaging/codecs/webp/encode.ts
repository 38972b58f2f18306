// WebP output through libwebp's lossy encoder (the SIMD build).

import createEncoder from "@jsquash/webp/codec/enc/webp_enc_simd.js";
import { defaultOptions } from "@jsquash/webp/meta.js";
import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost } from "../codec.ts";
import { cachedInstance, emscriptenOptions } from "../instance.ts";
import type { EncodeOptions } from "../plan.ts";
import { toRgba } from "../rgba.ts";

/** The format's largest width and height (RFC 6386, section 9.1: 14 bits). */
export const maxSide = 16383;

/** The used exports of the module. */
interface Encoder {
  readonly HEAPU8: Uint8Array;
  encode(rgba: Uint8Array, width: number, height: number, options: typeof defaultOptions): Uint8Array | null;
}

/**
 * Creates the encoder: 1 to 4 bands of 8 bit; a fully opaque picture gets no alpha chunk. Throws ImagingError
 * `encode`.
 */
export function webpEncoder(
  host: CodecHost,
): (pixels: PixelBuffer, options: EncodeOptions) => Promise<Uint8Array> {
  const withEncoder = cachedInstance<Encoder>({
    create: async () =>
      (await createEncoder({
        ...emscriptenOptions(host.wasm("webp-encode")),
        locateFile: (name: string) => name, // never fetched; prevents the glue from using import.meta.url
      } as object)) as unknown as Encoder,
    memory: (encoder) => encoder.HEAPU8.length,
  });
  return async (pixels, options) => {
    const { width, height } = pixels;
    if (Math.max(width, height) > maxSide)
      throw new ImagingError(
        "encode",
        `Expected at most ${maxSide} pixels on a side for WebP, received ${width}x${height}; ask for a smaller size.`,
      );
    const rgba = toRgba(pixels, "WebP");
    if (!(rgba instanceof Uint8Array)) throw encodeError();
    return withEncoder((encoder) => {
      try {
        const encoded = encoder.encode(rgba, width, height, { ...defaultOptions, quality: options.quality });
        if (encoded) return encoded.slice();
      } catch (cause) {
        throw encodeError(cause);
      }
      throw encodeError();
    });
  };
}

function encodeError(cause?: unknown): ImagingError {
  return new ImagingError("encode", "The WebP encoder failed; ask for a smaller size or another format.", {
    cause,
  });
}
