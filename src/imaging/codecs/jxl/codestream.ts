// The headers of a JPEG XL codestream as a decoder reads them: its size and the image metadata (ISO/IEC
// 18181-1, annex D and E.2).

import type { Size } from "../../../base/index.ts";
import { damagedJxl } from "../damaged.ts";
import type { Choice } from "./bits.ts";
import { sides } from "./headers.ts";
import type { BitReader } from "./read-bits.ts";

/** Types of extra channels (table D.9). */
export const channelTypes = { alpha: 0, spot: 2, black: 4, filter: 5 } as const;

export interface ExtraChannel {
  readonly type: number;
  /** Alpha: colours are premultiplied. */
  readonly isAssociated: boolean;
  /** log2 of the reduction of its size. */
  readonly shift: number;
}

/** CIE x and y in millionths. */
export type Millionths = readonly [x: number, y: number];

/** An encoding of colours by numbers of the standard (E.2), most of them those of ITU-T H.273. */
export interface EnumeratedColour {
  readonly kind: "enumerated";
  readonly space: number;
  readonly white: number | Millionths;
  readonly primaries: number | readonly [red: Millionths, green: Millionths, blue: Millionths];
  readonly transfer: number | { readonly gamma: number };
}

export interface Codestream {
  readonly size: Size;
  /** EXIF numbering. */
  readonly orientation: number;
  readonly isAnimated: boolean;
  /** True if a small frame precedes the image. */
  readonly hasPreview: boolean;
  /** Bits of each sample. */
  readonly bits: number;
  readonly isFloat: boolean;
  readonly extra: readonly ExtraChannel[];
  /** True if colours are those of the eye, so that a decoder may deliver them in any encoding. */
  readonly isXyb: boolean;
  readonly colour: EnumeratedColour | { readonly kind: "icc"; readonly space: number };
  readonly opsin: Opsin;
  /** Bits of parts that can be replaced; absent if all metadata are the default. */
  readonly parts?: Readonly<
    Record<"orientation" | "depth" | "colour" | "opsin", readonly [from: number, to: number]>
  >;
  /** Position in bits behind the metadata. */
  readonly end: number;
}

/** How XYB becomes linear sRGB (annex L.2). */
export interface Opsin {
  /** Row by row. */
  readonly matrix: readonly number[];
  /** Biases of the matrix and of quantisation. */
  readonly biases: readonly number[];
  /** True if no weights of upsampling follow it. */
  readonly isLast: boolean;
}

const usualOpsin: Opsin = {
  matrix: [
    ...[11.031566901960783, -9.866943921568629, -0.16462299647058826],
    ...[-3.254147380392157, 4.418770392156863, -0.16462299647058826],
    ...[-3.6588512862745097, 2.7129230470588235, 1.9459282392156863],
  ],
  biases: [
    ...[-0.0037930732552754493, -0.0037930732552754493, -0.0037930732552754493],
    ...[1 - 0.05465007330715401, 1 - 0.07005449891748593, 1 - 0.049935103337343655, 0.145],
  ],
  isLast: true,
};

/** Values of ColourSpace, WhitePoint, Primaries and TransferFunction (E.2). */
export const spaces = { rgb: 0, gray: 1 } as const;
export const custom = 2;
export const sRgb: EnumeratedColour = {
  kind: "enumerated",
  space: spaces.rgb,
  white: 1,
  primaries: 1,
  transfer: 13,
};

const ratios = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
] as const;
const integerBits: readonly Choice[] = [
  [8, 0],
  [10, 0],
  [12, 0],
  [1, 6],
];
const floatBits: readonly Choice[] = [
  [32, 0],
  [16, 0],
  [24, 0],
  [1, 6],
];
const channelCounts: readonly Choice[] = [
  [0, 0],
  [1, 0],
  [2, 4],
  [1, 12],
];
const shifts: readonly Choice[] = [
  [0, 0],
  [3, 0],
  [4, 0],
  [1, 3],
];
const nameLengths: readonly Choice[] = [
  [0, 0],
  [0, 4],
  [16, 5],
  [48, 10],
];
const filterChannels: readonly Choice[] = [
  [1, 0],
  [0, 2],
  [3, 4],
  [19, 8],
];
const coordinates: readonly Choice[] = [
  [0, 19],
  [524_288, 19],
  [1_048_576, 20],
  [2_097_152, 21],
];
const maxChannels = 256;
/** Weights of upsampling by 2, 4 and 8, each of 16 bits. */
const weights = [15, 55, 210];

/** Reads the headers behind the signature. Throws ImagingError `decode`, and OutOfBits. */
export function readCodestream(bits: BitReader): Codestream {
  if (bits.take(16) !== 0x0aff) throw damagedJxl("a codestream");
  const size = readSize(bits);
  const byDefault = {
    size,
    orientation: 1,
    isAnimated: false,
    hasPreview: false,
    bits: 8,
    isFloat: false,
    extra: [],
    isXyb: true,
    colour: sRgb,
  };
  if (bits.flag()) {
    const opsin = readOpsin(bits, true);
    skipWeights(bits, opsin);
    return { ...byDefault, opsin, end: bits.position };
  }
  const hasFields = bits.flag();
  const beforeFields = bits.position;
  const fields = hasFields ? readFields(bits) : { orientation: 1, isAnimated: false, hasPreview: false };
  const beforeDepth = bits.position;
  const depth = readDepth(bits);
  const behindDepth = bits.position;
  bits.skip(1); // whether 16 bits are enough for modular streams
  const count = bits.choose(channelCounts);
  if (count > maxChannels) throw damagedJxl(`at most ${maxChannels} extra channels`);
  const extra = Array.from({ length: count }, () => readChannel(bits));
  const isXyb = bits.flag();
  const beforeColour = bits.position;
  const colour = readColour(bits);
  const behindColour = bits.position;
  if (hasFields) skipToneMapping(bits);
  skipExtensions(bits);
  const beforeOpsin = bits.position;
  const opsin = readOpsin(bits, isXyb);
  const behindOpsin = bits.position;
  skipWeights(bits, opsin);
  return {
    size,
    ...fields,
    ...depth,
    extra,
    isXyb,
    colour,
    opsin,
    parts: {
      orientation: [beforeFields, beforeFields + (hasFields ? 3 : 0)],
      depth: [beforeDepth, behindDepth],
      colour: [beforeColour, behindColour],
      opsin: [beforeOpsin, behindOpsin],
    },
    end: bits.position,
  };
}

