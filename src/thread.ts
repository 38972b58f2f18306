// Entry of a pool worker.

import { openFileAtOnce } from "./platform/files/node-files.ts";
import { threadMemory } from "./platform/process/process.ts";
import { deflate, nativeZlib } from "./platform/process/zlib.ts";
import { threadPort } from "./platform/workers/thread-port.ts";
import type { ToWorker } from "./workers/messages.ts";
import { serveJobs } from "./workers/worker.ts";

serveJobs({
  ...(await threadPort<ToWorker>()),
  deflate,
  zlib: nativeZlib,
  openFile: openFileAtOnce,
  memory: threadMemory,
});
