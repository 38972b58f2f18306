// A budget over time: what is charged fills a meter that drains at a fixed rate (the leaky bucket as a meter,
// ITU-T I.371, annex A; GCRA is its other form). Rates may change while a meter is in use.

/** A budget, in any unit. */
export interface Budget {
  /** What may be used in a millisecond in the long run; above 0. */
  readonly perMs: number;
  /** What may be used immediately if nothing was used before. */
  readonly burst: number;
}

/** What has been charged and has not drained yet. Plain data. */
export interface Meter {
  level: number;
  /** Time of `level`, in milliseconds of any clock; that clock may go back. */
  at: number;
}

/** Returns a meter that nothing was charged to. */
export const emptyMeter = (now: number): Meter => ({ level: 0, at: now });

/** Returns what a meter holds at a time. */
export function levelOf({ level, at }: Meter, { perMs }: Budget, now: number): number {
  return Math.max(0, level - Math.max(0, now - at) * perMs);
}

/** Returns the milliseconds until a budget allows the next use; 0 if it does now. */
export function waitOf(meter: Meter, budget: Budget, now: number): number {
  return Math.max(0, levelOf(meter, budget, now) - budget.burst) / budget.perMs;
}

/**
 * Charges a use. A budget that allows uses only while {@link waitOf} is 0 allows at most `burst + perMs * t`
 * and one use more in any `t` milliseconds.
 */
export function charge(meter: Meter, budget: Budget, amount: number, now: number): void {
  meter.level = levelOf(meter, budget, now) + amount;
  meter.at = Math.max(meter.at, now);
}
