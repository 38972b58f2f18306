// AVIF output through libaom and libavif (@jsquash/avif).

import type { Size } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { Shape } from "../../pipeline/shape.ts";
import type { CodecHost, Encoder } from "../codec.ts";
import { createPackageEncoder } from "../package-encoder.ts";
import type { EncodeOptions } from "../plan.ts";
import { toRgba } from "../rgba.ts";
import { describePixels } from "./describe.ts";

/** Largest width and height that decoders have to accept (AV1 Image File Format, advanced profile). */
export const maxSide = 16384;

/**
 * Speeds of the encoder by size: up to `pixels`, with the nanoseconds that one takes. Speed 8 saves 7 to 14 %
 * of the bytes that 9 needs for the same quality; 6 takes three times as long for 1 to 5 % more.
 */
const speeds = [
  { pixels: 2 ** 20, speed: 9, ns: 170 }, // tiles
  { pixels: 2 ** 23, speed: 8, ns: 700 }, // downloads
  { pixels: Number.POSITIVE_INFINITY, speed: 9, ns: 170 }, // or they would take minutes
] as const;

const speedOf = ({ width, height }: Size) => speeds.find(({ pixels }) => width * height <= pixels)!;

/** Returns the nanoseconds that a pixel of a derivative takes. */
export const avifNsPerPixel = (derivative: Shape): number => speedOf(derivative).ns;

/** Returns the bytes that the encoder takes with chroma of full size; its memory grows by fifths. */
export const avifMemory = ({ width, height, depth }: Shape): number =>
  2 ** 24 + width * height * (depth === 16 ? 84 : 56);

/** Chroma of the encoder's option `subsample`. */
const sampling = { gray: 0, "420": 1, "444": 3 } as const;

/** Options of the package that stay as they are there. */
const usual = {
  qualityAlpha: -1, // as the colours
  denoiseLevel: 0,
  tileColsLog2: 0,
  tileRowsLog2: 0,
  chromaDeltaQ: false,
  sharpness: 0,
  tune: 0,
  enableSharpYUV: false,
  lossless: false,
};

type Options = typeof usual & { quality: number; speed: number; subsample: number; bitDepth: number };

/**
 * Creates the encoder: gray and RGB of 8 bits, and of 16, of which 10 are written. Throws ImagingError
 * `encode`, and those of `loadWasm`.
 */
export function avifEncoder(host: CodecHost): Encoder["encode"] {
  const encode = createPackageEncoder<Options>(host, {
    module: "avif-encode",
    title: "AVIF",
    loadGlue: () => import("./encoder-glue.ts"),
  });
  return async (pixels, options) => {
    const { rgba, bitDepth } = samplesOf(pixels);
    const subsample = sampling[pixels.interpretation === "gray" ? "gray" : options.chroma];
    const { speed } = speedOf(pixels);
    const asked = { ...usual, quality: options.quality, speed, subsample, bitDepth };
    return describe(await encode(rgba, pixels, asked), options);
  };
}

const describe = (file: Uint8Array, { embed }: EncodeOptions) =>
  describePixels(file, embed?.orientation ?? 1, embed?.profile !== "source");

/** Returns the bytes that the encoder takes: of 16 bits the upper 10, in two bytes each. */
function samplesOf(pixels: PixelBuffer): { readonly rgba: Uint8Array; readonly bitDepth: 8 | 10 } {
  const samples = toRgba(pixels, "AVIF");
  if (samples instanceof Uint8Array) return { rgba: samples, bitDepth: 8 };
  const reduced = samples.map((sample) => (sample * 1023 + 32767) / 65535);
  return { rgba: new Uint8Array(reduced.buffer), bitDepth: 10 };
}
