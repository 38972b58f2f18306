// Luma and chroma of 8 bits outside JPEG: TIFF 6.0 sections 20 (ReferenceBlackWhite) and 21 (YCbCr).

import { damagedTif } from "../../damaged.ts";
import type { BlockReader } from "../compression/block.ts";
import { type Directory, readField, type TiffFile } from "../directory/ifd.ts";
import { tags } from "../directory/tags.ts";

/** Storage and meaning of luma and chroma. */
export interface YccCoding {
  /** Columns and rows of luma for one sample of each chroma: 1, 2 or 4. */
  readonly across: number;
  readonly down: number;
  /** Weights of red, green and blue in luma. */
  readonly coefficients: readonly number[];
  /** Codes of zero and full luma, blue and red chroma, in turn. */
  readonly reference: readonly number[];
}

const samplings = [1, 2, 4];
/** ITU-R BT.601, and the full range of codes: the defaults of section 21 and libtiff. */
const usualCoefficients = [0.299, 0.587, 0.114];
const usualReference = [0, 255, 128, 255, 128, 255];

/**
 * Returns the columns and rows of luma per sample of each chroma, 2 and 2 by default. Throws ImagingError
 * `decode`.
 */
export async function readSampling(
  file: TiffFile,
  directory: Directory,
): Promise<Pick<YccCoding, "across" | "down">> {
  const [across = 0, down = 0] = (await readField(file, directory, tags.YCbCrSubSampling, 8)) ?? [2, 2];
  if (!samplings.includes(across) || !samplings.includes(down))
    throw damagedTif("chroma for 1, 2 or 4 columns and rows", `${across} and ${down}`);
  return { across, down };
}

/** Reads these fields of a directory. Throws ImagingError `decode` for impossible values. */
export async function readYcc(file: TiffFile, directory: Directory): Promise<YccCoding> {
  const field = (tag: number) => readField(file, directory, tag, 8);
  const { across, down } = await readSampling(file, directory);
  const coefficients = (await field(tags.YCbCrCoefficients)) ?? usualCoefficients;
  if (coefficients.length !== 3 || !coefficients.every((part) => part > 0 && part < 1))
    throw damagedTif("three YCbCrCoefficients between 0 and 1", coefficients.join(", "));
  const reference = (await field(tags.ReferenceBlackWhite)) ?? usualReference;
  const spans = [0, 2, 4].map((i) => (reference[i + 1] ?? 0) - (reference[i] ?? 0));
  if (reference.length !== 6 || !spans.every((span) => Number.isFinite(span) && span !== 0))
    throw damagedTif("ReferenceBlackWhite of three ranges", reference.join(", "));
  return { across, down, coefficients, reference };
}

/** True if luma and chroma have the same meaning as in JPEG files. */
export const isUsual = ({ coefficients, reference }: YccCoding): boolean =>
  coefficients.every((part, i) => Math.abs(part - (usualCoefficients[i] ?? 0)) < 1e-3) &&
  reference.every((code, i) => code === usualReference[i]);

export const isSubsampled = ({ across, down }: YccCoding) => across > 1 || down > 1;

/**
 * Returns the bytes of the data units with `down` rows of `width` pixels; units at the right edge are whole.
 */
export const unitRowBytes = ({ across, down }: YccCoding, width: number) =>
  Math.ceil(width / across) * (across * down + 2);

/** Returns the rows of a reader of data units as three samples a pixel: chroma is repeated, as in libtiff. */
export function expandedUnits(units: BlockReader, coding: YccCoding, width: number): BlockReader {
  const { across, down } = coding;
  const stored = new Uint8Array(unitRowBytes(coding, width));
  const rows = new Uint8Array(width * 3 * down);
  let at = rows.length;
  const expand = () => {
    for (let x = 0, unit = 0; x < width; x += across, unit += across * down + 2) {
      const chroma = unit + across * down;
      const columns = Math.min(across, width - x);
      for (let row = 0; row < down; row++)
        for (let column = 0; column < columns; column++) {
          const to = (row * width + x + column) * 3;
          rows[to] = stored[unit + row * across + column] as number;
          rows[to + 1] = stored[chroma] as number;
          rows[to + 2] = stored[chroma + 1] as number;
        }
    }
  };
  return {
    async read(into) {
      for (let filled = 0; filled < into.length; ) {
        if (at === rows.length) {
          await units.read(stored);
          expand();
          at = 0;
        }
        const part = rows.subarray(at, at + into.length - filled);
        into.set(part, filled);
        filled += part.length;
        at += part.length;
      }
    },
    close: () => units.close?.(),
  };
}

/**
 * Returns a function that converts pixels of `bands` samples, the first three of them luma and chroma, to
 * red, green and blue, in place.
 */
export function yccToRgb({ coefficients, reference }: YccCoding, bands: number) {
  const [red = 0, green = 0, blue = 0] = coefficients;
  const [black = 0, white = 0, noBlue = 0, fullBlue = 0, noRed = 0, fullRed = 0] = reference;
  const table = (value: (code: number) => number) =>
    Float64Array.from({ length: 256 }, (_, code) => value(code));
  const luma = table((code) => ((code - black) * 255) / (white - black));
  const toBlue = table((code) => (((code - noBlue) * 127) / (fullBlue - noBlue)) * 2 * (1 - blue));
  const toRed = table((code) => (((code - noRed) * 127) / (fullRed - noRed)) * 2 * (1 - red));
  return (data: Uint8Array | Uint16Array): void => {
    for (let i = 0; i < data.length; i += bands) {
      const y = luma[data[i]!]!;
      const b = toBlue[data[i + 1]!]!;
      const r = toRed[data[i + 2]!]!;
      data[i] = level(y + r);
      data[i + 1] = level(y - (blue * b + red * r) / green);
      data[i + 2] = level(y + b);
    }
  };
}

const level = (value: number) => (value <= 0 ? 0 : value >= 255 ? 255 : Math.round(value));
