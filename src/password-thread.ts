// Entry of a worker that checks passwords: a worker thread on Node, a Web Worker on Deno and Bun.

import type { PasswordQuestion } from "./access/passwords/messages.ts";
import { servePasswords } from "./access/passwords/worker.ts";

const isWeb = "Deno" in globalThis || "Bun" in globalThis;
const thread = isWeb ? undefined : (await import("node:worker_threads")).parentPort;
const port: { postMessage(message: unknown): void } = thread ?? (globalThis as unknown as MessagePort);

servePasswords({
  post: (message) => port.postMessage(message),
  onMessage(listener) {
    if (thread) thread.on("message", listener);
    else
      globalThis.addEventListener("message", (event) =>
        listener((event as MessageEvent<PasswordQuestion>).data),
      );
  },
});
