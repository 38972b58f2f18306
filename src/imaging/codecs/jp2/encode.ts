// JPEG 2000 output (Part 1, never high-throughput): OpenJPEG's lossy encoder, boxed as JP2.

import createOpenJpeg from "@cornerstonejs/codec-openjpeg/wasmjs";
import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost } from "../codec.ts";
import { cachedInstance, emscriptenOptions } from "../instance.ts";
import type { EncodeOptions } from "../plan.ts";
import type { OpenJpeg } from "./glue.ts";
import { jp2File } from "./write-boxes.ts";

export const maxSide = 65535;

/** Compression by number of bands: 41 to 42 dB for a photograph (measured on the fixtures' picture). */
const ratios: Readonly<Record<number, number>> = { 1: 6, 3: 8 };

/** Creates the encoder: gray or RGB of 8 bit to a JP2 file. Throws ImagingError `encode`. */
export function jp2Encoder(
  host: CodecHost,
): (pixels: PixelBuffer, options: EncodeOptions) => Promise<Uint8Array> {
  const withOpenJpeg = cachedInstance<OpenJpeg>({
    create: () => createOpenJpeg(emscriptenOptions(host.wasm("openjpeg"))),
    memory: (module) => module.HEAPU8.length,
  });
  return async ({ width, height, bands, data }, { resolution }) => {
    const ratio = ratios[bands];
    if (!(data instanceof Uint8Array) || ratio === undefined || Math.max(width, height) > maxSide)
      throw new ImagingError(
        "encode",
        `Expected 8-bit gray or RGB of at most ${maxSide} pixels on a side for JPEG 2000, received ${width}x${height} of ${bands} bands.`,
      );
    const codestream = await withOpenJpeg((module) => {
      try {
        const encoder = new module.J2KEncoder();
        encoder
          .getDecodedBuffer({
            width,
            height,
            bitsPerSample: 8,
            componentCount: bands,
            isSigned: false,
            isUsingColorTransform: bands === 3,
          })
          .set(data);
        // A picture must have at least one pixel at its lowest level.
        encoder.setDecompositions(Math.min(5, Math.floor(Math.log2(Math.min(width, height)))));
        encoder.setQuality(false, 1);
        encoder.setCompressionRatio(0, ratio);
        encoder.encode();
        const encoded = encoder.getEncodedBuffer().slice();
        encoder.delete();
        if (!encoded.length) throw new Error("The encoder returned nothing.");
        return encoded;
      } catch (cause) {
        throw new ImagingError(
          "encode",
          "The JPEG 2000 encoder failed; ask for a smaller size or another format.",
          { cause },
        );
      }
    });
    return jp2File(codestream, { width, height, components: bands, bits: 8 }, resolution);
  };
}
