// The number of sessions for operators: counted rarely, since a shared store pays for it, and never awaited
// for long.

import { withDeadline } from "../../base/index.ts";
import type { SessionCount } from "./session.ts";

export interface SessionReading {
  readonly count?: SessionCount;
  /** Reason for a missing count, in words for the operator. */
  readonly problem?: string;
  /** Time of the count in milliseconds since 1970. */
  readonly at: number;
}

/** Milliseconds to wait for a count; a count that takes longer is used by the next reading. */
const waitMs = 1500;

/**
 * Returns a function that counts at most once in `everyMs` milliseconds and otherwise returns the last
 * reading; undefined while the first count is under way. Never rejects.
 */
export function createSessionReading(
  count: () => Promise<SessionCount>,
  everyMs = 10_000,
  now: () => number = Date.now,
): () => Promise<SessionReading | undefined> {
  let last: SessionReading | undefined;
  let asked = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<SessionReading> => {
    try {
      last = { count: await count(), at: now() };
    } catch {
      last = {
        problem: "The session store does not respond. /ready says what is wrong with it.",
        at: now(),
      };
    }
    return last;
  };
  return async () => {
    const time = now();
    if (time >= asked && time - asked < everyMs) return last;
    asked = time;
    return withDeadline(waitMs, read).catch(() => last);
  };
}
