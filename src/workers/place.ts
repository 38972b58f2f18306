// A place among those that work at the same time, and how work goes without it while it waits for bytes from elsewhere.

import type { ByteSource } from "../imaging/lib/byte-source.ts";

/** A place that work holds. */
export interface Place {
  /** Gives the place back while the work waits. */
  leave(): void;
  /** Takes a place again; resolves when the work may go on. */
  back(): Promise<void>;
}

/** Awaits an answer without holding the place meanwhile, and with it again when it resolves or rejects. */
export type Awaiting = <T>(answer: Promise<T>) => Promise<T>;

/**
 * Gives the place back when an answer has not come by the next turn of the event loop, so that what is in memory costs
 * nothing. Work that awaits several answers comes back when all of them are there.
 */
export function awaitingWithout(place: Place): Awaiting {
  let open = 0;
  let turn: ReturnType<typeof setTimeout> | undefined;
  /** Resolves when the work has its place again; undefined while it holds one. */
  let away: { readonly over: Promise<void>; end(): void } | undefined;
  let comesBack = false;

  const leave = () => {
    if (away) return;
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    away = { over, end };
    place.leave();
  };
  const expect = () => {
    turn = setTimeout(leave);
  };
  const comeBack = async () => {
    if (!away || comesBack) return;
    comesBack = true;
    await place.back();
    comesBack = false;
    away.end();
    away = undefined;
    if (open > 0) expect();
  };

  return async (answer) => {
    if (open++ === 0) expect();
    try {
      return await answer;
    } finally {
      if (--open === 0) {
        clearTimeout(turn);
        void comeBack();
      }
      await away?.over;
    }
  };
}

/** A byte source whose reads are awaited so; `signal` says that nobody wants them any more. */
export function readingWithout(bytes: ByteSource, awaiting: Awaiting, signal?: AbortSignal): ByteSource {
  return {
    size: bytes.size,
    gap: bytes.gap,
    read: (offset, length) => awaiting(bytes.read(offset, length, signal)),
  };
}
