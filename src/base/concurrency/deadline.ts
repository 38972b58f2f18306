// Time limits of consecutive tasks, over one timer that is rarely set.

export interface Deadline {
  /** Calls back unless {@link met} comes within `ms`; 0: no limit. Replaces the previous limit. */
  expect(ms: number): void;
  met(): void;
  /** Clears the timer. */
  stop(): void;
}

/**
 * A deadline that calls `missed`. The timer of a limit that was met runs on and serves the next one, since
 * setting and clearing one for each of many short tasks costs more than the tasks' own bookkeeping. It keeps
 * no process alive.
 */
export function createDeadline(missed: () => void): Deadline {
  let end = Number.POSITIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = Number.POSITIVE_INFINITY;

  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    due = Number.POSITIVE_INFINITY;
  };
  const arm = (ms: number, now: number) => {
    stop();
    due = now + ms;
    timer = setTimeout(look, ms);
    (timer as { unref?(): void }).unref?.();
  };
  const look = () => {
    stop();
    const now = performance.now();
    if (now < end) {
      if (end < Number.POSITIVE_INFINITY) arm(Math.ceil(end - now), now);
      return;
    }
    end = Number.POSITIVE_INFINITY;
    missed();
  };

  return {
    expect(ms) {
      const now = performance.now();
      end = ms > 0 ? now + ms : Number.POSITIVE_INFINITY;
      if (end < due) arm(ms, now);
    },
    met() {
      end = Number.POSITIVE_INFINITY;
    },
    stop,
  };
}
