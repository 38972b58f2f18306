// Runs calls that may never end, a limited number at a time.
//
// A file call on a dead mount blocks a thread of the runtime forever, and a runtime has few threads. A call
// that misses its deadline fails, but keeps its permit until it ends; when only such calls are left, further
// ones fail immediately.

import { withDeadline } from "./bounded-wait.ts";

/**
 * Runs a call under a deadline in milliseconds, after earlier ones. Throws what the call throws, and
 * `unanswered` if it misses the deadline, or cannot begin because calls that did hold all permits. `onLate`
 * receives the call that missed it.
 */
export type Lane = <T>(ms: number, act: () => Promise<T>, onLate?: (call: Promise<T>) => void) => Promise<T>;

/** Maximum of simultaneous calls of one user of files; more do not make disks faster. */
const maxCalls = 8;

/**
 * Returns how many calls each of several users of a runtime's file threads may have in progress, so that
 * together they leave a thread to others, even if all of them hang. Unbounded if the runtime has no such
 * threads.
 */
export const callsOf = (threads: number | undefined, users: number): number =>
  threads === undefined
    ? Number.POSITIVE_INFINITY
    : Math.min(maxCalls, Math.max(1, Math.floor((threads - 1) / users)));

/** Returns a lane with at most `permits` calls in progress. */
export function createLane(permits: number, unanswered: () => Error): Lane {
  // Its own queue instead of a semaphore, whose waiters leave by a signal: on workerd no request may abort
  // another's.
  let free = permits;
  let late = 0;
  const waiting: { readonly admit: () => void; readonly refuse: (error: Error) => void }[] = [];
  return async (ms, act, onLate) => {
    if (late >= permits) throw unanswered();
    if (free > 0) free--;
    else await new Promise<void>((admit, refuse) => waiting.push({ admit, refuse }));
    let ended = false;
    let isLate = false;
    const call = act().finally(() => {
      ended = true;
      if (isLate) late--;
      const next = waiting.shift();
      if (next) next.admit();
      else free++;
    });
    try {
      return await withDeadline(ms, () => call);
    } catch (error) {
      if (ended) throw error;
      isLate = true;
      if (++late >= permits) for (const { refuse } of waiting.splice(0)) refuse(unanswered());
      onLate?.(call);
      throw unanswered();
    }
  };
}
