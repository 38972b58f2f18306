// Calls that may never end, of which only a few are under way at once.
//
// A file call on a dead mount holds a thread of the runtime for good, and a runtime has few threads. A call that misses its deadline
// fails, and keeps its place until it ends; when only such calls are left, further ones fail at once.

import { withDeadline } from "./bounded-wait.ts";

/**
 * Runs a call under a deadline in milliseconds, after those that came before it. Throws what the call throws, and `unanswered` where
 * it misses the deadline, or cannot begin because all places are held by calls that did. `onLate` takes the call that missed it.
 */
export type Lane = <T>(ms: number, act: () => Promise<T>, onLate?: (call: Promise<T>) => void) => Promise<T>;

/** Calls of one user of files at once; more make no disk faster. */
const mostCalls = 8;

/**
 * Calls that each of several users of a runtime's file threads may have under way, so that together they leave a thread to others,
 * even if all of them hang. Unbounded where the runtime has no such threads.
 */
export const callsOf = (threads: number | undefined, users: number): number =>
  threads === undefined
    ? Number.POSITIVE_INFINITY
    : Math.min(mostCalls, Math.max(1, Math.floor((threads - 1) / users)));

/** A lane with at most `places` calls under way. */
export function createLane(places: number, unanswered: () => Error): Lane {
  // A queue of its own instead of a semaphore, whose waiters leave by a signal: on workerd no request may abort another's.
  let free = places;
  let late = 0;
  const waiting: { readonly admit: () => void; readonly refuse: (error: Error) => void }[] = [];
  return async (ms, act, onLate) => {
    if (late >= places) throw unanswered();
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
      if (++late >= places) for (const { refuse } of waiting.splice(0)) refuse(unanswered());
      onLate?.(call);
      throw unanswered();
    }
  };
}
