// Entry of a pool worker.

import { openFileAtOnce } from "./server/platform/files/node-files.ts";
import { threadMemory } from "./server/platform/process/process.ts";
import { deflate, nativeZlib } from "./server/platform/process/zlib.ts";
import { threadPort } from "./server/platform/workers/thread-port.ts";
import type { ToWorker } from "./server/workers/messages.ts";
import { serveJobs } from "./server/workers/worker.ts";

serveJobs({
  ...(await threadPort<ToWorker>()),
  deflate,
  zlib: nativeZlib,
  openFile: openFileAtOnce,
  memory: threadMemory,
});
