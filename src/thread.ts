// Entry of a pool worker.

import { openFileAtOnce } from "./platform/files/node-files.ts";
import { deflate } from "./platform/process/deflate.ts";
import { threadMemory } from "./platform/process/process.ts";
import { threadPort } from "./platform/workers/thread-port.ts";
import type { ToWorker } from "./workers/messages.ts";
import { serveJobs } from "./workers/worker.ts";

serveJobs({ ...(await threadPort<ToWorker>()), deflate, openFile: openFileAtOnce, memory: threadMemory });
