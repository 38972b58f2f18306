// Before each file of the suite `unit`: what a file fakes ends with it, as the next file gets the same
// process.

import { afterAll, vi } from "vitest";

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
