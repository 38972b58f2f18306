// Whether lossless crops of an image are better than encoding its tiles again: decided once for the whole image, from its
// header and length alone, so that all its tiles are made the same way.

import { quantisationTables } from "../markers/quantisation.ts";
import type { JpegReader } from "../region/index.ts";

/** A crop may take this many times the bytes that encoding is estimated to need. */
const allowance = 1.5;

/** Facts of the file that the estimate is made from. */
export interface StoredJpeg {
  /** The quantisation table of the first component, 64 values in natural order. */
  readonly steps: ArrayLike<number>;
  /** Coded bytes of the file for each pixel. */
  readonly bytesPerPixel: number;
  /** Samples of all components for each pixel: 1.5 for 4:2:0, 3 for 4:4:4. */
  readonly samples: number;
}

/**
 * Least squares over 19 photographs, each reduced, as it came and with grain (`node bench/passthrough.mjs --fit`). To quality 90,
 * estimates are 8 % off on average, for photographs held out of the fit too, one in twenty by 22 % or more: most of these
 * had been stored at a lower quality before, which no header records.
 */
const weights = [0.462, -0.103, 0.062, -0.052, 0.078, -0.042] as const;

/** Detail of the photographs: what lies beyond counts as the nearest. */
const detailBounds = [0.02, 2] as const;
/** Bytes for each pixel where the length of a file is not known. */
const usualDetail = 0.3;

/** What was decided of an image, for the quality that was asked for last: the same one for all its tiles. */
const decided = new WeakMap<object, { readonly quality: number; readonly worth: boolean }>();

/** Whether crops are estimated to take at most 1.5 times the bytes of the same tiles encoded at `quality` with halved chroma. */
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
  const { width, height, components, hMax, vMax } = frame;
  const file: StoredJpeg = {
    steps: quant,
    bytesPerPixel: codedBytes === undefined ? usualDetail : codedBytes / (width * height),
    samples: components.reduce((sum, { h, v }) => sum + (h * v) / (hMax * vMax), 0),
  };
  return bytesRatio(file, quantisationTables(quality).luma) <= allowance;
}

/** Estimated ratio of the file's bytes to those of encoding it again with luma steps `target` and halved chroma. */
export function bytesRatio(file: StoredJpeg, target: ArrayLike<number>): number {
  const features = featuresOf(file, target);
  return Math.exp(features.reduce((sum, feature, i) => sum + feature * weights[i]!, 0));
}

/** The terms whose weighted sum is the logarithm of the ratio. */
export function featuresOf(file: StoredJpeg, target: ArrayLike<number>): number[] {
  const [least, most] = detailBounds;
  const coarser = Math.log(meanStep(target) / meanStep(file.steps));
  const detail = Math.log(Math.min(most, Math.max(least, file.bytesPerPixel)));
  const chroma = Math.max(0, file.samples - 1.5);
  return [coarser, coarser * detail, coarser ** 2, coarser * detail ** 2, chroma, chroma * detail];
}

/** Mean of the low frequencies, where nearly all coefficients of photographs are. */
function meanStep(steps: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < 64; i++) if ((i & 7) + (i >> 3) < 6) sum += steps[i] ?? 1;
  return Math.max(1, sum / 21);
}
