// SIGINT and SIGTERM while a command runs.

import type { Platform } from "../platform/platform.ts";
import { InterruptedError } from "./command-error.ts";

const signals = new WeakMap<Platform, AbortSignal>();

/**
 * Returns a signal that the first SIGINT or SIGTERM aborts, with an InterruptedError as its reason: a command
 * stops its work at once, leaves nothing half done, and throws that (`throwIfAborted`). The second one ends
 * the process. Until a command asks for this, a signal ends the process.
 */
export function interruptOf(platform: Platform): AbortSignal {
  const known = signals.get(platform);
  if (known) return known;
  const controller = new AbortController();
  platform.onSignal?.("stop", () => {
    if (controller.signal.aborted) platform.exit?.(130);
    controller.abort(new InterruptedError("interrupted"));
  });
  signals.set(platform, controller.signal);
  return controller.signal;
}
