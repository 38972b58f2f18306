// Loaded into a server before its entry: on SIGUSR2 collects garbage and sends its memory to the process that
// started it.

import { isMainThread } from "node:worker_threads";

if (isMainThread && process.send) {
  process.on("SIGUSR2", () => {
    globalThis.gc?.();
    process.send(process.memoryUsage());
  });
  process.channel?.unref();
}
