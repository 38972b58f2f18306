// Entry of a worker of hooks: a worker thread on Node, a Web Worker on Deno and Bun.

import type { ToHookWorker } from "./hooks/js/messages.ts";
import { serveHooks } from "./hooks/js/worker.ts";

const isWeb = "Deno" in globalThis || "Bun" in globalThis;
const thread = isWeb ? undefined : (await import("node:worker_threads")).parentPort;
const port: { postMessage(message: unknown): void } = thread ?? (globalThis as unknown as MessagePort);

serveHooks({
  post: (message) => port.postMessage(message),
  onMessage(listener) {
    if (thread) thread.on("message", listener);
    else
      globalThis.addEventListener("message", (event) => listener((event as MessageEvent<ToHookWorker>).data));
  },
});
