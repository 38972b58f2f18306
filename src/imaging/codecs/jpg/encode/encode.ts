// Encodes pixels as JPEG: with our own encoder for speed, libjpeg-turbo for progressive files, MozJPEG for
// small size. The files are JFIF, without metadata except the density.

import createLibjpegTurbo, { type LibjpegTurbo } from "@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs";
import createMozjpeg, { type Mozjpeg } from "@jsquash/jpeg/codec/enc/mozjpeg_enc.js";
import { ImagingError } from "../../../../base/index.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import type { CodecHost } from "../../codec.ts";
import { asImagingError, cachedInstance, emscriptenOptions } from "../../instance.ts";
import type { EncodeOptions } from "../../plan.ts";
import { withDensity } from "../markers/density.ts";
import { maxSide } from "../markers/header.ts";
import type { JpegEncoder } from "./fast-encode.ts";

/**
 * Samplings of libjpeg-turbo: TJSAMP, the side of an MCU, and the bytes per padded pixel in its size limit
 * (tjBufSize).
 */
const turboSampling = {
  "444": { code: 0, mcu: 8, bytes: 6 },
  "420": { code: 2, mcu: 16, bytes: 3 },
  gray: { code: 3, mcu: 8, bytes: 2 },
} as const;
/** Colour space of the output (J_COLOR_SPACE). */
const mozjpegSpace = { gray: 1, rgb: 3 } as const;
/** Width and height of the area of one chroma sample. */
const mozjpegSampling = { "444": 1, "420": 2 } as const;

type Samples = PixelBuffer & { readonly data: Uint8Array; readonly interpretation: "gray" | "rgb" };

/**
 * Largest image, in pixels, with Huffman tables of its own: the size of a tile of 256 pixels. Up to this size
 * they save 3 to 9 % of the bytes for at most 0.15 ms; at 512 pixels they save 1 to 3 % for 15 to 25 % more
 * work.
 */
const optimisedPixels = 256 * 256;

/** True if optimised Huffman tables are worth their time for an image of this size. */
export const optimisePays = (size: { readonly width: number; readonly height: number }): boolean =>
  size.width * size.height <= optimisedPixels;

/** Returns an encoder for one band of gray or three of RGB, 8 bits. Throws ImagingError `encode`. */
export function jpegEncoder(host: CodecHost, baseline: () => JpegEncoder) {
  // Not kept: its memory of 50 MiB is larger than what stays in a worker.
  const createTurbo = () => createLibjpegTurbo(emscriptenOptions(host.wasm("jpeg-turbo-8bit")));
  const withMozjpeg = cachedInstance<Mozjpeg>({
    create: () => createMozjpeg(emscriptenOptions(host.wasm("mozjpeg-encode"))),
    memory: (mozjpeg) => mozjpeg.HEAPU8.length,
  });
  const encodeBaseline = (pixels: Samples, { quality, chroma, resolution }: EncodeOptions) => {
    const optimise = optimisePays(pixels);
    return baseline().encode({ kind: "pixels", pixels }, { quality, chroma, optimise, resolution });
  };
  return async (pixels: PixelBuffer, options: EncodeOptions): Promise<Uint8Array> => {
    if (!isEncodable(pixels))
      throw new ImagingError(
        "encode",
        `Expected 8-bit gray or RGB pixels without alpha and with sides of at most ${maxSide} for JPEG; received ` +
          `${pixels.width}x${pixels.height} ${pixels.interpretation} in ${pixels.bands} bands. Reduce them before.`,
        { code: "not_encodable" },
      );
    try {
      if (options.encoder === "fast" && !options.progressive) return encodeBaseline(pixels, options);
      const depth = options.encoder === "fast" ? roomyDepth(pixels, options) : undefined;
      const jpeg =
        depth === undefined
          ? await withMozjpeg((mozjpeg) => encodeSmall(mozjpeg, pixels, options))
          : encodeProgressive(await createTurbo(), pixels, options, depth);
      return withDensity(jpeg, options.resolution);
    } catch (error) {
      throw asImagingError(error, "encode", "The picture could not be written as JPEG.");
    }
  };
}

function isEncodable(pixels: PixelBuffer): pixels is Samples {
  const { width, height, bands, interpretation, data } = pixels;
  const expected = interpretation === "gray" ? 1 : interpretation === "rgb" ? 3 : undefined;
  const sized = Math.min(width, height) >= 1 && Math.max(width, height) <= maxSide;
  return bands === expected && sized && data instanceof Uint8Array && data.length === width * height * bands;
}

function encodeProgressive(
  turbo: LibjpegTurbo,
  { width, height, bands, data }: Samples,
  options: EncodeOptions,
  bytesPerSample: number,
): Uint8Array {
  const encoder = new turbo.JPEGEncoder();
  const bitsPerSample = 8 * bytesPerSample;
  encoder
    .getDecodedBuffer({ width, height, bitsPerSample, componentCount: bands, isSigned: false })
    .set(data);
  encoder.setQuality(options.quality);
  encoder.setProgressive(true);
  encoder.setSubSampling(samplingOf(bands, options).code);
  encoder.encode();
  const jpeg = new Uint8Array(encoder.getEncodedBuffer());
  encoder.delete();
  return jpeg;
}

/**
 * Largest depth in bytes: the depth in bits is stored in a byte, so 248 bits are the most whole bytes that
 * fit.
 */
const maxBytesPerSample = 31;

/**
 * Returns the depth in bytes to declare to libjpeg-turbo. Its build allocates as many bytes for the output as
 * for the input and then writes up to the library's own limit, past the end. The depth is used for that
 * allocation only, so a larger depth makes room. Returns undefined for an image with so few pixels that no
 * depth is large enough.
 */
function roomyDepth({ width, height, bands, data }: Samples, options: EncodeOptions): number | undefined {
  const { mcu, bytes } = samplingOf(bands, options);
  const bound = Math.ceil(width / mcu) * mcu * Math.ceil(height / mcu) * mcu * bytes + 2048;
  const bytesPerSample = Math.ceil(bound / data.length);
  return bytesPerSample <= maxBytesPerSample ? bytesPerSample : undefined;
}

function samplingOf(bands: number, options: EncodeOptions) {
  return turboSampling[bands === 1 ? "gray" : options.chroma];
}

function encodeSmall(mozjpeg: Mozjpeg, pixels: Samples, options: EncodeOptions): Uint8Array {
  return mozjpeg.encode(toRgba(pixels), pixels.width, pixels.height, {
    quality: options.quality,
    baseline: !options.progressive,
    arithmetic: false,
    progressive: options.progressive,
    optimize_coding: true,
    smoothing: 0,
    color_space: mozjpegSpace[pixels.interpretation],
    quant_table: 3,
    trellis_multipass: false,
    trellis_opt_zero: false,
    trellis_opt_table: false,
    trellis_loops: 1, // 0 divides by zero
    auto_subsample: false,
    chroma_subsample: mozjpegSampling[options.chroma],
    separate_chroma_quality: false,
    chroma_quality: options.quality,
  });
}

/**
 * Converts samples to RGBA, the only input of MozJPEG's build. Equal red, green and blue are encoded as the
 * same gray.
 */
function toRgba({ width, height, bands, data }: Samples): Uint8Array {
  const rgba = new Uint8Array(width * height * 4).fill(255);
  const green = bands === 1 ? 0 : 1;
  for (let from = 0, to = 0; to < rgba.length; from += bands, to += 4) {
    rgba[to] = data[from]!;
    rgba[to + 1] = data[from + green]!;
    rgba[to + 2] = data[from + 2 * green]!;
  }
  return rgba;
}
