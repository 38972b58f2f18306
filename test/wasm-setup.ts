// Compiles our own WebAssembly modules once before the tests, so that test/host.ts can give them out at once.

import { ownModules } from "../src/codecs/modules.ts";

export default async function setup(): Promise<void> {
  const { buildWasm } = (await import("../scripts/wasm.mjs" as string)) as {
    buildWasm(names: readonly string[]): Promise<unknown>;
  };
  await buildWasm(ownModules);
}
