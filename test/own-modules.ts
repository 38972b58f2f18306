// Our own WebAssembly modules for tests, compiled where their sources changed.

import { readFileSync } from "node:fs";

/** The compiled module of a name in wasm/modules.json. */
export async function ownModule(name: string): Promise<WebAssembly.Module> {
  const { buildWasm } = (await import("../scripts/wasm.mjs" as string)) as {
    buildWasm(names: string[]): Promise<Record<string, string>>;
  };
  const files = await buildWasm([name]);
  return new WebAssembly.Module(readFileSync(files[name] as string));
}
