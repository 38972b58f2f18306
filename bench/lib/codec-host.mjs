// The platform that our codecs need, for scripts: modules straight from their packages, our own ones
// compiled, and Node's zlib.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { withLentMemory } from "../../scripts/lent-memory.mjs";
import { moduleTable } from "../../scripts/modules.mjs";
import { buildWasm } from "../../scripts/wasm.mjs";
import { compiled as compiledCode } from "./compiled.mjs";

const packages = resolve(fileURLToPath(import.meta.url), "../../../node_modules");

/** A CodecHost (src/imaging/codecs/codec.ts). */
export async function codecHost() {
  const { wasmModules } = await moduleTable();
  const own = await buildWasm();
  const { deflate, nativeZlib } = await compiledCode("src/server/platform/process/zlib.ts");
  const compiled = new Map();
  const wasm = (name) => {
    const { package: packaged, lentPages } = wasmModules[name];
    if (!compiled.has(name)) {
      const bytes = readFileSync(own[name] ?? join(packages, packaged));
      compiled.set(name, new WebAssembly.Module(lentPages ? withLentMemory(bytes, lentPages) : bytes));
    }
    return compiled.get(name);
  };
  return {
    wasm,
    loadWasm: async (name) => wasm(name),
    deflate,
    zlib: nativeZlib,
  };
}
