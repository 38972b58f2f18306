// Stops a server without a reset of any request.
//
// To stop listening resets the connections that the system has taken and the server has not, and to close an
// idle connection resets a request that is just arriving. So a stop first waits a moment in which every
// response says `Connection: close`. Then it holds all responses back: clients wait for those before they
// send more, so that soon nothing arrives any more. Only then the server stops to listen, and the responses
// leave.

import type { ServeOptions } from "../../../base/index.ts";

/** Milliseconds in which a connection that is idle at a stop may still send a request. */
export const lingerMs = 500;

/** Responses are held until this many looks in a row find no new request. */
const quiet = { looks: 3, everyMs: 10, maxMs: 500 } as const;

export interface Draining {
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Marks all further responses as the last of their connections, waits {@link lingerMs} and until nothing
   * arrives, calls `finish`, which accepts no new connections, and resolves when that does. Resolves after
   * `graceMs` at the latest: the caller has to abort what is still running.
   */
  stop(graceMs: number, finish: () => Promise<void>): Promise<void>;
}

/** Wraps the responses of a server. */
export function createDraining(fetch: ServeOptions["fetch"]): Draining {
  let stopping = false;
  /** Number of requests so far. */
  let arrived = 0;
  /** Resolves when the responses that are held back may leave. */
  let released: Promise<void> | undefined;

  const untilQuiet = async () => {
    let before = arrived;
    for (let looks = 0, ms = 0; looks < quiet.looks && ms < quiet.maxMs; ms += quiet.everyMs) {
      await wait(quiet.everyMs).done;
      looks = arrived === before ? looks + 1 : 0;
      before = arrived;
    }
  };
  const drain = async (finish: () => Promise<void>, graceMs: number) => {
    await wait(Math.min(lingerMs, graceMs / 2)).done;
    let release = () => {};
    released = new Promise((resolve) => {
      release = resolve;
    });
    await untilQuiet();
    const finished = finish();
    await wait(0).done; // the listener is closed
    release();
    await finished;
  };

  return {
    async fetch(request) {
      arrived++;
      const response = await fetch(request);
      if (stopping) response.headers.set("connection", "close"); // RFC 9112, section 9.6
      await released;
      return response;
    },
    async stop(graceMs, finish) {
      stopping = true;
      let finished: Promise<void> | undefined;
      const finishOnce = () => {
        finished ??= finish();
        return finished;
      };
      const grace = wait(graceMs);
      await Promise.race([drain(finishOnce, graceMs), grace.done]);
      grace.cancel();
      void finishOnce();
    },
  };
}

function wait(ms: number): { readonly done: Promise<void>; cancel(): void } {
  let timer: ReturnType<typeof setTimeout>;
  const done = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { done, cancel: () => clearTimeout(timer) };
}
