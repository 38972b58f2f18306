// One directory as a picture: how its samples are stored and what they become. TIFF 6.0 sections 3 to 8, 14, 18, 20 to 23.

import type { Interpretation } from "../../../pipeline/pixels.ts";
import { compressions, JPEG, WEBP } from "../compression/compression.ts";
import { isSubsampled, readYcc, unitRowBytes, type YccCoding } from "../samples/ycc.ts";
import { type Directory, damaged, readField, readNumber, type TiffFile } from "./ifd.ts";
import { tags } from "./tags.ts";

/** How samples mean colours: stored colour samples, what comes out, or only a name where that is not served. */
interface Photometric {
  readonly name: string;
  readonly samples?: number;
  readonly interpretation?: Interpretation;
}

export const photometrics: Readonly<Record<number, Photometric>> = {
  0: { name: "WhiteIsZero", samples: 1, interpretation: "gray" },
  1: { name: "BlackIsZero", samples: 1, interpretation: "gray" },
  2: { name: "RGB", samples: 3, interpretation: "rgb" },
  3: { name: "palette", samples: 1, interpretation: "rgb" },
  4: { name: "transparency mask" },
  5: { name: "CMYK", samples: 4, interpretation: "cmyk" },
  6: { name: "YCbCr", samples: 3, interpretation: "rgb" },
  8: { name: "CIELab", samples: 3, interpretation: "lab" },
  9: { name: "ICCLab", samples: 3, interpretation: "lab" },
  10: { name: "ITULab" },
  32803: { name: "colour filter array" },
  32844: { name: "LogL" },
  32845: { name: "LogLuv" },
  34892: { name: "linear raw" },
};

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly compression: number;
  readonly photometric: number;
  /** Stored bits of one sample. */
  readonly bits: number;
  readonly float: boolean;
  /** Stored samples of one pixel. */
  readonly samples: number;
  /** Whether each sample has its own strips or tiles. */
  readonly planar: boolean;
  readonly predictor: number;
  readonly reversedBits: boolean;
  readonly alpha: "none" | "straight" | "associated";
  /** Which stored sample is alpha, from 0; it comes out behind the colours. */
  readonly alphaAt: number;
  /** How luma and chroma are stored, where that is not up to the compression. */
  readonly ycc?: YccCoding;
  readonly tiled: boolean;
  /** Size of a stored tile, or of a full strip. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** What comes out. */
  readonly bands: number;
  readonly depth: 8 | 16;
  readonly interpretation: Interpretation;
  /** Why it is refused, in words for the caller. */
  readonly unsupported?: string;
}

const MAX_SAMPLES = 64;
const MAX_SIDE = 2 ** 31 - 1;
const MAX_BILEVEL_WIDTH = 1 << 20;
const DIFFERENCED = new Set([5, 8, 32946, 50000]);

