// Our own WebAssembly modules for tests, compiled if their sources have changed.

import { readFileSync } from "node:fs";

/** Returns one of our own compiled modules by its name in src/imaging/codecs/modules.ts. */
export async function ownModule(name: string): Promise<WebAssembly.Module> {
  const { buildWasm } = (await import("../../scripts/wasm.mjs" as string)) as {
    buildWasm(names: string[]): Promise<Record<string, string>>;
  };
  const files = await buildWasm([name]);
  return new WebAssembly.Module(readFileSync(files[name] as string));
}
