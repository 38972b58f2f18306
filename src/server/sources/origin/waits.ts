// Limits and counts the time that one request waits for a source.

import { type Counts, cancelledError, unlessAborted, withDeadline } from "../../../base/index.ts";
import { originError } from "../remote.ts";

/** Counters of waits; `late`: those that exceeded the limit. */
export const waitCounts = ["waits", "waitedSeconds", "late"] as const;

/**
 * Awaits the promise of `act`, whose signal aborts when the wait ends. Throws ServiceError `cancelled` if the
 * caller's signal aborts, `source` (code origin_unavailable) at the limit, and what `act` throws.
 */
export type Wait = <T>(act: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Returns the wait function of one request, whose waits together may take `limitMs`; 0: no limit. Overlapping
 * time counts once.
 */
export function createWaits(limitMs: number, counts: Counts<(typeof waitCounts)[number]>): Wait {
  let left = limitMs > 0 ? limitMs : Number.POSITIVE_INFINITY;
  let open = 0;
  let since = 0;
  return async (act, signal) => {
    if (signal?.aborted) throw cancelledError(signal);
    if (open++ === 0) since = performance.now();
    counts.waits.add();
    const leaving = new AbortController();
    const lateError = () => {
      counts.late.add();
      return originError("origin_unavailable", `waited for longer than ${limitMs} ms`);
    };
    try {
      const ms = Math.max(0, left - (performance.now() - since));
      return await withDeadline(ms, () => unlessAborted(act(leaving.signal), signal), lateError);
    } finally {
      leaving.abort(cancelledError(signal));
      if (--open === 0) {
        const ms = performance.now() - since;
        left -= ms;
        counts.waitedSeconds.add(ms / 1000);
      }
    }
  };
}
