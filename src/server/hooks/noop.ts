// The engine of a service without hooks: it has no functions, so it is never called.

import type { HookEngine } from "./hook.ts";

export const noopEngine: HookEngine = {
  name: "noop",
  has: () => false,
  call: async () => undefined,
  check: async () => {},
  close: async () => {},
};
