// The WebAssembly modules that a worker receives, with made-up rows in the table next to the real ones.

import { afterEach, expect, test } from "vitest";
import type { WorkerPort } from "../../../src/base/platform.ts";
import { wasmModules } from "../../../src/imaging/codecs/modules.ts";
import { WorkerRunner } from "../../../src/server/workers/worker-runner.ts";

const table = wasmModules as Record<string, (typeof wasmModules)[keyof typeof wasmModules] | object>;
const real = Object.keys(wasmModules);
afterEach(() => {
  for (const name of Object.keys(table)) if (!real.includes(name)) delete table[name];
});

/** The modules that a new worker is sent, and those that are loaded for it. */
function startWorker() {
  const posted: unknown[] = [];
  const loaded: string[] = [];
  const port: WorkerPort = {
    post: (message) => posted.push(message),
    onMessage() {},
    onDeath() {},
    kill() {},
  };
  const empty = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
  new WorkerRunner(port, {
    module(name) {
      loaded.push(name);
      return empty;
    },
    number: 1,
    warm: false,
    cancelGraceMs: 0,
    maxJobBytes: 0,
  });
  const [start] = posted as { kind: string; modules: Record<string, WebAssembly.Module> }[];
  expect(start?.kind).toBe("start");
  return { sent: Object.keys(start!.modules), loaded };
}

test("a worker receives every module that codecs may ask for", () => {
  const { sent } = startWorker();
  expect(sent).toEqual(expect.arrayContaining(["jpeg-turbo", "openjpeg", "lcms", "jpeg-decode", "resample"]));
});

test.each([
  ["worker", true],
  ["both", true],
  ["main", false],
] as const)("a module used by %s is loaded for a worker and sent to it: %s", (usedBy, expected) => {
  const before = startWorker();
  table["made-up"] = { usedBy, source: "wasm/made-up.ts" };
  const { sent, loaded } = startWorker();
  const added = expected ? ["made-up"] : [];
  expect(sent).toEqual([...before.sent, ...added]);
  expect(loaded).toEqual([...before.loaded, ...added]);
});
