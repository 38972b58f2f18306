// Waiting with an end: a deadline, or a signal.

import { cancelled } from "../../errors.ts";
import { onAbort } from "./on-abort.ts";

/**
 * Waits until the signal aborts, at most. Throws ServiceError `cancelled` then, and what is waited for throws; what comes of that
 * later, an error too, is for nobody.
 */
export async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return result;
  let stop = () => {};
  const gone = new Promise<never>((_, reject) => {
    const leave = () => reject(cancelled(signal));
    if (signal.aborted) leave();
    else stop = onAbort(signal, leave);
  });
  return Promise.race([gone, result]).finally(stop);
}

/**
 * Waits for what `act` promises for at most `ms` milliseconds (Infinity: without limit). Throws what `act` throws, and an error when that
 * takes longer: `late`, or what it returns. `act` itself is not stopped; what comes of it later, an error too, is for nobody.
 */
export async function withDeadline<T>(
  ms: number,
  act: () => Promise<T>,
  late: Error | (() => Error) = () => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  if (ms === Number.POSITIVE_INFINITY) return act();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    const give = () => reject(late instanceof Error ? late : late());
    // What has come while this process was busy is read first: that is no late answer.
    timer = setTimeout(() => {
      timer = setTimeout(give);
    }, ms);
  });
  try {
    return await Promise.race([act(), over]);
  } finally {
    clearTimeout(timer);
  }
}
