// Runs in each runtime: many calls of one sandbox, and what became of its memory. Bundled by hooks.test.ts.

import { createSandbox } from "../../../src/server/hooks/js/sandbox.ts";
import { hostileSource } from "../../server/hooks/js/hostile.ts";

export interface HookCalls {
  readonly calls: number;
  /** Bytes of the instance's memory after the first call and after the last. */
  readonly first: number;
  readonly last: number;
  /** Results that differ from those of a fresh instance. */
  readonly other: number;
}

/** Calls functions that leave globals, prototypes and memory behind. */
export async function callHooks(module: WebAssembly.Module, calls: number): Promise<HookCalls> {
  const program = { source: hostileSource, file: "hooks.js", timeoutMs: 10_000, memoryBytes: 2 ** 25 };
  const sandbox = await createSandbox(module, program, () => {});
  const call = (identifier: string) => sandbox.call("resolve", JSON.stringify({ identifier }));
  const fresh = call("state").result;
  const first = sandbox.size();
  let other = 0;
  for (let i = 0; i < calls; i++) {
    const { result: answer, usable } = call(i % 2 === 0 ? "state" : "random");
    if (!usable || (i % 2 === 0 ? answer !== fresh : answer === undefined)) other++;
  }
  return { calls, first, last: sandbox.size(), other };
}
