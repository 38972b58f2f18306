// Waiting in a queue of any kind, which the one who waits may leave.

import { cancelled } from "../../errors.ts";
import { onAbort } from "./on-abort.ts";

/** One who waits, as the queue sees it. Only the first call counts. */
export interface Waiter<T> {
  admit(value: T): void;
  refuse(error: unknown): void;
}

export interface Queue<T> {
  /** Takes one in; it may be admitted or refused at once. */
  join(waiter: Waiter<T>): void;
  /** Takes one out who was not admitted and does not wait any more. */
  leave(waiter: Waiter<T>): void;
}

/**
 * What the queue admits with. Throws what it refuses with, and ServiceError `cancelled` when the signal aborts before that, or `reason`
 * where it is given.
 */
export function waitForTurn<T>(
  queue: Queue<T>,
  signal?: AbortSignal,
  reason = () => cancelled(signal) as unknown,
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
