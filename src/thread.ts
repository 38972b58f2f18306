// Entry of a pool worker: a worker thread on Node, a Web Worker on Deno and Bun.

import type { ToWorker } from "./codecs/messages.ts";
import { serveJobs } from "./codecs/worker.ts";
import { openFileAtOnce } from "./platform/node-files.ts";
import { deflate } from "./platform/process.ts";

interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}

const isWeb = "Deno" in globalThis || "Bun" in globalThis;
const thread = isWeb ? undefined : (await import("node:worker_threads")).parentPort;
const port: Port = thread ?? (globalThis as unknown as Port);

serveJobs({
  post: (message, transfer) => port.postMessage(message, [...(transfer ?? [])]),
  onMessage(listener) {
    if (thread) thread.on("message", listener);
    else globalThis.addEventListener("message", (event) => listener((event as MessageEvent<ToWorker>).data));
  },
  deflate,
  openFile: openFileAtOnce,
});
