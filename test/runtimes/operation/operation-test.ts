// The form of the tests that share one server of a runtime.

import type { Runtime } from "../runtimes.ts";
import type { Started } from "../server.ts";

/** Defines tests of a runtime; `start` resolves with the server that all of them share. */
export type OperationTest = (runtime: Runtime, start: () => Promise<Started>) => void;
