// Stops a server whose runtime owns the connections (Deno, Bun).
//
// Both close idle connections immediately when they stop, which resets a request that is just arriving. So a
// stop first waits a moment in which every response says `Connection: close`: busy clients finish in good
// order, and only unused connections are left to be closed.

import type { ServeOptions } from "../platform.ts";

/** Milliseconds in which a connection that is idle at a stop may still send a request. */
export const lingerMs = 500;

export interface Draining {
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Marks all further responses as the last of their connections, waits {@link lingerMs}, and resolves when
   * `finish` does, which accepts no new connections. Resolves after `graceMs` at the latest: the caller has
   * to abort what is still running.
   */
  stop(graceMs: number, finish: () => Promise<void>): Promise<void>;
}

/** Wraps the responses of a server. */
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
