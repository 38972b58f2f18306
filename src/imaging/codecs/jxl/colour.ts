// Colours of a JPEG XL image: in which encoding a decoder delivers them, and what a header says of it.

import { memoryBytes } from "../../../base/index.ts";
import { isHdr as isHdrTransfer, isSrgbCoded, readCodePoints } from "../../colour/code-points.ts";
import { colourFacts } from "../../metadata/colour.ts";
import type { ColourFacts } from "../image-header.ts";
import {
  type Codestream,
  channelTypes,
  type EnumeratedColour,
  type Millionths,
  spaces,
} from "./codestream.ts";

export interface Rendering {
  /** True if the decoder delivers BT.2020 with the curve of sRGB. */
  readonly isWide: boolean;
  /** Bits of the samples of the result. */
  readonly depth: 8 | 16;
  readonly facts: ColourFacts | undefined;
  /** True if colours have a high dynamic range. */
  readonly isHdr: boolean;
}

/** White points and primaries of JPEG XL; P3 has the white of D65 or of cinemas. */
const whites = { d65: 1, cinema: 11 } as const;
const p3 = 11;

/** BT.2020 with the curve of sRGB: as wide as any profile of photographs. */
const wide = { from: "cicp", srgb: false, codePoints: [9, 13] } as const;

/**
 * Returns how the image is rendered. Colours that are those of the eye become sRGB, or BT.2020 if they may
 * lie outside; those of high dynamic range are moved into sRGB by the decoder. `icc`: its profile, if it has
 * one.
 */
export async function renderingOf(stream: Codestream, icc: Uint8Array | undefined): Promise<Rendering> {
  const { colour, bits, isXyb } = stream;
  const isGray = colour.space === spaces.gray;
  const depth = bits > 8 ? 16 : 8;
  const isHdr =
    colour.kind === "enumerated" && typeof colour.transfer === "number" && isHdrTransfer(colour.transfer);
  const facts = await statedColour(colour, icc, isGray);
  if (!isXyb) return { isWide: false, depth, facts, isHdr };
  if (isGray || isHdr || !facts || facts.srgb)
    return { isWide: false, depth, facts: facts?.ignored ? facts : undefined, isHdr };
  return { isWide: true, depth: 16, facts: wide, isHdr };
}

/** Returns what a file says of its colours; undefined if they are sRGB by enumeration. */
async function statedColour(
  colour: Codestream["colour"],
  icc: Uint8Array | undefined,
  gray: boolean,
): Promise<ColourFacts | undefined> {
  if (colour.kind === "icc") return colourFacts({ icc: icc && memoryBytes(icc) }, gray ? "gray" : "rgb");
  const codes = codePointsOf(colour, gray);
  const coded = codes && readCodePoints(Uint8Array.of(...codes, 0, 1));
  if (coded && !("ignored" in coded))
    return isSrgbCoded(coded, gray) ? undefined : { from: "cicp", srgb: false, codePoints: coded };
  const chromaticities = chromaticitiesOf(colour);
  if (typeof colour.transfer === "object" && chromaticities) {
    const { gamma } = colour.transfer;
    return colourFacts({ chunks: { srgb: false, gamma, chromaticities } }, gray ? "gray" : "rgb");
  }
  return { from: "cicp", srgb: true, ignored: "its colour encoding has no common name" };
}

/** Returns primaries and transfer by the numbers of ITU-T H.273, if they have any. */
function codePointsOf(
  { white, primaries, transfer }: EnumeratedColour,
  gray: boolean,
): [number, number] | undefined {
  if (typeof transfer !== "number") return undefined;
  if (gray) return [1, transfer];
  if (typeof primaries !== "number") return undefined;
  if (white === whites.d65) return [primaries === p3 ? 12 : primaries, transfer];
  return white === whites.cinema && primaries === p3 ? [p3, transfer] : undefined;
}

const named = {
  whites: { 1: [312_700, 329_000], 10: [333_333, 333_333], 11: [314_000, 351_000] },
  primaries: {
    1: [
      [639_999, 330_010],
      [300_004, 600_003],
      [150_002, 59_997],
    ],
    9: [
      [708_000, 292_000],
      [170_000, 797_000],
      [131_000, 46_000],
    ],
    11: [
      [680_000, 320_000],
      [265_000, 690_000],
      [150_000, 60_000],
    ],
  },
} as const satisfies {
  whites: Readonly<Record<number, Millionths>>;
  primaries: Readonly<Record<number, readonly [Millionths, Millionths, Millionths]>>;
};

/** Returns x and y of white, red, green and blue. */
function chromaticitiesOf({ white, primaries }: EnumeratedColour): number[] | undefined {
  const whitePoint = typeof white === "object" ? white : named.whites[white as keyof typeof named.whites];
  const colours =
    typeof primaries === "object" ? primaries : named.primaries[primaries as keyof typeof named.primaries];
  if (!whitePoint || !colours) return undefined;
  return [whitePoint, ...colours].flat().map((value) => value / 1e6);
}

/** True for images of inks, whose black is a channel of its own. */
export const isInked = ({ extra }: Codestream): boolean =>
  extra.some(({ type }) => type === channelTypes.black);
