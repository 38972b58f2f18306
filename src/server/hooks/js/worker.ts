// The worker's side: runs the operator's file in a sandbox, one call after another.

import { HookError } from "../hook.ts";
import type { FromHookWorker, ToHookWorker } from "./messages.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";

/** Connection of a worker to the main thread. */
export interface HookWorkerHost {
  post(message: FromHookWorker): void;
  onMessage(listener: (message: ToHookWorker) => void): void;
}

const exportsOf = ({ functions, unused }: Sandbox) => ({ functions, unused });

/** Serves calls until the worker ends. */
export function serveHooks({ post, onMessage }: HookWorkerHost): void {
  let load: (() => Promise<void>) | undefined;
  let sandbox: Sandbox | undefined;

  const loading = (start: () => Promise<Sandbox>) => async () => {
    sandbox = undefined;
    try {
      sandbox = await start();
      post({ kind: "ready", ...exportsOf(sandbox), bytes: sandbox.size() });
    } catch (error) {
      const { message } = error as Error;
      const position = error instanceof HookError ? error.position : undefined;
      post({ kind: "refused", failure: { message, ...(position !== undefined && { position }) } });
    }
  };

  onMessage((message) => {
    if (message.kind === "load") {
      const { module, program } = message;
      load = loading(() =>
        createSandbox(module, program, (level, text) => post({ kind: "printed", level, text })),
      );
      void load();
      return;
    }
    const { call, name, input } = message;
    if (!sandbox) {
      post({ kind: "done", call, failure: { message: "it was called before it was ready" }, again: false });
      return;
    }
    const { usable, ...outcome } = sandbox.call(name, input);
    post({ kind: "done", call, ...outcome, again: !usable });
    if (!usable) void load?.();
  });
}
