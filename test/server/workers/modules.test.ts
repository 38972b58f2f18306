// The WebAssembly modules that a worker receives, with made-up rows in the table next to the real ones.

import { afterEach, expect, test, vi } from "vitest";
import { ImagingError } from "../../../src/base/imaging-error.ts";
import type { WorkerPort } from "../../../src/base/platform.ts";
import { wasmModules } from "../../../src/imaging/codecs/modules.ts";
import type { FromWorker } from "../../../src/server/workers/messages.ts";
import { WorkerRunner } from "../../../src/server/workers/worker-runner.ts";
import { hang } from "../../limits.ts";

const table = wasmModules as Record<string, (typeof wasmModules)[keyof typeof wasmModules] | object>;
const real = Object.keys(wasmModules);
afterEach(() => {
  for (const name of Object.keys(table)) if (!real.includes(name)) delete table[name];
});

const empty = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
const onDemand = Object.entries(wasmModules).flatMap(([name, row]) => ("onDemand" in row ? [name] : []));

/** The modules that a new worker is sent, and those that are loaded for it. */
function startWorker(loadModule = async (_name: string) => empty) {
  const posted: unknown[] = [];
  const loaded: string[] = [];
  let send: (message: unknown) => void = () => {};
  const port: WorkerPort = {
    post: (message) => posted.push(message),
    onMessage(listener) {
      send = listener;
    },
    onDeath() {},
    kill() {},
  };
  new WorkerRunner(port, {
    module(name) {
      loaded.push(name);
      return empty;
    },
    loadModule(name) {
      loaded.push(name);
      return loadModule(name);
    },
    number: 1,
    warm: false,
    cancelGraceMs: 0,
    maxJobBytes: 0,
  });
  const [start] = posted as { kind: string; modules: Record<string, WebAssembly.Module> }[];
  expect(start?.kind).toBe("start");
  return { sent: Object.keys(start!.modules), loaded, posted, send: (message: FromWorker) => send(message) };
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

test("a module on demand is neither loaded nor sent before a worker asks for it", async () => {
  const { sent, loaded, posted, send } = startWorker();
  expect(onDemand).toContain("avif-encode");
  for (const name of onDemand) expect([...sent, ...loaded]).not.toContain(name);
  send({ kind: "load", read: 7, name: "avif-encode" });
  expect(loaded.at(-1)).toBe("avif-encode");
  await vi.waitFor(() => expect(posted.at(-1)).toEqual({ kind: "module", read: 7, module: empty }), hang);
});

test("a worker that asks for a module which the runtime lacks receives the reason", async () => {
  const { posted, send } = startWorker(async () => {
    throw new ImagingError("unsupported", "It is not here.", { code: "module_missing" });
  });
  send({ kind: "load", read: 8, name: "jxl-encode" });
  const error = { kind: "unsupported", message: "It is not here.", code: "module_missing" };
  await vi.waitFor(() => expect(posted.at(-1)).toMatchObject({ kind: "unread", read: 8, error }), hang);
});
