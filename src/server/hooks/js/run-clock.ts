// Measures how long code in QuickJS has run, at its interrupts: after about every 10,000 jumps, calls or
// steps of a regular expression.

export interface RunClock {
  /** Begins a run with this time limit in milliseconds. */
  limit(ms: number): void;
  /** The interrupt handler: true if the run has to end. From then on it stays true until the next run. */
  isOver(): boolean;
  /** True if the run was interrupted. */
  wasOver(): boolean;
}

/**
 * Interrupts per millisecond, for hosts whose clock does not advance while code runs, such as hosted workers.
 * Measured: 4 to 20, depending on code and runtime.
 */
const interruptsInMs = 20;

/**
 * Creates a clock that counts at most a tenth of the limit between two interrupts, which are normally less
 * than a millisecond apart: the rest was spent by other work of the machine, or by a built-in function, which
 * no interrupt ends. In all, ten times the limit may pass. `now` returns milliseconds and never goes back.
 */
export function startClock(now: () => number = () => performance.now()): RunClock {
  let began = 0;
  let last = 0;
  let ran = 0;
  let ms = 0;
  let interrupts = 0;
  let over = false;
  return {
    limit(max) {
      began = last = now();
      ran = 0;
      ms = max;
      interrupts = 0;
      over = false;
    },
    isOver() {
      const time = now();
      ran += Math.min(time - last, ms / 10);
      last = time;
      interrupts++;
      const stands = time === began;
      over ||= ran > ms || time - began > 10 * ms || (stands && interrupts > ms * interruptsInMs);
      return over;
    },
    wasOver: () => over,
  };
}