/** Reads the fields that say how the pixels of a directory are stored. Throws ServiceError `decode` where they make no picture. */
export async function readPicture(file: TiffFile, directory: Directory): Promise<Picture> {
  const number = (tag: keyof typeof tags) => readNumber(file, directory, tags[tag]);
  const width = (await number("ImageWidth")) ?? 0;
  const height = (await number("ImageLength")) ?? 0;
  if (!(width >= 1 && height >= 1 && width <= MAX_SIDE && height <= MAX_SIDE))
    throw damaged("a width and a height of at least 1 pixel", `${width} by ${height}`);

  const samples = (await number("SamplesPerPixel")) ?? 1;
  if (samples < 1 || samples > MAX_SAMPLES)
    throw damaged(`1 to ${MAX_SAMPLES} samples per pixel`, `${samples}`);
  // Some writers list more values than there are samples.
  const perSample = async (tag: number) =>
    (await readField(file, directory, tag, MAX_SAMPLES))?.slice(0, samples) ?? [1];
  const allBits = await perSample(tags.BitsPerSample);
  const formats = await perSample(tags.SampleFormat);
  const extra = (await readField(file, directory, tags.ExtraSamples, MAX_SAMPLES)) ?? [];
  const compression = (await number("Compression")) ?? 1;
  const stated = await number("PhotometricInterpretation");
  const inkSet = stated === undefined || stated === 5 ? await number("InkSet") : undefined;
  const photometric = stated ?? unsaidPhotometric(compression, samples - extra.length, inkSet);
  const predictor = DIFFERENCED.has(compression) ? ((await number("Predictor")) ?? 1) : 1;
  const planar = samples > 1 && (await number("PlanarConfiguration")) === 2;
  const tiled = directory.entries.has(tags.TileWidth);
  const blockWidth = tiled ? ((await number("TileWidth")) ?? 0) : width;
  const blockHeight = tiled
    ? ((await number("TileLength")) ?? 0)
    : Math.min((await number("RowsPerStrip")) ?? height, height);
  if (!(blockWidth >= 1 && blockHeight >= 1 && blockWidth <= 65536 + width && blockHeight <= 65536 + height))
    throw damaged("strips or tiles of at least one pixel", `${blockWidth} by ${blockHeight}`);

  const bits = allBits[0] as number;
  const float = formats[0] === 3;
  const colour = photometrics[photometric];
  const colours = colour?.samples ?? Math.min(samples, 3);
  const { alpha, at } =
    colour?.samples === undefined || photometric === 3
      ? noAlpha
      : alphaOf(extra.slice(0, samples - colours), samples - colours, colour.interpretation);
  const stored: Picture = {
    width,
    height,
    compression,
    photometric,
    bits,
    float,
    samples,
    planar,
    predictor,
    reversedBits: (await number("FillOrder")) === 2,
    alpha,
    alphaAt: colours + at,
    ...(photometric === 6 && compressions[compression]?.open ? { ycc: await readYcc(file, directory) } : {}),
    tiled,
    blockWidth,
    blockHeight,
    bands: photometric === 3 ? 3 : colours + (alpha === "none" ? 0 : 1),
    depth: bits > 8 && photometric !== 3 ? 16 : 8,
    interpretation: colour?.interpretation ?? (samples >= 3 ? "rgb" : "gray"),
  };
  const mixed = allBits.some((b) => b !== bits) || formats.some((f) => f !== formats[0]);
  const refusal = mixed
    ? ["samples of one depth and format", "several"]
    : photometric === 5 && inkSet !== undefined && inkSet !== 1 && directory.entries.has(tags.InkNames)
      ? ["CMYK inks", "inks of other names"]
      : refuse(stored, formats[0] as number);
  if (!refusal) return stored;
  const [expected, received] = refusal;
  return {
    ...stored,
    unsupported: `Expected a TIFF with ${expected}, received ${received}; convert the file to a kind that is served, such as deflate-compressed RGB.`,
  };
}

/** What a picture is taken for whose PhotometricInterpretation is missing: the guesses of libtiff and libvips. */
function unsaidPhotometric(compression: number, colours: number, inkSet: number | undefined): number {
  if (compressions[compression]?.bilevel) return 0;
  if (colours >= 4 && inkSet === 1) return 5;
  return colours >= 3 ? 2 : 1;
}

interface ExtraAlpha {
  readonly alpha: Picture["alpha"];
  /** Among the extra samples. */
  readonly at: number;
}

const noAlpha: ExtraAlpha = { alpha: "none", at: 0 };

/**
 * Which of the samples after the colours is alpha: the first that says so, or the only one when it says nothing (TIFF 6.0
 * section 18 calls that unspecified; in practice it is alpha, but beside inks another ink or a mask).
 */
function alphaOf(extra: readonly number[], count: number, interpretation?: Interpretation): ExtraAlpha {
  const at = extra.findIndex((kind) => kind === 1 || kind === 2);
  if (at >= 0) return { alpha: extra[at] === 1 ? "associated" : "straight", at };
  return count === 1 && interpretation !== "cmyk" ? { alpha: "straight", at: 0 } : noAlpha;
}

