// Modules that take their memory from their host, which bounds it.

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { withLentMemory } from "../../scripts/lent-memory.mjs";
import { lentMemory } from "../../src/imaging/codecs/instance.ts";
import { wasmModules } from "../../src/imaging/codecs/modules.ts";

const names = ["avif-decode", "jxl-decode"] as const;

test.each(names)("the module %s grows its memory up to the bound and no further", async (name) => {
  const row = wasmModules[name];
  const packaged = await readFile(new URL(`../../node_modules/${row.package}`, import.meta.url));
  const module = new WebAssembly.Module(withLentMemory(packaged, row.lentPages));
  const lent = lentMemory(name, 2 ** 26);
  const imports: WebAssembly.Imports = { ...lent };
  for (const { module: from, name: call, kind } of WebAssembly.Module.imports(module))
    if (kind === "function") imports[from] = { ...imports[from], [call]: () => 0 };
  const { exports } = new WebAssembly.Instance(module, imports);
  const memory = Object.values(exports).find((each) => each instanceof WebAssembly.Memory);
  expect(memory).toBe(lent.smalti!.memory);
  expect(memory!.buffer.byteLength).toBe(row.lentPages * 65_536);
  expect(memory!.grow(2 ** 10 - row.lentPages)).toBe(row.lentPages);
  expect(() => memory!.grow(1)).toThrow(RangeError);
});

test("a bound below what the module begins with, or beyond all memory, is one that there is", () => {
  for (const bytes of [0, 2 ** 40]) expect(() => lentMemory("jxl-decode", bytes)).not.toThrow();
});

test("a module without a memory of its own ends the build", () => {
  expect(() => withLentMemory(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), 1)).toThrow("received none");
});
