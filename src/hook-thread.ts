// Entry point of a hook worker.

import type { ToHookWorker } from "./hooks/js/messages.ts";
import { serveHooks } from "./hooks/js/worker.ts";
import { threadPort } from "./platform/workers/thread-port.ts";

serveHooks(await threadPort<ToHookWorker>());
