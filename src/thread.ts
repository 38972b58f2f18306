// Entry of a pool worker.

import type { ToWorker } from "./codecs/run/messages.ts";
import { serveJobs } from "./codecs/run/worker.ts";
import { openFileAtOnce } from "./platform/files/node-files.ts";
import { deflate, threadMemory } from "./platform/process/process.ts";
import { threadPort } from "./platform/workers/thread-port.ts";

serveJobs({ ...(await threadPort<ToWorker>()), deflate, openFile: openFileAtOnce, memory: threadMemory });
