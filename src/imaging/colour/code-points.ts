// Profiles for the code points of ITU-T H.273: in a PNG's cICP chunk (third edition, 11.3.2.6), in AVIF and
// JPEG XL.

import { hdrCurve, hlgToLight, pqToLight } from "./hdr.ts";
import type { Primaries } from "./matrix.ts";
import { srgbPrimaries } from "./srgb.ts";
import { type CurveParameters, grayProfile, rgbProfile, srgbCurve } from "./write.ts";

const d65 = srgbPrimaries.white;
const whiteC = [0.31, 0.316] as const;
const primariesOfSmpte170: Primaries = {
  white: d65,
  red: [0.63, 0.34],
  green: [0.31, 0.595],
  blue: [0.155, 0.07],
};
const p3: Primaries = { white: d65, red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] };

/** ColourPrimaries (H.273, table 2). */
const primaries: Readonly<Record<number, Primaries>> = {
  1: srgbPrimaries,
  4: { white: whiteC, red: [0.67, 0.33], green: [0.21, 0.71], blue: [0.14, 0.08] },
  5: { white: d65, red: [0.64, 0.33], green: [0.29, 0.6], blue: [0.15, 0.06] },
  6: primariesOfSmpte170,
  7: primariesOfSmpte170,
  8: { white: whiteC, red: [0.681, 0.319], green: [0.243, 0.692], blue: [0.145, 0.049] },
  9: { white: d65, red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046] },
  10: { white: [1 / 3, 1 / 3], red: [1, 0], green: [0, 1], blue: [0, 0] },
  11: { ...p3, white: [0.314, 0.351] },
  12: p3,
  22: { white: d65, red: [0.63, 0.34], green: [0.295, 0.605], blue: [0.155, 0.077] },
};

/** BT.1886: how displays show what BT.709 and BT.601 encode, and browsers with them. */
const display: CurveParameters = [2.4];

/** TransferCharacteristics (H.273, table 3) of standard dynamic range, from a sample to the light shown. */
const transfers: Readonly<Record<number, CurveParameters>> = {
  1: display,
  4: [2.2],
  5: [2.8],
  6: display,
  7: [1 / 0.45, 1 / 1.1115, 0.1115 / 1.1115, 1 / 4, 4 * 0.0228],
  8: [1],
  11: display,
  13: srgbCurve,
  14: display,
  15: display,
  17: [2.6, (52.37 / 48) ** (1 / 2.6), 0, 0, 0], // SMPTE ST 428-1
};

/** TransferCharacteristics of high dynamic range, from a sample to light in cd/m2. */
const hdrTransfers: Readonly<Record<number, (sample: number) => number>> = { 16: pqToLight, 18: hlgToLight };

/** True if samples of this transfer have a high dynamic range. */
export const isHdr = (transfer: number): boolean => transfer in hdrTransfers;

/** ColourPrimaries and TransferCharacteristics. */
export type CodePoints = readonly [primaries: number, transfer: number];

/**
 * Returns the code points of a cICP chunk that a profile can express: plain RGB, full range. Returns the
 * reason why the others are not used, for people; undefined for a chunk of another length, which is none.
 */
export function readCodePoints(chunk: Uint8Array): CodePoints | { readonly ignored: string } | undefined {
  if (chunk.length !== 4) return undefined;
  const [colours, transfer, matrix, fullRange] = chunk as unknown as readonly [
    number,
    number,
    number,
    number,
  ];
  const isKnown = primaries[colours] && (transfers[transfer] || isHdr(transfer));
  if (isKnown && matrix === 0 && fullRange === 1) return [colours, transfer];
  return { ignored: `it has the code points ${[...chunk].join(", ")}` };
}

/** True if samples of these code points are sRGB, or gray in its tone curve. */
export const isSrgbCoded = ([colours, transfer]: CodePoints, gray: boolean): boolean =>
  transfer === 13 && (gray || colours === 1);

/** Returns the profile of code points that `readCodePoints` returned. */
export function codedProfile([colours, transfer]: CodePoints, gray: boolean): Uint8Array {
  const name = `H.273 ${colours}, ${transfer}`;
  const toLight = hdrTransfers[transfer];
  const curve = toLight ? hdrCurve(toLight) : transfers[transfer]!;
  return gray ? grayProfile(name, curve) : rgbProfile(name, primaries[colours]!, curve);
}
