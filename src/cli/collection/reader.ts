// The reader that work on a collection is for: anyone, without a login.

import type { Caller } from "../../server/index.ts";

/** Returns a caller without any properties of a request. */
export const anonymousCaller = (identifier: string, signal: AbortSignal): Caller => ({
  identifier,
  path: "",
  signal,
  header: () => undefined,
});
