// Entry of a pool worker.

import type { ToWorker } from "./codecs/run/messages.ts";
import { serveJobs } from "./codecs/run/worker.ts";
import { openFileAtOnce } from "./platform/node-files.ts";
import { deflate, threadMemory } from "./platform/process.ts";
import { threadPort } from "./platform/thread-port.ts";

serveJobs({ ...(await threadPort<ToWorker>()), deflate, openFile: openFileAtOnce, memory: threadMemory });
