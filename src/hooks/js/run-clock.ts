// How long code in QuickJS has run, asked at its interrupts: after about every 10,000 jumps, calls or steps of a regular expression.

export interface RunClock {
  /** Begins a run that may take this many milliseconds. */
  limit(ms: number): void;
  /** The interrupt handler: whether the run has to end. Once it says so it always does, until the next run. */
  isOver(): boolean;
  /** Whether the run was ended. */
  wasOver(): boolean;
}

/**
 * Interrupts in a millisecond, where the clock stands still while code runs, as on hosted workers. 4 to 20 were counted, by the kind of
 * code and the runtime.
 */
const interruptsInMs = 20;

/** `now`: milliseconds, never going back. */
export function startClock(now: () => number = () => performance.now()): RunClock {
  let began = 0;
  let ms = 0;
  let interrupts = 0;
  let over = false;
  return {
    limit(most) {
      began = now();
      ms = most;
      interrupts = 0;
      over = false;
    },
    isOver() {
      const passed = now() - began;
      interrupts++;
      over ||= passed > ms || (passed === 0 && interrupts > ms * interruptsInMs);
      return over;
    },
    wasOver: () => over,
  };
}
