// A CodecHost for tests: modules straight from their packages, our own as wasm/setup.ts compiled them, zlib
// from Node.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { withLentMemory } from "../scripts/lent-memory.mjs";
import type { CodecHost } from "../src/imaging/codecs/codec.ts";
import { type OnDemandModule, type WorkerModule, wasmModules } from "../src/imaging/codecs/modules.ts";
import { deflate, nativeZlib } from "../src/server/platform/process/zlib.ts";

const root = new URL("../node_modules/", import.meta.url);
const compiled = new Map<WorkerModule | OnDemandModule, WebAssembly.Module>();

const fileOf = (name: WorkerModule | OnDemandModule) => {
  const row = wasmModules[name];
  return "package" in row ? new URL(row.package, root) : (inject("ownWasm")[name] as string);
};

function moduleOf(name: WorkerModule | OnDemandModule): WebAssembly.Module {
  let module = compiled.get(name);
  if (!module) compiled.set(name, (module = new WebAssembly.Module(bytesOf(name))));
  return module;
}

function bytesOf(name: WorkerModule | OnDemandModule): Uint8Array<ArrayBuffer> {
  const row = wasmModules[name];
  const bytes = readFileSync(fileOf(name));
  return "lentPages" in row ? withLentMemory(bytes, row.lentPages) : bytes;
}

export const testHost: CodecHost = {
  wasm: moduleOf,
  loadWasm: async (name) => moduleOf(name),
  deflate,
  zlib: nativeZlib,
};

const fixtures = new URL("./fixtures/", import.meta.url);

/** Absolute path of the folder of fixture pictures. */
export const fixturesFolder = fileURLToPath(fixtures);

/** The bytes of a fixture picture. */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, fixtures)));
}

/** The rows of fixtures/expected.tsv, by column name. */
export function expectedRows(): Record<string, string>[] {
  const [head = "", ...lines] = readFileSync(new URL("expected.tsv", fixtures), "utf8").trimEnd().split("\n");
  const columns = head.split("\t");
  return lines.map((line) => {
    const cells = line.split("\t");
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ""]));
  });
}
