// Reads one directory as a picture. TIFF 6.0 sections 3 to 8, 14, 18, 20 to 23.

import type { Interpretation } from "../../../pipeline/pixels.ts";
import { damagedTif } from "../../damaged.ts";
import { compressions, isJpeg2000, OLD_JPEG } from "../compression/compression.ts";
import { readYcc } from "../samples/ycc.ts";
import { type Directory, readField, readNumber, type TiffFile } from "./ifd.ts";
import { photometrics } from "./photometrics.ts";
import type { Picture } from "./picture.ts";
import { type Refusal, refusalOf, refusalText } from "./refusals.ts";
import { tags } from "./tags.ts";

const MAX_SAMPLES = 64;
const MAX_SIDE = 2 ** 31 - 1;
const DIFFERENCED = new Set([5, 8, 32946, 34925, 50000]);

/**
 * Reads the fields about the storage of a directory's pixels. Throws ImagingError `decode` if they are
 * inconsistent.
 */
export async function readPicture(file: TiffFile, directory: Directory): Promise<Picture> {
  const number: NumberField = (tag) => readNumber(file, directory, tags[tag]);
  const width = (await number("ImageWidth")) ?? 0;
  const height = (await number("ImageLength")) ?? 0;
  if (!(width >= 1 && height >= 1 && width <= MAX_SIDE && height <= MAX_SIDE))
    throw damagedTif("a width and a height of at least 1 pixel", `${width} by ${height}`);

  const compression = (await number("Compression")) ?? 1;
  const stated = await readSamples(file, directory, compression);
  const { photometric, samples, allBits, formats, extra } = stated;
  const predictor = DIFFERENCED.has(compression) ? ((await number("Predictor")) ?? 1) : 1;
  const planar = samples > 1 && (await number("PlanarConfiguration")) === 2;
  const blocks = await readBlocks(number, width, height, directory.entries.has(tags.TileWidth));

  const [ownBits = 1] = allBits;
  const codedBits = isJpeg2000(compression) && ownBits <= 16 ? ownBits : undefined;
  const bits = codedBits === undefined ? ownBits : codedBits > 8 ? 16 : 8;
  const { alpha, alphaAt, bands, depth, interpretation } = outcome(photometric, samples, bits, extra);
  // Field by field: spreads cost more than all else here, and a pyramid has a picture for each level.
  const stored: { -readonly [K in keyof Picture]: Picture[K] } = {
    width,
    height,
    compression,
    photometric,
    bits,
    float: formats[0] === 3,
    signed: formats[0] === 2,
    samples,
    planar,
    predictor,
    reversedBits: (await number("FillOrder")) === 2,
    tiled: blocks.tiled,
    blockWidth: blocks.blockWidth,
    blockHeight: blocks.blockHeight,
    alpha,
    alphaAt,
    bands,
    depth,
    interpretation,
  };
  if (codedBits !== undefined) stored.codedBits = codedBits;
  if (photometric === 6 && compressions[compression]?.open) stored.ycc = await readYcc(file, directory);
  const refusal = mixedRefusal(stated) ?? refusalOf(stored, formats[0] as number);
  return refusal ? { ...stored, unsupported: refusalText(refusal) } : stored;
}

/** Values of the fields about samples. */
interface SampleFields {
  readonly photometric: number;
  readonly samples: number;
  /** Bits and formats, of each sample or of all. */
  readonly allBits: readonly number[];
  readonly formats: readonly number[];
  /** Meanings of the samples after the colours. */
  readonly extra: readonly number[];
  /** True for inks other than CMYK. */
  readonly otherInks: boolean;
}

async function readSamples(file: TiffFile, directory: Directory, compression: number): Promise<SampleFields> {
  const number: NumberField = (tag) => readNumber(file, directory, tags[tag]);
  const stated = await number("PhotometricInterpretation");
  const old = compression === OLD_JPEG ? oldJpegSamples(stated) : undefined;
  const samples = old?.samples ?? (await number("SamplesPerPixel")) ?? 1;
  if (samples < 1 || samples > MAX_SAMPLES)
    throw damagedTif(`1 to ${MAX_SAMPLES} samples per pixel`, `${samples}`);
  // Some writers list more values than there are samples.
  const perSample = async (tag: number) =>
    (await readField(file, directory, tag, MAX_SAMPLES))?.slice(0, samples) ?? [1];
  const extra = (await readField(file, directory, tags.ExtraSamples, MAX_SAMPLES)) ?? [];
  const inkSet = stated === undefined || stated === 5 ? await number("InkSet") : undefined;
  const guessPhotometric = () => unsaidPhotometric(compression, samples - extra.length, inkSet);
  const fits = stated !== undefined && isPossible(stated, samples, directory);
  const photometric =
    old?.photometric ??
    (fits ? stated : stated === undefined ? guessPhotometric() : samples < 3 ? gray : rgb);
  return {
    photometric,
    samples,
    allBits: old ? [8] : await perSample(tags.BitsPerSample),
    formats: old ? [1] : await perSample(tags.SampleFormat),
    extra,
    otherInks: photometric === 5 && (inkSet ?? 1) !== 1 && directory.entries.has(tags.InkNames),
  };
}

