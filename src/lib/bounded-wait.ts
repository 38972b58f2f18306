// Waiting with an end: a deadline, or a signal.

import { cancelled } from "../errors.ts";
import { onAbort } from "./on-abort.ts";

/**
 * Waits until the signal aborts, at most. Throws ServiceError `cancelled` then, and what is waited for throws; what comes of that
 * later, an error too, is for nobody.
 */
export async function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const gone = new Promise<never>((_, reject) => {
    const leave = () => reject(cancelled(signal));
    if (signal.aborted) leave();
    else stop = onAbort(signal, leave);
  });
  return Promise.race([gone, result]).finally(stop);
}

/**
 * What `act` gives, or an Error (`late` where it is given) when that takes longer than so many milliseconds. `act` itself is not stopped; what comes
 * of it later, an error too, is for nobody.
 */
export async function withDeadline<T>(ms: number, act: () => Promise<T>, late?: Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    const give = () => reject(late ?? new Error(`no answer within ${ms} ms`));
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
