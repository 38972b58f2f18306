// How long one request waits for a source: in all no longer than its limit, and counted.

import { cancelled } from "../errors.ts";
import type { Counts } from "../lib/count.ts";
import { onAbort } from "../lib/on-abort.ts";
import { originError } from "./remote.ts";

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
    let timer: ReturnType<typeof setTimeout> | undefined;
    let gone = () => {};
    const ended = new Promise<never>((_, reject) => {
      gone = () => reject(cancelled(signal));
      const late = () => {
        counts.late.add();
        reject(originError("origin_unavailable", `waited for longer than ${limitMs} ms`));
      };
      const ms = Math.max(0, left - (performance.now() - since));
      // What has come while this process was busy is read first: that is not late.
      if (ms < Number.POSITIVE_INFINITY)
        timer = setTimeout(() => {
          timer = setTimeout(late);
        }, ms);
    });
    const unhear = signal && onAbort(signal, gone);
    try {
      return await Promise.race([act(leaving.signal), ended]);
    } finally {
      clearTimeout(timer);
      unhear?.();
      leaving.abort(cancelled(signal));
      if (--open === 0) {
        const ms = performance.now() - since;
        left -= ms;
        counts.waitedSeconds.add(ms / 1000);
      }
    }
  };
}
