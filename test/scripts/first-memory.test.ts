// The memory that instances of a module begin with: less than in the package, for the same pixels.

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { withFirstMemory } from "../../scripts/first-memory.mjs";
import { memoryBytes } from "../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../src/imaging/codecs/index.ts";
import { wasmModules } from "../../src/imaging/codecs/modules.ts";
import { fixture, testHost } from "../host.ts";

const row = wasmModules["webp-decode"];
const packaged = await readFile(new URL(`../../node_modules/${row.package}`, import.meta.url));

test("a module begins with the pages of its row, and decodes the same pixels", async () => {
  const module = new WebAssembly.Module(withFirstMemory(packaged, row.firstPages));
  const imports: WebAssembly.Imports = {};
  for (const each of WebAssembly.Module.imports(module)) (imports[each.module] ??= {})[each.name] = () => 0;
  const { exports } = new WebAssembly.Instance(module, imports);
  const memory = Object.values(exports).find((each) => each instanceof WebAssembly.Memory);
  expect(memory?.buffer.byteLength).toBe(row.firstPages * 65_536);

  const host = {
    ...testHost,
    wasm: (name: Parameters<typeof testHost.wasm>[0]) =>
      name === "webp-decode" ? module : testHost.wasm(name),
  };
  for (const name of [
    "webp-lossy.webp",
    "webp-lossless-alpha.webp",
    "webp-animated-4.webp",
    "tif-webp-tiled.tif",
  ]) {
    const decode = async (codecs: ReturnType<typeof createCodecs>) => {
      const bytes = memoryBytes(fixture(name));
      const codec = codecs.recognise(fixture(name).subarray(0, 64))!;
      const header = await codec.probe(bytes, 1);
      const region = { x: 0, y: 0, width: header.width, height: header.height };
      return (await codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 })).data;
    };
    expect(await decode(createCodecs(host))).toEqual(await decode(createCodecs(testHost)));
  }
});

test("a module with less memory ends the build", () => {
  expect(() => withFirstMemory(packaged, 257)).toThrow("at least 257 pages");
  expect(() => withFirstMemory(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), 1)).toThrow(
    "received none",
  );
});
