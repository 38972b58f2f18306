// Whether an image's tiles are better cut from the file losslessly than encoded anew: decided once for the whole image,
// from its tables alone, so that all its tiles are made alike.

import { quantisationTables } from "./quantisation.ts";
import type { Frame } from "./random/frame.ts";

/** A cut may have this many times the bytes that encoding anew is estimated to need. */
const allowance = 1.5;

/**
 * How bytes are taken to go with quantisation steps: proportional to the mean step to the power of -0.7. A rough model: on
 * three pictures it was within a third of sharp's files from quality 75 to 93; above, real files grew less than it says (at 97
 * by 1.4 to 1.8 times instead of 2.3), so that masters of high quality are encoded anew sooner than the allowance asks.
 */
const exponent = 0.7;

/** What full chroma adds to halved chroma, as a share of the bytes: 1.05 to 1.3 on the same pictures. */
const fullChroma = 1.2;

/**
 * Whether cuts are at most 1.5 times as large as encoding at `quality` with halved chroma is estimated to make the same
 * tiles. `steps`: the quantisation table of the first component, 64 values in any order.
 */
export function worthCutting(frame: Frame, steps: ArrayLike<number>, quality: number): boolean {
  const own = meanStep(steps);
  const target = meanStep(quantisationTables(quality).luma);
  const colour = frame.components.length > 1 && frame.hMax * frame.vMax === 1 ? fullChroma : 1;
  return colour * (target / own) ** exponent <= allowance;
}

/** Mean of the low frequencies, where nearly all coefficients of photographs are. */
function meanStep(steps: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < 64; i++) if ((i & 7) + (i >> 3) < 6) sum += steps[i] ?? 1;
  return Math.max(1, sum / 21);
}
