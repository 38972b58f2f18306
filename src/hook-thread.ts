// Entry point of a hook worker.

import type { ToHookWorker } from "./server/hooks/js/messages.ts";
import { serveHooks } from "./server/hooks/js/worker.ts";
import { threadPort } from "./server/platform/workers/thread-port.ts";

serveHooks(await threadPort<ToHookWorker>());
