// A circuit breaker: stops calls for a while after several failures in a row, then tries once.

export interface CircuitOptions {
  /** Failures in a row that open it. */
  readonly failures?: number;
  /** Milliseconds before the first trial; doubled with each trial that fails. */
  readonly pauseMs?: number;
  readonly maxPauseMs?: number;
  /** Milliseconds, never going back. */
  readonly now?: () => number;
  /** True if an error counts as a failure; default: all do. */
  readonly counts?: (error: unknown) => boolean;
}

export interface Circuit {
  /**
   * Returns the result of `act`. Throws what it throws; while open, the last such error, without calling it.
   */
  run<T>(act: () => Promise<T>): Promise<T>;
  /** True after too many failures, until a trial succeeds. */
  isOpen(): boolean;
  /** Closes the circuit, because something else has shown that the calls work. */
  close(): void;
  /** True while calls fail without a trial, since the pause is not over. */
  isPausing(): boolean;
}

/** Creates a circuit, which is closed at first. */
export function createCircuit({
  failures = 5,
  pauseMs = 1000,
  maxPauseMs = 30_000,
  now = () => performance.now(),
  counts = () => true,
}: CircuitOptions = {}): Circuit {
  let inRow = 0;
  let pause = pauseMs;
  let open: { readonly error: unknown; readonly until: number; trying: boolean } | undefined;

  const close = () => {
    inRow = 0;
    pause = pauseMs;
    open = undefined;
  };

  const onFailure = (error: unknown, trial: boolean) => {
    inRow++;
    if (trial) pause = Math.min(maxPauseMs, pause * 2);
    // A failure that began before the circuit opened is no news.
    if (trial || (!open && inRow >= failures)) open = { error, until: now() + pause, trying: false };
  };

  return {
    close,
    isOpen: () => open !== undefined,
    isPausing: () => open !== undefined && now() < open.until,
    async run(act) {
      const trial = open !== undefined && !open.trying && now() >= open.until;
      if (open && !trial) throw open.error;
      if (open) open.trying = true;
      try {
        const value = await act();
        close();
        return value;
      } catch (error) {
        if (counts(error)) onFailure(error, trial);
        else if (trial && open) open.trying = false;
        throw error;
      }
    },
  };
}
