// Admission by cost: how many renders run at once, and how much memory they may need together.

import { cancelled, ServiceError } from "../errors.ts";
import type { Counts } from "../lib/count.ts";

export interface AdmissionLimits {
  /** Jobs at the same time. */
  readonly concurrent: number;
  /** Bytes that all admitted jobs may be estimated to need. */
  readonly memory: number;
  /** Jobs that may wait; one more is refused. */
  readonly waiting: number;
}

export interface Admission {
  /**
   * Runs `work` when there is room for `bytes`; first come, first served.
   * Throws `too-large` (code memory_budget) when it could never fit, `busy` (code queue_full) when too many wait,
   * `cancelled` when the signal aborts while it waits.
   */
  run<T>(bytes: number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  /** Throws `too-large` (code memory_budget) when a job of that size could never be admitted. */
  check(bytes: number): void;
  /** Whether it could. */
  allows(bytes: number): boolean;
  /** New limits count for the next job. */
  limit(limits: Partial<AdmissionLimits>): void;
  status(): { readonly running: number; readonly waiting: number; readonly memory: number };
}

interface Waiter {
  readonly bytes: number;
  readonly enter: () => void;
}

/** Names of the counts that a gate keeps. */
export const admissionCounts = ["admitted", "waited", "refused", "cancelled"] as const;

/** An admission gate; `counts` has {@link admissionCounts}. */
export function createAdmission(initial: AdmissionLimits, counts: Counts): Admission {
  let limits = initial;
  let running = 0;
  let memory = 0;
  const queue: Waiter[] = [];

  const fits = (bytes: number) => running < limits.concurrent && memory + bytes <= limits.memory;

  const enter = (bytes: number) => {
    running++;
    memory += bytes;
    counts.add("admitted");
  };

  const next = () => {
    for (let first = queue[0]; first && fits(first.bytes); first = queue[0]) {
      queue.shift();
      first.enter();
    }
  };

  const wait = (bytes: number, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const gone = () => {
        queue.splice(queue.indexOf(waiter), 1);
        counts.add("cancelled");
        reject(cancelled(signal));
        next();
      };
      const waiter: Waiter = {
        bytes,
        enter: () => {
          signal?.removeEventListener("abort", gone);
          enter(bytes);
          resolve();
        },
      };
      signal?.addEventListener("abort", gone, { once: true });
      queue.push(waiter);
      counts.add("waited");
    });

  const allows = (bytes: number) => bytes <= limits.memory;
  const check = (bytes: number) => {
    if (!allows(bytes)) {
      counts.add("refused");
      throw new ServiceError(
        "too-large",
        `This request would need about ${mebibytes(bytes)} of memory, more than the ${mebibytes(limits.memory)} that the service may use for images. Ask for a smaller region or size; the operator can raise image.memory_budget.`,
        { code: "memory_budget" },
      );
    }
  };

  return {
    check,
    allows,
    async run(bytes, signal, work) {
      check(bytes);
      if (signal?.aborted) throw cancelled(signal);
      if (queue.length === 0 && fits(bytes)) enter(bytes);
      else if (queue.length >= limits.waiting) {
        counts.add("refused");
        throw new ServiceError("busy", "Too many images are waiting to be rendered. Try again in a moment.", {
          code: "queue_full",
        });
      } else await wait(bytes, signal);
      try {
        return await work();
      } finally {
        running--;
        memory -= bytes;
        next();
      }
    },
    limit(changed) {
      limits = { ...limits, ...changed };
      next();
    },
    status: () => ({ running, waiting: queue.length, memory }),
  };
}

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1048576)} MiB`;
