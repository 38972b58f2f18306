// Numbers that look random and are the same in every run.

/** Whole numbers from 0 up to but not `below`, the same for the same seed. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
