// Checkouts that share a folder of packages share the compiled modules in it, and must not get each other's.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-wasm-"));
  mkdirSync(join(folder, "packages"));
  for (const name of ["assemblyscript", "esbuild"])
    symlinkSync(join(root, "node_modules", name), join(folder, "packages", name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a checkout whose only module returns a number; returns its builder. */
async function checkout(name: string, value: number) {
  const at = join(folder, name);
  mkdirSync(join(at, "wasm/one"), { recursive: true });
  symlinkSync(join(folder, "packages"), join(at, "node_modules"));
  for (const name of ["wasm.mjs", "modules.mjs"])
    cpSync(join(root, "scripts", name), join(at, "scripts", name));
  mkdirSync(join(at, "src/imaging/codecs"), { recursive: true });
  writeFileSync(
    join(at, "src/imaging/codecs/modules.ts"),
    `export const wasmModules = { one: { usedBy: "worker", source: "wasm/one/one.ts" } };`,
  );
  writeFileSync(join(at, "wasm/one/one.ts"), `export function value(): i32 { return ${value}; }`);
  const { buildWasm } = await import(pathToFileURL(join(at, "scripts/wasm.mjs")).href);
  return async (): Promise<string> => (await buildWasm()).one;
}

const resultOf = (file: string) =>
  (new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports.value as () => number)();

test("each checkout gets the module of its own sources, and compiles it once", async () => {
  const older = await checkout("older", 1);
  const newer = await checkout("newer", 2);
  const first = await older();
  expect(resultOf(await newer())).toBe(2);
  expect(resultOf(first)).toBe(1);
  expect(await older()).toBe(first);
  expect(resultOf(await older())).toBe(1);
});
