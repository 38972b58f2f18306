// Converts stored samples to those of a PixelBuffer: widening, palettes, MinIsWhite, YCbCr, CIELAB, floating
// point and alpha.

import { unpremultiply } from "../../../pipeline/unpremultiply.ts";
import { labScales } from "../../jp2/lab.ts";
import { isPacked, type Picture } from "../directory/picture.ts";
import { numbersOf } from "./numbers.ts";
import { yccToRgb } from "./ycc.ts";

/** Values that become 0 and 65535. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * Converts decompressed rows to samples of 8 or 16 bits: other integers are scaled, negative values become 0,
 * float becomes 0 to 65535. `plane` is that of the data if each sample has its own. With a range, samples of
 * more than 8 bits become their position in it.
 */
export function asSamples(
  picture: Picture,
  data: Uint8Array,
  rowSamples: number,
  plane: number,
  range?: Range,
): Uint8Array | Uint16Array {
  const { bits, float, signed, planar, samples, depth } = picture;
  if (bits === 8 && !signed) return data;
  const values = numbersOf(picture, data, rowSamples);
  if (range) return stretch(values, range);
  if (values instanceof Uint16Array && bits === 16) return values;
  if (float && picture.interpretation === "lab")
    return scaleSamples(values, depth, (value, i) => {
      const [add, full] = labScales[planar ? plane : i % samples] ?? [0, 1];
      return ((value + add) / full) * 65535;
    });
  const factor = factorOf(picture);
  return scaleSamples(values, depth, (value) => value * factor);
}

/**
 * Returns the factor for stored numbers. Signed ones have the scale of unsigned ones, of which they use half,
 * as in other decoders.
 */
function factorOf({ bits, float, depth }: Picture): number {
  const full = depth === 16 ? 65535 : 255;
  return float ? full : full / (2 ** bits - 1);
}

function scaleSamples(
  values: ArrayLike<number>,
  depth: 8 | 16,
  convert: (value: number, i: number) => number,
): Uint8Array | Uint16Array {
  const full = depth === 16 ? 65535 : 255;
  const out = depth === 16 ? new Uint16Array(values.length) : new Uint8Array(values.length);
  for (let i = 0; i < out.length; i++) {
    const value = convert(values[i] as number, i);
    // Written so that NaN becomes 0.
    out[i] = value > 0 ? Math.round(Math.min(value, full)) : 0;
  }
  return out;
}

function stretch(values: ArrayLike<number>, { low, high }: Range): Uint16Array {
  const out = new Uint16Array(values.length);
  const scale = 65535 / (high - low);
  for (let i = 0; i < out.length; i++) {
    const value = values[i] as number;
    out[i] = value > low ? Math.min(65535, Math.round((value - low) * scale)) : 0;
  }
  return out;
}

/** Destination of samples: maps a part of a block to a part of the output. */
export interface Placement {
  /** First sample of the part, samples from row to row, samples from pixel to pixel. */
  readonly from: number;
  readonly fromRow: number;
  readonly fromPixel: number;
  /** First sample in the output, samples from row to row, samples from pixel to pixel. */
  readonly to: number;
  readonly toRow: number;
  readonly toPixel: number;
  readonly width: number;
  readonly rows: number;
  /** Number of samples copied per pixel. */
  readonly bands: number;
}

/** Copies the samples of a part of a block. */
export function copySamples(
  samples: Uint8Array | Uint16Array,
  out: Uint8Array | Uint16Array,
  p: Placement,
): void {
  const whole = p.fromPixel === p.bands && p.toPixel === p.bands;
  for (let y = 0; y < p.rows; y++) {
    let from = p.from + y * p.fromRow;
    let to = p.to + y * p.toRow;
    if (whole) {
      out.set(samples.subarray(from, from + p.width * p.bands), to);
      continue;
    }
    for (let x = 0; x < p.width; x++, from += p.fromPixel, to += p.toPixel)
      for (let b = 0; b < p.bands; b++) out[to + b] = samples[from + b] as number;
  }
}

/**
 * Copies one sample of less than a byte per pixel, from rows that begin at whole bytes; values are not
 * scaled.
 */
