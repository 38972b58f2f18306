// Our own modules and the code that calls them: one memory map, one list of functions, written down on both
// sides.

import { describe, expect, it, test } from "vitest";
import { accessPointBytes } from "../../src/imaging/codecs/jpg/region/access-points.ts";
import { area, blocks, components, field, outcome } from "../../src/imaging/codecs/jpg/region/engine.ts";
import { wasmModules } from "../../src/imaging/codecs/modules.ts";
import { stateBytes } from "../../src/imaging/codecs/tif/compression/lzw.ts";
import { constantsOf, exportsOf, methodsOf } from "./assembly.ts";

/** The interfaces that are laid over instances of each module. */
const bindings: Record<string, readonly (readonly [file: string, name: string])[]> = {
  "jpeg-decode": [["src/imaging/codecs/jpg/region/engine.ts", "Exports"]],
  "jpeg-transcode": [["src/imaging/codecs/jpg/transcode/work.ts", "TranscodeModule"]],
  "jpeg-turn": [["src/imaging/codecs/jpg/lossless/transform.ts", "TurnModule"]],
  "jpeg-encode": [["src/imaging/codecs/jpg/encode/module.ts", "EncoderModule"]],
  "jxl-recode": [["src/imaging/codecs/jxl/recode.ts", "RecodeModule"]],
  jp2k: [["src/imaging/codecs/jp2/region/module.ts", "Jp2kModule"]],
  png: [["src/imaging/codecs/png/module.ts", "PngModule"]],
  tiff: [["src/imaging/codecs/tif/compression/module.ts", "TiffModule"]],
  colour: [["src/imaging/colour/kernel.ts", "Exports"]],
  pixels: [
    ["src/imaging/pipeline/wasm/light.ts", "Exports"],
    ["src/imaging/pipeline/wasm/rotate.ts", "Exports"],
    ["src/imaging/pipeline/wasm/sharpen.ts", "Exports"],
  ],
  resample: [["src/imaging/pipeline/wasm/resample.ts", "Exports"]],
  tiles: [["src/imaging/sidecar/tiles/tile-coder.ts", "Exports"]],
};

const own = Object.entries(wasmModules).flatMap(([name, row]) =>
  "source" in row ? [[name, row.source] as const] : [],
);

describe("the functions of a module", () => {
  it.each(own)("%s are called with exactly their parameters, and all of them are called", (name, source) => {
    const offered = exportsOf(source);
    const called = new Map(bindings[name]!.flatMap(([file, type]) => [...methodsOf(file, type)]));
    expect(offered.size).toBeGreaterThan(1);
    expect([...called.keys()].sort()).toEqual([...offered.keys()].sort());
    for (const [method, parameters] of called)
      expect([method, parameters.length]).toEqual([method, offered.get(method)!.length]);
  });
});

const map = constantsOf("wasm/jpeg/assembly/map.ts");

/** rawEnd: RAW_END */
const inAssembly = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
/** Values by the names that assembly has for them, in bytes. */
const inBytes = (places: Readonly<Record<string, number>>, prefix = "") =>
  Object.fromEntries(Object.entries(places).map(([name, at]) => [prefix + inAssembly(name), 4 * at]));
const inMap = (expected: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.keys(expected).map((name) => [name, map.get(name)]));

describe("the memory map of jpeg-decode", () => {
  test("has the fields of a run at the host's offsets", () => {
    const fields = inBytes(field);
    expect(inMap(fields)).toEqual(fields);
  });

  test("has the records of blocks and components at the host's offsets", () => {
    const { at: blocksAt, size: blockSize, ...blockFields } = blocks;
    const { at: componentsAt, size: componentSize, ...componentFields } = components;
    const expected = {
      BLOCKS: 4 * blocksAt,
      BLOCK_SIZE: 4 * blockSize,
      ...inBytes(blockFields, "B_"),
      COMPONENTS: 4 * componentsAt,
      COMPONENT_SIZE: 4 * componentSize,
      ...inBytes(componentFields, "C_"),
    };
    expect(inMap(expected)).toEqual(expected);
  });

  test("has the tables and the window on the file at the host's offsets", () => {
    const expected = { QUANT: area.quant, DC_TABLES: area.dc, AC_TABLES: area.ac, RAW: area.raw };
    expect(inMap(expected)).toEqual(expected);
    const at = (name: string) => map.get(name)!;
    expect(area.tables).toBe(at("QUANT"));
    // sizes of tables by their last part: 2^11 entries of 4 and 8 bytes
    expect(area.dcSize).toBe(at("T_DC") + 4 * 2 ** at("FAST_BITS"));
    expect(area.acSize).toBe(at("T_FAST") + 8 * 2 ** at("FAST_BITS"));
  });

  test("leaves no two areas on the same bytes", () => {
    const at = (name: string) => map.get(name)!;
    const areas = [
      [at("STATE"), at("FRESH") + 4],
      [at("BLOCKS"), at("BLOCKS") + 10 * at("BLOCK_SIZE")],
      [at("COMPONENTS"), at("COMPONENTS") + 4 * at("COMPONENT_SIZE")],
      [at("COEFFICIENTS"), at("COEFFICIENTS") + 256],
      [at("QUANT"), at("QUANT") + 4 * area.quantSize],
      [area.dc, area.dc + 4 * area.dcSize],
      [area.ac, area.ac + 4 * area.acSize],
      [area.tablesEnd, area.tablesEnd],
      [at("SCRATCH"), at("SCRATCH") + at("SCRATCH_ROOM")],
      // a pair for each byte that may be removed
      [at("REMOVED"), at("REMOVED") + 8 * at("SCRATCH_ROOM")],
      [area.raw, area.raw + area.rawRoom],
      [area.arena, area.arena],
    ] as const;
    for (const [i, [start]] of areas.entries())
      if (i > 0) expect(areas[i - 1]![1]).toBeLessThanOrEqual(start);
  });

  test("names the outcomes of a run by the same numbers", () => {
    const expected = Object.fromEntries(
      Object.entries(outcome).map(([name, number]) => [inAssembly(name), number]),
    );
    expect(inMap(expected)).toEqual(expected);
  });
});

test("the state of an LZW block has as many bytes in the module as the host leaves for it", () => {
  expect(constantsOf("wasm/tiff/assembly/lzw.ts").get("STATE_BYTES")).toBe(stateBytes);
});

test("an access point has as many bytes in the transcoder as the reader takes it for", () => {
  expect(constantsOf("wasm/jpeg/assembly/transcode/output.ts").get("ENTRY_SIZE")).toBe(accessPointBytes);
});
