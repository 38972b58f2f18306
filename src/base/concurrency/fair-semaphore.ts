// Permits for a bounded number of tasks at a time, for which parties take turns, so that one with many tasks
// keeps no other waiting for more than one of them.

import { cancelledError, ServiceError } from "../errors.ts";
import { type Waiter, waitForTurn } from "./bounded-wait.ts";
import { createTurns } from "./turns.ts";

export interface FairOptions {
  readonly permits: number;
  /** Number of ranks of tasks. */
  readonly ranks: number;
  /** Maximum number of waiting tasks. One more refuses the last of the party with most, of the last rank. */
  readonly waiting: number;
  /** Maximum number of waiting tasks of one party. */
  readonly waitingEach: number;
}

/** Whose task it is. */
export interface Turn {
  readonly client: string;
  /** From 0; tasks of lower ranks go first. */
  readonly rank: number;
}

export interface FairSemaphore {
  /** Tasks in the queue. */
  readonly waiting: number;
  /**
   * Runs `task` under a permit. Throws ServiceError `busy` if too many tasks wait, `cancelled` if `signal`
   * aborts while it waits.
   */
  run<T>(turn: Turn, task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Number of tasks that may go in a row before one of a higher rank, so that no rank waits for ever. */
const maxInFront = 4;

interface Queued {
  readonly client: string;
  readonly waiter: Waiter<void>;
}

/** Creates a semaphore without tasks. */
export function createFairSemaphore({ permits, ranks, waiting, waitingEach }: FairOptions): FairSemaphore {
  const queues = Array.from({ length: ranks }, () => createTurns<Queued>(() => 0));
  let active = 0;
  let inFront = 0;
  let skipped = 0;
  const total = () => queues.reduce((sum, { size }) => sum + size, 0);

  /** Returns the queue whose turn it is. */
  const choose = () => {
    const [first, ...others] = queues.filter(({ size }) => size > 0);
    if (others.length === 0 || inFront++ < maxInFront) return first;
    inFront = 0;
    return others[skipped++ % others.length];
  };
  const admitNext = () => {
    while (active < permits) {
      const queue = choose();
      const queued = queue?.next(() => true);
      if (!queue || !queued) return;
      queue.serve(queued.client, queued);
      active++;
      queued.waiter.admit();
    }
  };
  /** Refuses one task if more wait than may. */
  const thin = () => {
    const queue = queues.findLast(({ size }) => size > 0);
    if (!queue || total() <= waiting) return;
    const maxLength = [...queue.clients()].reduce((max, own) => (own.length >= max.length ? own : max));
    const last = maxLength.at(-1) as Queued;
    queue.remove(last.client, last);
    last.waiter.refuse(tooMany());
  };

  const enter = async ({ client, rank }: Turn, signal: AbortSignal | undefined): Promise<void> => {
    if (signal?.aborted) throw cancelledError(signal);
    const queue = queues[rank];
    if (!queue) throw new RangeError(`expected a rank below ${ranks}, received ${rank}`);
    const own = [...queue.clients()].find(([first]) => first?.client === client);
    if ((own?.length ?? 0) >= waitingEach) throw tooMany();
    let queued: Queued | undefined;
    await waitForTurn<void>(
      {
        join(waiter) {
          queued = { client, waiter };
          queue.add(client, queued);
          admitNext();
          thin();
        },
        leave() {
          if (queued) queue.remove(client, queued);
        },
      },
      signal,
    );
  };

  return {
    get waiting() {
      return total();
    },
    async run(turn, task, signal) {
      await enter(turn, signal);
      try {
        return await task();
      } finally {
        active--;
        admitNext();
      }
    },
  };
}

const tooMany = () =>
  new ServiceError("busy", "The server has too many requests; its queue is full. Try again shortly.");