export function copyBits(bits: number, data: Uint8Array, out: Uint8Array | Uint16Array, p: Placement): void {
  const stride = Math.ceil((p.fromRow * bits) / 8);
  const firstRow = Math.floor(p.from / p.fromRow);
  const firstColumn = p.from % p.fromRow;
  const mask = (1 << bits) - 1;
  for (let y = 0; y < p.rows; y++) {
    const row = (firstRow + y) * stride;
    const to = p.to + y * p.toRow;
    for (let x = 0; x < p.width; x++) {
      const bit = (firstColumn + x) * bits;
      out[to + x] = ((data[row + (bit >> 3)] as number) >> (8 - bits - (bit & 7))) & mask;
    }
  }
}

type Finish = (stored: Uint8Array | Uint16Array) => Uint8Array | Uint16Array;

/**
 * Returns a function that makes pixels of stored samples, in place except for palettes; undefined if they are
 * the same. `colours` is a ColorMap of TIFF 6.0 section 5: all reds, all greens, all blues, 16 bit each.
 */
export function finisher(picture: Picture, colours: readonly number[] | undefined): Finish | undefined {
  if (colours) return fromPalette(colours, picture.alpha);
  const { bands, alpha, bits, depth } = picture;
  const inverted = picture.photometric === 0;
  const lab = picture.float ? undefined : labCodings[picture.photometric]?.[depth];
  if (lab) return (data) => fromLab(data, picture, lab);
  if (picture.ycc) {
    const convert = yccToRgb(picture.ycc, bands);
    return (data) => {
      convert(data);
      if (alpha === "associated") unpremultiply(data, bands, 255);
      return data;
    };
  }
  const packed = isPacked(picture);
  if (!packed && !inverted && alpha !== "associated") return undefined;
  const full = depth === 16 ? 65535 : 255;
  const scale = packed ? full / ((1 << bits) - 1) : 1;
  const coloured = alpha === "none" ? bands : bands - 1;
  return (data) => {
    if (scale !== 1 || inverted)
      for (let i = 0; i < data.length; i += bands)
        for (let b = 0; b < coloured; b++) {
          const value = (data[i + b] as number) * scale;
          data[i + b] = inverted ? full - value : value;
        }
    if (alpha === "associated") unpremultiply(data, bands, full);
    return data;
  };
}

/** Conversion of a stored sample to interpretation `lab`: L*, then a* and b*. */
interface LabCoding {
  readonly l: (stored: number) => number;
  readonly ab: (stored: number) => number;
}

const keepSample = (stored: number) => stored;
/** 7.8 bits above 0 to 0 to full scale, of which 255/256 is 65535 of them. */
const widenSample = (value: number) => Math.min(65535, Math.round((value * 257) / 256));

/**
 * Codings by photometric interpretation and depth. CIELab: a* and b* signed (TIFF 6.0 section 23; 16 bit:
 * Adobe Photoshop TIFF Technical Notes, 2002). ICCLab: with an offset; in 16 bit L* 100 is 0xff00, as in
 * version 2 of ICC.1.
 */
const labCodings: Readonly<Record<number, Readonly<Record<8 | 16, LabCoding>>>> = {
  8: {
    8: { l: keepSample, ab: (stored) => stored ^ 0x80 },
    16: { l: keepSample, ab: (stored) => widenSample(stored ^ 0x8000) },
  },
  9: {
    8: { l: keepSample, ab: keepSample },
    16: { l: widenSample, ab: widenSample },
  },
};

function fromLab(data: Uint8Array | Uint16Array, { bands, alpha, depth }: Picture, { l, ab }: LabCoding) {
  for (let i = 0; i < data.length; i += bands) {
    data[i] = l(data[i] as number);
    data[i + 1] = ab(data[i + 1] as number);
    data[i + 2] = ab(data[i + 2] as number);
  }
  if (alpha === "associated") unpremultiply(data, bands, depth === 16 ? 65535 : 255);
  return data;
}

function fromPalette(colours: readonly number[], alpha: Picture["alpha"]): Finish {
  const size = colours.length / 3;
  // Some writers store 8-bit values instead of 16-bit ones.
  const shift = colours.some((value) => value > 255) ? 8 : 0;
  const bytes = Uint8Array.from(colours, (value) => value >> shift);
  const step = alpha === "none" ? 1 : 2;
  return (stored) => {
    const bands = 2 + step;
    const out = new Uint8Array((stored.length / step) * bands);
    for (let i = 0, o = 0; i < stored.length; i += step, o += bands) {
      for (let b = 0; b < 3; b++) out[o + b] = bytes[b * size + (stored[i] as number)] ?? 0;
      if (step === 2) out[o + 3] = stored[i + 1] as number;
    }
    if (alpha === "associated") unpremultiply(out, bands, 255);
    return out;
  };
}
