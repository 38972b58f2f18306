// JPEG 2000 output (Part 1, never high-throughput): OpenJPEG's lossy encoder, boxed as JP2.

import createOpenJpeg from "@cornerstonejs/codec-openjpeg/wasmjs";
import { ImagingError } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost } from "../codec.ts";
import { cachedInstance, emscriptenOptions } from "../instance.ts";
import type { EncodeOptions } from "../plan.ts";
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

interface FrameInfo {
  readonly width: number;
  readonly height: number;
  readonly bitsPerSample: number;
  readonly componentCount: number;
  readonly isSigned: boolean;
  readonly isUsingColorTransform?: boolean;
}
interface Encoder {
  getDecodedBuffer(frame: FrameInfo): Uint8Array;
  getEncodedBuffer(): Uint8Array;
  setDecompositions(levels: number): void;
  /** `layers` is the number of quality layers; each needs a compression ratio. */
  setQuality(lossless: boolean, layers: number): void;
  setCompressionRatio(layer: number, ratio: number): void;
  encode(): void;
  delete(): void;
}
interface OpenJpeg {
  readonly HEAPU8: Uint8Array;
  readonly J2KEncoder: new () => Encoder;
}
