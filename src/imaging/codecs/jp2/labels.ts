// What the colr boxes of a JP2 file say about its colours (ITU-T T.800 I.5.3.3; T.801 M.11.7.3).

import type { Interpretation } from "../../pipeline/pixels.ts";
import { fourCC } from "../header-bytes.ts";
import { type LabCoding, labFields, readLab } from "./lab.ts";

/** A colr box: the space that it names by number, or that of its profile. */
export interface ColourLabel {
  /** Undefined: one that cannot be served, or a profile that says none. */
  readonly space?: Interpretation;
  /** Number of its colours; undefined for a profile that says none. */
  readonly colours?: number;
  /** Name of a space that cannot be served. */
  readonly name?: string;
  /** True for gray of which 0 is white. */
  readonly inverted?: true;
  /** Coding of CIELab. */
  readonly lab?: LabCoding;
  /** Position of the profile in the file. */
  readonly profile?: { readonly offset: number; readonly length: number };
}

/** Colr boxes that are read; a file has one or two. */
export const maxLabels = 16;

export const coloursOf = { gray: 1, rgb: 3, ycc: 3, cmyk: 4, lab: 3 } as const;

/** T.800 table I.10 and T.801 table M.25. */
const enumerated: Readonly<Record<number, Interpretation>> = {
  0: "gray",
  12: "cmyk",
  14: "lab",
  15: "gray",
  16: "rgb",
  17: "gray",
  18: "ycc",
};
/** Enumerated value of bi-level with white as 0; in 15 it is black (T.801 table M.25). */
const whiteIsZero = 0;
/** Names and colours of spaces that cannot be served, from the same tables; other numbers mean nothing. */
const otherSpaces: Readonly<Record<number, readonly [name: string, colours: number]>> = {
  1: ["YCbCr (1)", 3],
  3: ["YCbCr (2)", 3],
  4: ["YCbCr (3)", 3],
  9: ["PhotoYCC", 3],
  11: ["CMY", 3],
  13: ["YCCK", 4],
  19: ["CIEJab", 3],
  20: ["e-sRGB", 3],
  21: ["ROMM-RGB", 3],
  24: ["e-sYCC", 3],
};
/** Spaces of profiles that are served, and the colours of others (ICC.1 header, bytes 16 to 19, table 19). */
const profileSpaces: Readonly<Record<string, Interpretation>> = { GRAY: "gray", "RGB ": "rgb", CMYK: "cmyk" };
const otherProfiles = /^(?:XYZ |Lab |Luv |YCbr|Yxy |HSV |HLS |CMY |3CLR)$/;
const numbered = /^([2-9A-F])CLR$/;

/**
 * Reads a colr box of `length` bytes at `body`; undefined if it is of a kind that is not read, or names a
 * number that no standard has. `view` returns its first bytes.
 */
export async function readLabel(
  view: (bytes: number) => Promise<DataView>,
  body: number,
  length: number,
): Promise<ColourLabel | undefined> {
  const method = (await view(3)).getUint8(0);
  if (method === 1) return labelOf((await view(7)).getUint32(3), view, length);
  if ((method !== 2 && method !== 3) || length < 3 + 128) return undefined;
  return { ...profileLabel(await view(3 + 40)), profile: { offset: body + 3, length: length - 3 } };
}

async function labelOf(
  number: number,
  view: (bytes: number) => Promise<DataView>,
  length: number,
): Promise<ColourLabel | undefined> {
  const space = enumerated[number];
  if (space === "lab") {
    const lab = readLab(length < 7 + labFields ? undefined : await view(7 + labFields));
    return { space, colours: coloursOf.lab, lab };
  }
  if (space) return { space, colours: coloursOf[space], ...(number === whiteIsZero && { inverted: true }) };
  const other = otherSpaces[number];
  return other && { name: other[0], colours: other[1] };
}

/** Returns the space of the profile in a colr box. */
function profileLabel(colr: DataView): ColourLabel {
  if (colr.getUint32(3 + 36) !== fourCC("acsp")) return {};
  const name = String.fromCharCode(...[0, 1, 2, 3].map((i) => colr.getUint8(3 + 16 + i)));
  const space = profileSpaces[name];
  if (space) return { space, colours: coloursOf[space] };
  const other = { name: `a profile for "${name.trimEnd()}"` };
  if (otherProfiles.test(name)) return { ...other, colours: 3 };
  const count = numbered.exec(name)?.[1];
  return count ? { ...other, colours: Number.parseInt(count, 16) } : {};
}
