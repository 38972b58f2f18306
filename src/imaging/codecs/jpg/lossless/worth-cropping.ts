// Decides whether lossless crops of an image are better than encoding its tiles again. The decision is made
// once for the whole image, from its header and length only, so that all its tiles are made the same way.

import { quantisationTables } from "../markers/quantisation.ts";
import type { JpegReader } from "../region/index.ts";

/** Maximum ratio of a crop's bytes to the estimated bytes of encoding it again. */
const allowance = 1.5;

/** Facts of the file on which the estimate is based. */
export interface StoredJpeg {
  /** The quantisation table of the first component, 64 values in natural order. */
  readonly steps: ArrayLike<number>;
  /** Coded bytes of the file per pixel. */
  readonly bytesPerPixel: number;
  /** Samples of all components per pixel: 1.5 for 4:2:0, 3 for 4:4:4. */
  readonly samples: number;
}

/**
 * Weights of a least-squares fit over 19 photographs, each reduced, as stored and with grain (`node
 * bench/passthrough.mjs --fit`). At quality 90, estimates are off by 8 % on average, also for photographs
 * left out of the fit, and by 22 % or more for one in twenty. Most of the latter had been stored at a lower
 * quality before, which no header records.
 */
const weights = [0.462, -0.103, 0.062, -0.052, 0.078, -0.042] as const;

/**
 * Ratio of the bytes of RGB to those of luma and halved chroma at one quality: 2.4 to 2.9 for nine parts of
 * the photographs of `bench/sources.mjs` at qualities from 70 to 95.
 */
const rgbRatio = 2.65;

/** Range of detail in the photographs, in bytes per pixel; values outside are clamped. */
const detailBounds = [0.02, 2] as const;
/** Bytes per pixel that are assumed if the length of a file is unknown. */
const usualDetail = 0.3;

/** Decisions by image, each for the latest quality. */
const decided = new WeakMap<object, { readonly quality: number; readonly worth: boolean }>();

/**
 * True if crops are estimated to take at most 1.5 times the bytes of the same tiles encoded at `quality` with
 * halved chroma.
 */
export function worthCropping(
  reader: Pick<JpegReader, "frame" | "quant" | "codedBytes">,
  quality: number,
): boolean {
  let decision = decided.get(reader);
  if (decision?.quality !== quality) {
    decision = { quality, worth: isWorth(reader, quality) };
    decided.set(reader, decision);
  }
  return decision.worth;
}

function isWorth(
  { frame, quant, codedBytes }: Pick<JpegReader, "frame" | "quant" | "codedBytes">,
  quality: number,
): boolean {
  const { width, height, components, hMax, vMax, colour } = frame;
  const isRgb = colour === "rgb";
  const excess = isRgb ? rgbRatio : 1;
  const file: StoredJpeg = {
    steps: quant,
    bytesPerPixel: codedBytes === undefined ? usualDetail : codedBytes / (width * height * excess),
    samples: isRgb ? 1.5 : components.reduce((sum, { h, v }) => sum + (h * v) / (hMax * vMax), 0),
  };
  return excess * bytesRatio(file, quantisationTables(quality).luma) <= allowance;
}

/**
 * Returns the estimated ratio of the file's bytes to those of encoding it again with luma steps `target` and
 * halved chroma.
 */
export function bytesRatio(file: StoredJpeg, target: ArrayLike<number>): number {
  const features = featuresOf(file, target);
  return Math.exp(features.reduce((sum, feature, i) => sum + feature * weights[i]!, 0));
}

/** Returns the terms that, weighted and summed, are the logarithm of the ratio. */
export function featuresOf(file: StoredJpeg, target: ArrayLike<number>): number[] {
  const [least, max] = detailBounds;
  const coarser = Math.log(meanStep(target) / meanStep(file.steps));
  const detail = Math.log(Math.min(max, Math.max(least, file.bytesPerPixel)));
  const chroma = Math.max(0, file.samples - 1.5);
  return [coarser, coarser * detail, coarser ** 2, coarser * detail ** 2, chroma, chroma * detail];
}

/** Returns the mean step of the low frequencies, which hold nearly all coefficients of photographs. */
function meanStep(steps: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < 64; i++) if ((i & 7) + (i >> 3) < 6) sum += steps[i] ?? 1;
  return Math.max(1, sum / 21);
}
