// Entry of a worker of hooks.

import type { ToHookWorker } from "./hooks/js/messages.ts";
import { serveHooks } from "./hooks/js/worker.ts";
import { threadPort } from "./platform/workers/thread-port.ts";

serveHooks(await threadPort<ToHookWorker>());
