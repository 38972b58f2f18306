// SIGINT and SIGTERM while a command runs.

import type { Platform } from "../../base/index.ts";
import { InterruptedError } from "./command-error.ts";

const signals = new WeakMap<Platform, AbortSignal>();

/**
 * Returns a signal that the first SIGINT or SIGTERM aborts, with an InterruptedError as its reason: a command
 * then stops its work, leaves no partial file, and throws that error (`throwIfAborted`). A second signal ends
 * the process, as does the first if no command has asked for this function.
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

/** Returns the error of a command that a signal has interrupted; undefined if none has. */
export function interruption(platform: Platform): InterruptedError | undefined {
  const signal = signals.get(platform);
  return signal?.aborted ? (signal.reason as InterruptedError) : undefined;
}
