// Filtering in the module "png", compared with the filters as PNG specification 9.2 defines them, and with
// the choice of 12.7.

import { describe, expect, it } from "vitest";
import { filterRows } from "../../../../src/imaging/codecs/png/encode.ts";
import type { PngModule } from "../../../../src/imaging/codecs/png/module.ts";
import { testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";

const module = new WebAssembly.Instance(testHost.wasm("png")).exports as unknown as PngModule;
const next = seeded(11);

/** Filters big-endian rows in plain arithmetic; of equal sums, the lowest filter type wins. */
function filtered(bytes: readonly number[], length: number, step: number) {
  const out: number[] = [];
  for (let start = 0; start < bytes.length; start += length) {
    const of = (filter: number) =>
      bytes.slice(start, start + length).map((x, i) => {
        const a = i < step ? 0 : bytes[start + i - step]!;
        const b = bytes[start + i - length] ?? 0;
        return (x - [0, a, b, (a + b) >> 1][filter]!) & 255;
      });
    const sumOf = (row: readonly number[]) => row.reduce((sum, x) => sum + Math.min(x, 256 - x), 0);
    const sums = [0, 1, 2, 3].map((filter) => sumOf(of(filter)));
    const filter = sums.indexOf(Math.min(...sums));
    out.push(filter, ...of(filter));
  }
  return Uint8Array.from(out);
}

describe("filtered rows", () => {
  for (const bands of [1, 2, 3, 4])
    for (const depth of [8, 16])
      it(`of ${bands} bands of ${depth} bit are those of the specification, by the least sum`, () => {
        const used = new Set<number>();
        for (const width of [1, 2, 3, 7, 16, 17, 33, 101]) {
          const height = 24;
          const samples = Array.from({ length: width * height * bands }, (_, i) => {
            const [x, y] = [Math.floor(i / bands) % width, Math.floor(i / bands / width)];
            const wave = [x * 9, (x * x * 37) & 255, (x + y) * 7, next(4)][(y >> 2) % 4]! + (i % bands);
            return depth === 16 ? (wave * 257 + next(9)) & 65535 : wave & 255;
          });
          const data = depth === 16 ? Uint16Array.from(samples) : Uint8Array.from(samples);
          const bytes = depth === 16 ? samples.flatMap((s) => [s >> 8, s & 255]) : samples;
          const step = (bands * depth) / 8;
          const out = filterRows(module, { width, height, bands, interpretation: "rgb", data });
          expect(out).toEqual(filtered(bytes, width * step, step));
          for (let y = 0; y < height; y++) used.add(out[y * (width * step + 1)]!);
        }
        expect([...used].sort()).toEqual([0, 1, 2, 3]);
      });

  it("continue from band to band", () => {
    const [width, height, bands] = [1000, 150, 3];
    const data = new Uint8Array(width * height * bands).map((_, i) => (i >> 9) + next(3));
    const out = filterRows(module, { width, height, bands, interpretation: "rgb", data });
    expect(out).toEqual(filtered([...data], width * bands, bands));
  });
});