function mixedRefusal({ allBits, formats, otherInks }: SampleFields): Refusal | undefined {
  if (allBits.some((b) => b !== allBits[0]) || formats.some((f) => f !== formats[0]))
    return ["samples of one depth and format", "several"];
  return otherInks ? ["CMYK inks", "inks of other names"] : undefined;
}

/**
 * Properties of old-style JPEG whatever the other fields say, which are often wrong: colours are luma and
 * chroma, as in libtiff. Its stream has the last word (old-jpeg/).
 */
function oldJpegSamples(stated = 6): { readonly photometric: number; readonly samples: number } {
  const photometric = stated === 2 ? 6 : stated;
  return { photometric, samples: photometric === 6 ? 3 : 1 };
}

type NumberField = (tag: keyof typeof tags) => ReturnType<typeof readNumber>;

/**
 * Returns the size of strips or tiles. Throws ImagingError `decode` if they have no pixels, or are far larger
 * than the image.
 */
async function readBlocks(
  number: NumberField,
  width: number,
  height: number,
  tiled: boolean,
): Promise<Pick<Picture, "tiled" | "blockWidth" | "blockHeight">> {
  const blockWidth = tiled ? ((await number("TileWidth")) ?? 0) : width;
  const blockHeight = tiled
    ? ((await number("TileLength")) ?? 0)
    : Math.min((await number("RowsPerStrip")) ?? height, height);
  if (!(blockWidth >= 1 && blockHeight >= 1 && blockWidth <= 65536 + width && blockHeight <= 65536 + height))
    throw damagedTif("strips or tiles of at least one pixel", `${blockWidth} by ${blockHeight}`);
  return { tiled, blockWidth, blockHeight };
}

/**
 * Returns the result of stored samples: colours, depth, and which sample becomes alpha. `extra`: meanings of
 * the samples after the colours in the file.
 */
function outcome(
  photometric: number,
  samples: number,
  bits: number,
  extra: readonly number[],
): Pick<Picture, "alpha" | "alphaAt" | "bands" | "depth" | "interpretation"> {
  const colour = photometrics[photometric];
  const palette = photometric === 3;
  const colours = colour?.samples ?? Math.min(samples, 3);
  const { alpha, at } =
    colour?.samples === undefined
      ? noAlpha
      : alphaOf(extra.slice(0, samples - colours), samples - colours, colour.interpretation);
  return {
    alpha,
    alphaAt: colours + at,
    bands: (palette ? 3 : colours) + (alpha === "none" ? 0 : 1),
    depth: bits > 8 && !palette ? 16 : 8,
    interpretation: colour?.interpretation ?? (samples >= 3 ? "rgb" : "gray"),
  };
}

/**
 * Returns the colours assumed for an image without PhotometricInterpretation: the guesses of libtiff and
 * libvips.
 */
function unsaidPhotometric(compression: number, colours: number, inkSet: number | undefined): number {
  if (compressions[compression]?.bilevel) return 0;
  if (colours >= 4 && inkSet === 1) return 5;
  return colours >= 3 ? 2 : 1;
}

const [gray, rgb, palette] = [1, 2, 3] as const;

/**
 * True unless the image has too few samples for a PhotometricInterpretation, or no map for a palette: then
 * its samples are gray or RGB by their number, as in libvips. L* alone is no gray (TIFF 6.0 section 23).
 */
function isPossible(photometric: number, samples: number, { entries }: Directory): boolean {
  const known = photometrics[photometric];
  if (photometric === palette && !entries.has(tags.ColorMap)) return false;
  return known?.interpretation === "lab" || samples >= (known?.samples ?? 1);
}

interface ExtraAlpha {
  readonly alpha: Picture["alpha"];
  /** Index among the extra samples. */
  readonly at: number;
}

const noAlpha: ExtraAlpha = { alpha: "none", at: 0 };

/**
 * Returns which of the samples after the colours is alpha: the first that is marked so, or the only one if it
 * is unmarked (TIFF 6.0 section 18 calls that unspecified; in practice it is alpha, but after inks another
 * ink or a mask).
 */
function alphaOf(extra: readonly number[], count: number, interpretation?: Interpretation): ExtraAlpha {
  const at = extra.findIndex((kind) => kind === 1 || kind === 2);
  if (at >= 0) return { alpha: extra[at] === 1 ? "associated" : "straight", at };
  return count === 1 && interpretation !== "cmyk" ? { alpha: "straight", at: 0 } : noAlpha;
}
