// The permit of a job, which the job releases while it waits for bytes from another machine.

import type { ByteSource } from "../../base/index.ts";

/** The permit of a running job. */
export interface Permit {
  /** Releases the permit while the job waits. */
  leave(): void;
  /** Takes a permit again; resolves when the job may continue. */
  back(): Promise<void>;
}

/** Awaits a promise without the permit, and settles like it once the job has its permit again. */
export type Awaiting = <T>(work: Promise<T>) => Promise<T>;

/**
 * Returns a function that releases the permit if a promise has not settled by the next turn of the event
 * loop, so that bytes in memory cost nothing. A job that awaits several promises takes its permit again when
 * all of them have settled.
 */
export function awaitWithoutPermit(permit: Permit): Awaiting {
  /** Number of promises that have not settled. */
  let open = 0;
  let turn: ReturnType<typeof setTimeout> | undefined;
  /** Resolves when the job has its permit again; undefined while it holds one. */
  let away: { readonly over: Promise<void>; end(): void } | undefined;
  let isReturning = false;

  const leave = () => {
    if (away) return;
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    away = { over, end };
    permit.leave();
  };
  const leaveSoon = () => {
    turn = setTimeout(leave);
  };
  const comeBack = async () => {
    if (!away || isReturning) return;
    isReturning = true;
    await permit.back();
    isReturning = false;
    away.end();
    away = undefined;
    if (open > 0) leaveSoon();
  };

  return async (work) => {
    if (open++ === 0) leaveSoon();
    try {
      return await work;
    } finally {
      if (--open === 0) {
        clearTimeout(turn);
        void comeBack();
      }
      await away?.over;
    }
  };
}

/**
 * Returns a byte source whose reads are awaited without the permit. `signal` aborts when the bytes are no
 * longer wanted.
 */
export function readWithoutPermit(bytes: ByteSource, awaiting: Awaiting, signal?: AbortSignal): ByteSource {
  return {
    size: bytes.size,
    gap: bytes.gap,
    read: (offset, length) => awaiting(bytes.read(offset, length, signal)),
  };
}
