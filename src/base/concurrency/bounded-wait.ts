// Waiting with an end: a deadline, a signal, or a queue that the waiter may leave.

import { cancelledError } from "../errors.ts";

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` once when the signal aborts, unless the returned function was called before. The runtime sees
 * one listener for each signal, since Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const known = listeners.get(signal);
  const all = known ?? new Set();
  if (!known) {
    listeners.set(signal, all);
    signal.addEventListener("abort", () => [...all].forEach((each) => void each()), { once: true });
  }
  const listener = () => act();
  all.add(listener);
  return () => void all.delete(listener);
}

/** A waiter, as the queue sees it. Only the first call counts. */
export interface Waiter<T> {
  admit(value: T): void;
  refuse(error: unknown): void;
}

export interface Queue<T> {
  /** Adds a waiter, which may be admitted or refused immediately. */
  join(waiter: Waiter<T>): void;
  /** Removes a waiter that was not admitted and no longer waits. */
  leave(waiter: Waiter<T>): void;
}

/**
 * Waits until the queue admits, and returns its result. Throws its refusal, and ServiceError `cancelled` if
 * the signal aborts first, or `reason` if given.
 */
export function waitForTurn<T>(
  queue: Queue<T>,
  signal?: AbortSignal,
  reason = () => cancelledError(signal) as unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let waits = true;
    let unhear = () => {};
    const settle = <V>(how: (value: V) => void) => {
      return (value: V) => {
        waits = false;
        unhear();
        how(value);
      };
    };
    const waiter: Waiter<T> = { admit: settle(resolve), refuse: settle(reject) };
    queue.join(waiter);
    if (!waits || !signal) return;
    const leave = () => {
      queue.leave(waiter);
      waiter.refuse(reason());
    };
    if (signal.aborted) leave();
    else unhear = onAbort(signal, leave);
  });
}

/**
 * Waits for a promise unless the signal aborts. Throws ServiceError `cancelled` then, and the promise's
 * rejection; a later result or rejection is ignored.
 */
export function unlessAborted<T>(
  result: Promise<T>,
  signal: AbortSignal | undefined,
  leave = () => {},
): Promise<T> {
  if (!signal) return result;
  return waitForTurn({ join: ({ admit, refuse }) => void result.then(admit, refuse), leave }, signal);
}

/**
 * Waits for the promise of `act` for at most `ms` milliseconds (Infinity: without limit). Throws what `act`
 * throws, and `late`, or its result, after that time. `act` itself is not stopped; a later result or
 * rejection is ignored.
 */
export function withDeadline<T>(
  ms: number,
  act: () => Promise<T>,
  late: Error | (() => Error) = () => new Error(`no response within ${ms} ms`),
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const result = act();
    if (ms === Number.POSITIVE_INFINITY) return resolve(result);
    const give = () => reject(late instanceof Error ? late : late());
    // Events that arrived while this process was busy are processed first: those are not late.
    let timer = setTimeout(() => {
      timer = setTimeout(give);
    }, ms);
    result.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
