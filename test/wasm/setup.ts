// Compiles our own WebAssembly modules once before the tests, so that test/host.ts can return them
// synchronously.

import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** File of each of our own modules. */
    readonly ownWasm: Readonly<Record<string, string>>;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const { buildWasm } = (await import("../../scripts/wasm.mjs" as string)) as {
    buildWasm(): Promise<Record<string, string>>;
  };
  project.provide("ownWasm", await buildWasm());
}
