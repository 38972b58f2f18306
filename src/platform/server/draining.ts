// The stop of a server whose runtime owns the connections (Deno, Bun).
//
// Both close idle connections at once when they stop, and a request that is on its way by then is met by a reset. So a
// stop first waits a moment in which every answer says `Connection: close`: clients that are busy finish in good order,
// and only connections that nobody uses are left to be closed.

import type { ServeOptions } from "../platform.ts";

/** How long a connection that is idle at a stop may still bring a request, in milliseconds. */
export const lingerMs = 500;

export interface Draining {
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Marks all answers from now on as the last of their connections, waits {@link lingerMs}, and resolves when `finish`
   * does, which takes no new connections. Resolves after `graceMs` at the latest: what still runs then is for the caller
   * to cut.
   */
  stop(graceMs: number, finish: () => Promise<void>): Promise<void>;
}

/** Wraps the answers of a server. */
export function createDraining(fetch: ServeOptions["fetch"]): Draining {
  let stopping = false;
  return {
    async fetch(request) {
      const response = await fetch(request);
      if (stopping) response.headers.set("connection", "close"); // RFC 9112, section 9.6
      return response;
    },
    async stop(graceMs, finish) {
      stopping = true;
      const drained = wait(Math.min(lingerMs, graceMs)).done.then(finish);
      const grace = wait(graceMs);
      await Promise.race([drained, grace.done]);
      grace.cancel();
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