function readSize(bits: BitReader): Size {
  const isSmall = bits.flag();
  const side = () => (isSmall ? 8 * (1 + bits.take(5)) : bits.choose(sides));
  const height = side();
  const ratio = bits.take(3);
  if (ratio === 0) return { width: side(), height };
  const [across, down] = ratios[ratio - 1]!;
  return { width: Math.floor((height * across) / down), height };
}

function readFields(bits: BitReader): Pick<Codestream, "orientation" | "isAnimated" | "hasPreview"> {
  const orientation = 1 + bits.take(3);
  if (bits.flag()) readSize(bits); // the intrinsic size
  const hasPreview = bits.flag();
  if (hasPreview) skipPreview(bits);
  const isAnimated = bits.flag();
  if (isAnimated) skipAnimation(bits);
  return { orientation, isAnimated, hasPreview };
}

const previewEighths: readonly Choice[] = [
  [16, 0],
  [32, 0],
  [1, 5],
  [33, 9],
];
const previewSides: readonly Choice[] = [
  [1, 6],
  [65, 8],
  [321, 10],
  [1345, 12],
];

function skipPreview(bits: BitReader): void {
  const choices = bits.flag() ? previewEighths : previewSides;
  bits.choose(choices);
  if (bits.take(3) === 0) bits.choose(choices);
}

function skipAnimation(bits: BitReader): void {
  for (const widths of [
    [0, 0, 10, 30],
    [0, 0, 8, 10],
    [0, 3, 16, 32],
  ])
    bits.skip(widths[bits.take(2)]!);
  bits.skip(1); // time codes
}

function readDepth(bits: BitReader): Pick<Codestream, "bits" | "isFloat"> {
  const isFloat = bits.flag();
  const found = { bits: bits.choose(isFloat ? floatBits : integerBits), isFloat };
  if (isFloat) bits.skip(4); // bits of the exponent
  return found;
}

function readChannel(bits: BitReader): ExtraChannel {
  if (bits.flag()) return { type: channelTypes.alpha, isAssociated: false, shift: 0 };
  const type = bits.takeEnum();
  readDepth(bits);
  const shift = bits.choose(shifts);
  bits.skip(8 * bits.choose(nameLengths));
  const isAssociated = type === channelTypes.alpha && bits.flag();
  if (type === channelTypes.spot) bits.skip(4 * 16);
  if (type === channelTypes.filter) bits.choose(filterChannels);
  return { type, isAssociated, shift };
}

function readColour(bits: BitReader): Codestream["colour"] {
  if (bits.flag()) return sRgb;
  const hasProfile = bits.flag();
  const space = bits.takeEnum();
  if (hasProfile) return { kind: "icc", space };
  const isNamed = space !== 2; // XYB itself
  const white = isNamed ? orCustom(bits, () => readMillionths(bits)) : 1;
  const primaries =
    isNamed && space !== spaces.gray
      ? orCustom(bits, () => [readMillionths(bits), readMillionths(bits), readMillionths(bits)] as const)
      : 1;
  const transfer = bits.flag() ? { gamma: bits.take(24) / 1e7 } : bits.takeEnum();
  bits.takeEnum(); // rendering intent
  return { kind: "enumerated", space, white, primaries, transfer };
}

function orCustom<T>(bits: BitReader, read: () => T): number | T {
  const named = bits.takeEnum();
  return named === custom ? read() : named;
}

function readMillionths(bits: BitReader): Millionths {
  const readSigned = () => {
    const value = bits.choose(coordinates);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const x = readSigned();
  return [x, readSigned()];
}

function skipToneMapping(bits: BitReader): void {
  if (!bits.flag()) bits.skip(16 + 16 + 1 + 16);
}

function skipExtensions(bits: BitReader): void {
  const present = bits.long();
  let length = 0;
  for (let rest = present; rest > 0; rest = Math.floor(rest / 2)) if (rest % 2 === 1) length += bits.long();
  bits.skip(length);
}

function readOpsin(bits: BitReader, isXyb: boolean): Opsin {
  if (bits.flag()) return usualOpsin;
  if (!isXyb || bits.flag()) return { ...usualOpsin, isLast: false };
  const values = Array.from({ length: 16 }, () => bits.half());
  return { matrix: values.slice(0, 9), biases: values.slice(9), isLast: false };
}

function skipWeights(bits: BitReader, { isLast }: Opsin): void {
  if (isLast) return;
  const mask = bits.take(3);
  for (const [i, count] of weights.entries()) if (mask & (1 << i)) bits.skip(16 * count);
}
