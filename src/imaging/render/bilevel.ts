// Derivatives of black and white alone, which some formats store with 1 bit.

import type { Writing } from "../codecs/format.ts";
import type { ReadRequest } from "../codecs/plan.ts";
import type { Step } from "../pipeline/step.ts";

/** Steps that move samples and leave their values. */
const moving: ReadonlySet<Step["op"]> = new Set(["orient", "crop", "mirror", "gray"]);

const moves = (step: Step): boolean =>
  moving.has(step.op) || (step.op === "rotate" && step.degrees % 90 === 0);

/**
 * True if all samples of a derivative are black or white: after the bitonal step, or if those of its master
 * are and only move. Depends on the form of a request, never on pixels, so that all tiles have one depth.
 */
function isBilevel(
  { header, scaleFactor }: Pick<ReadRequest, "header" | "scaleFactor">,
  steps: readonly Step[],
): boolean {
  if (steps.some(({ op }) => op === "bitonal")) return true;
  return header.bilevel === true && scaleFactor === 1 && steps.every(moves);
}

/** Returns what the options of an encoder say of a derivative's depth, if the format stores it with 1 bit. */
export const bilevelOf = (
  { bilevel }: Pick<Writing, "bilevel">,
  read: Pick<ReadRequest, "header" | "scaleFactor">,
  steps: readonly Step[],
): { readonly bilevel?: true } => (bilevel && isBilevel(read, steps) ? { bilevel: true } : {});
