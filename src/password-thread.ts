// Entry of a worker that checks passwords.

import type { PasswordQuestion } from "./server/access/passwords/messages.ts";
import { servePasswords } from "./server/access/passwords/worker.ts";
import { threadPort } from "./server/platform/workers/thread-port.ts";

servePasswords(await threadPort<PasswordQuestion>());
