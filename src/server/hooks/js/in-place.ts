// Runs the operator's file on the calling thread if the platform has no workers: a slow built-in function
// cannot be interrupted there.

import type { Crew } from "./crew.ts";
import type { HookWorkerOptions } from "./hook-worker.ts";
import type { Program } from "./messages.ts";
import { createSandbox, hookError, type Sandbox } from "./sandbox.ts";

/** Loads the program. Throws HookError if it is rejected. */
export async function runInPlace(
  program: Program,
  { module, print }: Pick<HookWorkerOptions, "module" | "print">,
): Promise<Crew> {
  const load = () => createSandbox(module, program, print);
  let sandbox: Sandbox | undefined = await load();
  const functions = new Set(sandbox.functions);

  return {
    functions,
    unused: sandbox.unused,
    async call(name, input, signal) {
      // Several calls may load one; the last one that is ready stays.
      sandbox ??= await load();
      const own = sandbox;
      signal?.throwIfAborted();
      const { result, failure, usable } = own.call(name, input);
      if (!usable && sandbox === own) sandbox = undefined;
      if (failure) throw hookError(failure);
      return result;
    },
    retire() {},
    close() {
      sandbox = undefined;
    },
  };
}
