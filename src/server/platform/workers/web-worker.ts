// A pool worker as a Web Worker: Deno and Bun.

import type { WorkerPort } from "../../../base/index.ts";

/** Starts the module at `url` as a worker. */
export function startWebWorker(url: URL): WorkerPort {
  const worker = new Worker(url, { type: "module" });
  let dead = false;
  const deaths: ((reason: string) => void)[] = [];
  const die = (reason: string) => {
    if (dead) return;
    dead = true;
    for (const listener of deaths) listener(reason);
  };
  worker.addEventListener("error", (event) => {
    event.preventDefault(); // otherwise Deno ends the whole process
    die(event.message || "uncaught error");
    worker.terminate();
  });
  worker.addEventListener("messageerror", () => die("a message could not be read"));
  // Bun fires "close"; Deno fires nothing, and the time limit of the job detects it.
  worker.addEventListener("close" as "message", () => die("ended by itself"));
  return {
    post: (message, transfer) => worker.postMessage(message, [...(transfer ?? [])]),
    onMessage: (listener) => worker.addEventListener("message", (event) => listener(event.data)),
    onDeath: (listener) => void deaths.push(listener),
    kill() {
      dead = true;
      worker.terminate();
    },
  };
}
