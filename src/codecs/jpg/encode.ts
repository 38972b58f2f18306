// Pixels to JPEG: libjpeg-turbo where speed counts, MozJPEG where size does. JFIF, and no metadata but the density.

import type { LibjpegTurbo } from "@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs";
import createMozjpeg, { type Mozjpeg } from "@jsquash/jpeg/codec/enc/mozjpeg_enc.js";
import { ServiceError } from "../../errors.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost, EncodeOptions } from "../codec.ts";
import { withDensity } from "./density.ts";
import { maxSide } from "./header.ts";
import { asServiceError, emscriptenOptions, keptInstance } from "./instance.ts";

/** TJSAMP_444, TJSAMP_420, TJSAMP_GRAY. */
const turboSampling = { "444": 0, "420": 2, gray: 3 } as const;
/** J_COLOR_SPACE: what is written. */
const mozjpegSpace = { gray: 1, rgb: 3 } as const;
/** Width and height of the area that shares one chroma sample. */
const mozjpegSampling = { "444": 1, "420": 2 } as const;

type Samples = PixelBuffer & { readonly data: Uint8Array; readonly interpretation: "gray" | "rgb" };

export const encodes = { alpha: false, depths: [8], maxSide } as const;

/** An encoder for one band of gray or three of RGB, 8 bit. Throws ServiceError `encode`. */
export function jpegEncoder(
  host: CodecHost,
  withTurbo: <R>(work: (turbo: LibjpegTurbo) => R | Promise<R>) => Promise<R>,
) {
  const withMozjpeg = keptInstance<Mozjpeg>({
    create: () => createMozjpeg(emscriptenOptions(host.wasm("mozjpeg-encode"))),
    memory: (mozjpeg) => mozjpeg.HEAPU8.length,
  });
  return async (pixels: PixelBuffer, options: EncodeOptions): Promise<Uint8Array> => {
    if (!isEncodable(pixels))
      throw new ServiceError(
        "encode",
        `Expected 8-bit gray or RGB pixels without alpha and with sides of at most ${maxSide} for JPEG; received ` +
          `${pixels.width}x${pixels.height} ${pixels.interpretation} in ${pixels.bands} bands. Reduce them before.`,
        { code: "not_encodable" },
      );
    try {
      const jpeg =
        options.encoder === "small"
          ? await withMozjpeg((mozjpeg) => encodeSmall(mozjpeg, pixels, options))
          : await withTurbo((turbo) => encodeFast(turbo, pixels, options));
      return withDensity(jpeg, options.resolution);
    } catch (error) {
      throw asServiceError(error, "encode", "The picture could not be written as JPEG.");
    }
  };
}

function isEncodable(pixels: PixelBuffer): pixels is Samples {
  const { width, height, bands, interpretation, data } = pixels;
  const expected = interpretation === "gray" ? 1 : interpretation === "rgb" ? 3 : undefined;
  const sized = Math.min(width, height) >= 1 && Math.max(width, height) <= maxSide;
  return bands === expected && sized && data instanceof Uint8Array && data.length === width * height * bands;
}

function encodeFast(turbo: LibjpegTurbo, pixels: Samples, options: EncodeOptions): Uint8Array {
  const encoder = new turbo.JPEGEncoder();
  const { width, height, bands } = pixels;
  encoder
    .getDecodedBuffer({ width, height, bitsPerSample: 8, componentCount: bands, isSigned: false })
    .set(pixels.data);
  encoder.setQuality(options.quality);
  encoder.setProgressive(options.progressive);
  encoder.setSubSampling(turboSampling[bands === 1 ? "gray" : options.chroma]);
  encoder.encode();
  const jpeg = encoder.getEncodedBuffer().slice();
  encoder.delete();
  return jpeg;
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

/** MozJPEG's build takes RGBA alone; equal red, green and blue come back as the same gray. */
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
