// Permits for a bounded number of tasks at a time, with a bounded queue that a task may leave.

import { cancelledError, ServiceError } from "../errors.ts";
import { type Waiter, waitForTurn } from "./bounded-wait.ts";

export interface Semaphore {
  /** Permits in use. */
  readonly active: number;
  /** Tasks in the queue. */
  readonly waiting: number;
  /**
   * Waits for `weight` permits (default 1), first come first served, and returns a function that releases
   * them; calling it again does nothing. Throws ServiceError `busy` if the queue is full, `cancelled` if
   * `signal` aborts while waiting, RangeError if there will never be that many permits.
   */
  acquire(options?: {
    readonly weight?: number;
    readonly signal?: AbortSignal | undefined;
  }): Promise<() => void>;
  /** Runs `task` under one permit. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A semaphore of `permits` permits and at most `maxWaiting` tasks in its queue (default: no bound). */
export function createSemaphore(permits: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore {
  /** Waiters with their weights, in order of arrival. */
  const queue = new Map<Waiter<() => void>, number>();
  let active = 0;

  // Nobody overtakes the first of the queue, or light tasks would starve a heavy one.
  const fits = (weight: number) => active + weight <= permits;
  const take = (weight: number) => {
    active += weight;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      active -= weight;
      admitNext();
    };
  };
  const admitNext = () => {
    for (const [waiter, weight] of queue) {
      if (!fits(weight)) break;
      queue.delete(waiter);
      waiter.admit(take(weight));
    }
  };

  const acquire: Semaphore["acquire"] = async ({ weight = 1, signal } = {}) => {
    if (signal?.aborted) throw cancelledError(signal);
    if (weight > permits) throw new RangeError(`expected at most ${permits} permits, received ${weight}`);
    if (queue.size === 0 && fits(weight)) return take(weight);
    if (queue.size >= maxWaiting)
      throw new ServiceError(
        "busy",
        "The server has too many requests; its queue is full. Try again shortly.",
      );
    return waitForTurn<() => void>(
      {
        join: (waiter) => queue.set(waiter, weight),
        leave(waiter) {
          queue.delete(waiter);
          admitNext();
        },
      },
      signal,
    );
  };

  return {
    get active() {
      return active;
    },
    get waiting() {
      return queue.size;
    },
    acquire,
    async run(task, signal) {
      const release = await acquire({ signal });
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
