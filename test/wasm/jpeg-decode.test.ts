// The module "jpeg-decode" on its own: its exports and imports.

import { describe, expect, it } from "vitest";
import { area } from "../../src/imaging/codecs/jpg/region/engine.ts";
import { createEngine } from "../../src/imaging/codecs/jpg/region/index.ts";
import { ownModule } from "./own-modules.ts";

const module = await ownModule("jpeg-decode");

describe("the module jpeg-decode", () => {
  it("needs nothing from its host", () => {
    expect(WebAssembly.Module.imports(module)).toEqual([]);
  });

  it("begins with less than 2 MiB of memory", () => {
    expect(createEngine(module).size).toBeLessThan(2 << 20);
  });

  it("takes tables that are codes, among them one that uses all bits, and refuses others", () => {
    const engine = createEngine(module);
    const build = (counts: number[], symbols: number[], ac: 0 | 1) => {
      const bytes = engine.bytes();
      bytes.fill(0, area.raw, area.raw + 300);
      bytes.set(counts, area.raw);
      bytes.set(symbols, area.raw + 16);
      return engine.run.buildTable(ac ? area.ac : area.dc, area.raw, ac);
    };
    expect(build([1, 1], [0, 1], 0)).toBe(1);
    expect(build([2], [0, 1], 0)).toBe(1);
    expect(build([3], [0, 1, 2], 0)).toBe(0);
    expect(build([1, 3], [0, 1, 2, 3], 0)).toBe(0);
    expect(build([1], [16], 0)).toBe(0);
    expect(build([1], [16], 1)).toBe(1);
    expect(build([], [], 1)).toBe(1);
  });

  it("repeats the sample under each pixel, for any ratio and start", () => {
    const { run, bytes } = createEngine(module);
    const at = area.raw;
    for (let i = 0; i < 100; i++) bytes()[at + i] = i;
    for (const [across, outOf] of [
      [1, 2],
      [1, 4],
      [2, 3],
      [3, 4],
    ] as const)
      for (const first of [0, 1, 5]) {
        run.repeatAcross(at, at + 1000, 40, first, across, outOf, 0);
        const expected = Array.from({ length: 40 }, (_, i) => Math.floor(((first + i) * across) / outOf));
        expect([...bytes().subarray(at + 1000, at + 1040)]).toEqual(expected);
      }
  });
});
