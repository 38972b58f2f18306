// How long one request waits for a source: in all no longer than its limit, and counted.

import { cancelled } from "../../errors.ts";
import { unlessAborted, withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import type { Counts } from "../../lib/telemetry/count.ts";
import { originError } from "../remote.ts";

/** What is counted of waits; `late`: those that took longer than the limit. */
export const waitCounts = ["waits", "waitedSeconds", "late"] as const;

/**
 * Waits for what `act` promises. Its signal aborts when nobody waits for that any more. Throws ServiceError `cancelled` when
 * the caller's signal aborts, `source` (origin_unavailable) when the limit is reached, and what `act` throws.
 */
export type Wait = <T>(act: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * The waits of one request, which together may take `limitMs`; 0: no limit. Where some overlap, that time counts once.
 */
export function createWaits(limitMs: number, counts: Counts<(typeof waitCounts)[number]>): Wait {
  let left = limitMs > 0 ? limitMs : Number.POSITIVE_INFINITY;
  let open = 0;
  let since = 0;
  return async (act, signal) => {
    if (signal?.aborted) throw cancelled(signal);
    if (open++ === 0) since = performance.now();
    counts.waits.add();
    const leaving = new AbortController();
    const late = () => {
      counts.late.add();
      return originError("origin_unavailable", `waited for longer than ${limitMs} ms`);
    };
    try {
      const ms = Math.max(0, left - (performance.now() - since));
      return await withDeadline(ms, () => unlessAborted(act(leaving.signal), signal), late);
    } finally {
      leaving.abort(cancelled(signal));
      if (--open === 0) {
        const ms = performance.now() - since;
        left -= ms;
        counts.waitedSeconds.add(ms / 1000);
      }
    }
  };
}