/** What was expected and what the picture has instead, where it cannot be served right. */
function refuse(picture: Picture, format: number): readonly [string, string] | undefined {
  const { compression, photometric, bits, float, samples, predictor, ycc } = picture;
  const jpeg = compression === JPEG;
  const row = compressions[compression];
  if (!row || (!row.open && !row.whole))
    return ["a compression that is served", row ? `${row.name} compression` : `compression ${compression}`];
  const colour = photometrics[photometric];
  if (!colour?.samples)
    return [
      "a colour interpretation that is served",
      colour ? colour.name : `photometric interpretation ${photometric}`,
    ];
  if (samples < colour.samples) return [`${colour.samples} samples for ${colour.name}`, `${samples}`];
  if (photometric === 3 && samples > 1) return ["a palette without further samples", `${samples} samples`];
  if (format !== 1 && format !== 3 && format !== 4)
    return ["unsigned or floating-point samples", `sample format ${format}`];
  const depths = float
    ? [32]
    : photometric === 3 || colour.interpretation === "gray"
      ? [1, 2, 4, 8, 16]
      : [8, 16];
  if (!depths.includes(bits)) return [`samples of ${depths.join(", ")} bits`, `${bits} bits`];
  if (float && photometric === 3) return ["integer indices of a palette", "floating-point samples"];
  if (float && colour.interpretation === "cmyk") return ["integer CMYK samples", "floating-point samples"];
  if (bits < 8 && samples > 1) return ["one sample where samples are smaller than a byte", `${samples}`];
  if (row.bilevel && picture.blockWidth > MAX_BILEVEL_WIDTH)
    return [`at most ${MAX_BILEVEL_WIDTH} pixels in a row for ${row.name}`, `${picture.blockWidth}`];
  if (row.bilevel && (bits !== 1 || samples !== 1))
    return [`one sample of 1 bit for ${row.name}`, `${samples} of ${bits} bits`];
  if (jpeg && (bits !== 8 || photometric > 6 || photometric === 3 || picture.planar))
    return ["8-bit gray, RGB, CMYK or YCbCr in interleaved JPEG", `${bits}-bit ${colour.name}`];
  if (jpeg && samples !== colour.samples && !(photometric === 2 && samples === 4))
    return [`${colour.samples} samples of ${colour.name} in JPEG`, `${samples}`];
  if (compression === WEBP && (bits !== 8 || photometric !== 2 || samples > 4 || picture.planar))
    return ["8-bit RGB, with or without alpha, in interleaved WebP", `${samples} samples of ${colour.name}`];
  if (ycc && (bits !== 8 || float)) return ["8-bit YCbCr", `${bits}-bit YCbCr`];
  if (ycc && isSubsampled(ycc) && (samples !== 3 || picture.planar || predictor !== 1))
    return [
      "subsampled chroma beside luma, without predictor and further samples",
      "YCbCr that is stored otherwise",
    ];
  if (predictor !== 1 && predictor !== 2 && predictor !== 3) return ["predictor 1, 2 or 3", `${predictor}`];
  if (predictor === 2 && bits < 8) return ["no predictor under 8 bits", "predictor 2"];
  if (predictor === 3 && !float)
    return ["predictor 3 with floating-point samples only", `${bits}-bit integers`];
  // JPEG has one order of bits, whatever FillOrder says.
  if (picture.reversedBits && !row.open && !jpeg)
    return ["bits filled from the high end", `reversed bits in ${row.name}`];
  return undefined;
}

/** Rows that are stored together, and their bytes: several where one sample of chroma is for more than one row. */
export function storedRows(picture: Picture): { readonly rows: number; readonly bytes: number } {
  const { ycc, blockWidth } = picture;
  if (!ycc || !isSubsampled(ycc)) return { rows: 1, bytes: rowBytes(picture) };
  return { rows: ycc.down, bytes: unitRowBytes(ycc, blockWidth) };
}

/** Bytes of one row of a strip or tile, chroma as large as luma. */
export function rowBytes(picture: Picture, width = picture.blockWidth): number {
  return Math.ceil((width * (picture.planar ? 1 : picture.samples) * picture.bits) / 8);
}
