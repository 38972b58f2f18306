// Clears parts of a file while it passes by, so that its length and all offsets in it stay.

/** Passes or clears a number of bytes, or passes all up to and including one of a value. */
export type BlankingStep = { readonly pass: number } | { readonly clear: number } | { readonly past: number };

/** Walks a file; receives the last byte of each step. */
export type BlankingWalk = Generator<BlankingStep, void, number>;

/**
 * Returns a function that receives the parts of a file in their order, and returns each, or a copy with
 * zeros. What follows the end of the walk is cleared.
 */
export function blanking(walk: BlankingWalk): (part: Uint8Array) => Uint8Array {
  let step = nextStep(walk);
  let left = lengthOf(step);
  return (part) => {
    let cleared = part;
    for (let at = 0; at < part.length; ) {
      const end = endOf(step, part, at, left);
      if ("clear" in step) {
        if (cleared === part) cleared = part.slice();
        cleared.fill(0, at, end);
      }
      left -= end - at;
      at = end;
      const last = part[end - 1] as number;
      if ("past" in step ? last === step.past : left === 0) {
        step = nextStep(walk, last);
        left = lengthOf(step);
      }
    }
    return cleared;
  };
}

/** Returns the next step that is not empty. */
function nextStep(walk: BlankingWalk, last = 0): BlankingStep {
  for (;;) {
    const { done, value } = walk.next(last);
    if (done) return { clear: Number.POSITIVE_INFINITY };
    if (lengthOf(value) > 0) return value;
  }
}

const lengthOf = (step: BlankingStep) =>
  "past" in step ? Number.POSITIVE_INFINITY : "pass" in step ? step.pass : step.clear;

function endOf(step: BlankingStep, part: Uint8Array, at: number, left: number): number {
  if (!("past" in step)) return Math.min(part.length, at + left);
  const found = part.indexOf(step.past, at);
  return found < 0 ? part.length : found + 1;
}
