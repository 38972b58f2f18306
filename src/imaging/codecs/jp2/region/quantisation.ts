// Quantisation of sub-bands (ITU-T T.800 Annex E), and the bit-planes that `image.jp2_effort: visual` omits.

import { damagedJp2 } from "../../damaged.ts";
import { blockStyles } from "../markers.ts";
import type { Band } from "../stream/geometry.ts";
import type { Parameters } from "../stream/parameters.ts";
import type { OpenTile } from "../stream/stream.ts";
import type { BandCoding } from "./decode-block.ts";

export interface BandQuantisation extends BandCoding {
  /** Quantisation step of a coefficient, in levels of the component. */
  readonly step: number;
}

/**
 * `full`: all bit-planes of the file. `visual`: without the lowest ones, for derivatives that are lossy
 * anyway.
 */
export type Effort = "full" | "visual";

/** Gain of a sub-band in bits (table E.1). */
const gains = { LL: 0, HL: 1, LH: 1, HH: 2 } as const;

/** Quantisations by the parameters that they follow from, which most tiles of a file share. */
const known = new WeakMap<Parameters, Map<number, BandQuantisation>>();
/** More than the sub-bands of a component, and than its resolutions. */
const max = { bands: 128, resolutions: 64 };

interface Decoding {
  /** Depth of the samples. */
  readonly bits: number;
  /** The decoded resolution. */
  readonly last: number;
  readonly effort: Effort;
}

/** Returns bit-planes and step of a component's sub-band. Throws ImagingError `decode`. */
export function quantisationOf(
  tile: Pick<OpenTile, "parameters" | "components">,
  component: number,
  band: Band,
  decoding: Decoding,
): BandQuantisation {
  const { parameters } = tile;
  const found = known.get(parameters) ?? new Map<number, BandQuantisation>();
  known.set(parameters, found);
  const { last, effort } = decoding;
  const key = ((component * max.resolutions + last) * max.bands + band.index) * 2 + Number(effort === "full");
  const quantisation = found.get(key) ?? computeQuantisation(tile, component, band, decoding);
  found.set(key, quantisation);
  return quantisation;
}

/**
 * Returns bit-planes and step of a component's sub-band (equations E-2, E-3 and E-5). Throws ImagingError
 * `decode`.
 */
function computeQuantisation(
  { parameters, components }: Pick<OpenTile, "parameters" | "components">,
  component: number,
  band: Band,
  { bits, last, effort }: Decoding,
): BandQuantisation {
  const { coding } = components[component]!;
  const { kind, guardBits, steps } = parameters.quantisation[component]!;
  const shift = parameters.regionShift[component]!;
  const written = kind === "derived" ? steps[0] : steps[band.index];
  if (!written) throw damagedJp2("a quantisation step for each sub-band, found fewer");
  const exponent = kind === "derived" ? written.exponent - coding.levels + band.level : written.exponent;
  const step = 2 ** (bits + gains[band.orientation] - exponent) * (1 + written.mantissa / 2048);
  const isWhole = effort === "full" || shift > 0 || (coding.style & blockStyles.highThroughput) !== 0;
  const depth = last - (coding.levels - band.level);
  // The differences of the reversible transform have twice the range of the colours (G.2).
  const isDifference = coding.reversible && parameters.transforms && (component === 1 || component === 2);
  const change = coding.reversible ? (isDifference ? 1 / 2 : 1) : step;
  return {
    coding,
    orientation: band.orientation,
    planes: guardBits + exponent - 1,
    shift,
    step,
    skipped: isWhole ? 0 : unseenPlanes(band, depth, change, coding.reversible, bits),
  };
}

/**
 * Tolerance of `visual` per coefficient: the L2 norm of its effect, in levels of 8 bits. Effects of several
 * coefficients add up.
 */
const unseen = 4;

/**
 * L2 norms of the synthesis filters along one axis, by the number of levels undone with them: the effect of a
 * coefficient of 1 of a low or high sub-band on the samples. Two axes multiply.
 */
export const synthesisNorms = {
  reversible: { low: [1.22, 1.66, 2.32, 3.27, 4.62, 6.53], high: [0.85, 0.96, 1.26, 1.74, 2.45, 3.47] },
  irreversible: { low: [1.4, 2.03, 2.9, 4.12, 5.82, 8.24], high: [0.72, 0.98, 1.44, 2.07, 2.95, 4.17] },
} as const;

/**
 * Returns how many of the lowest bit-planes of a sub-band change the image by less than {@link unseen}.
 * `depth`: levels between the sub-band and the decoded resolution, from 1 on; `change`: value of a
 * coefficient of 1 before the filters. LL keeps all of its planes, since steps in flat areas are visible.
 */
function unseenPlanes(
  { orientation }: Band,
  depth: number,
  change: number,
  reversible: boolean,
  bits: number,
): number {
  const { low, high } = synthesisNorms[reversible ? "reversible" : "irreversible"];
  const [l, h] = [low[depth - 1], high[depth - 1]];
  if (orientation === "LL" || l === undefined || h === undefined) return 0;
  const norm = orientation === "HH" ? h * h : l * h;
  return Math.max(0, Math.floor(Math.log2((unseen * 2 ** (bits - 8)) / (norm * change))));
}
