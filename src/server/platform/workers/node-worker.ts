// A pool worker as a Node worker thread.

import { Worker } from "node:worker_threads";
import type { WorkerPort } from "../../../base/index.ts";
import { liveWorkers } from "../process/exit.ts";

/**
 * JavaScript heap of one worker. Pixels and WebAssembly memories lie outside it; what fills it is a runaway
 * job.
 */
const heapMegabytes = 1024;

/** Starts the module at `url` as a worker thread. */
export function startNodeWorker(url: URL): WorkerPort {
  const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
  liveWorkers.add(worker);
  worker.on("exit", () => liveWorkers.delete(worker));
  let dead = false;
  const deaths: ((reason: string) => void)[] = [];
  const die = (reason: string) => {
    if (dead) return;
    dead = true;
    for (const listener of deaths) listener(reason);
  };
  worker.on("error", (error) => die(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  worker.on("messageerror", (error) => die(`a message could not be read: ${error.message}`));
  worker.on("exit", (code) => die(`exit code ${code}`));
  return {
    post: (message, transfer) => worker.postMessage(message, [...(transfer ?? [])]),
    onMessage: (listener) => worker.on("message", listener),
    onDeath: (listener) => void deaths.push(listener),
    kill() {
      dead = true;
      void worker.terminate();
    },
  };
}
