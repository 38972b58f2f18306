// Entry of a worker that checks passwords.

import type { PasswordQuestion } from "./access/passwords/messages.ts";
import { servePasswords } from "./access/passwords/worker.ts";
import { threadPort } from "./platform/workers/thread-port.ts";

servePasswords(await threadPort<PasswordQuestion>());
