// Unfiltering in the module "png", compared with the filters as PNG specification 9.2 and 9.4 define them.

import { describe, expect, it } from "vitest";
import { createBands } from "../../../../src/imaging/codecs/png/bands.ts";
import type { PngModule } from "../../../../src/imaging/codecs/png/module.ts";
import { testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";

const module = new WebAssembly.Instance(testHost.wasm("png")).exports as unknown as PngModule;
const next = seeded(5);
const byte = () => next(256);

/** Undoes the filter of one row in plain arithmetic. */
function unfiltered(filter: number, row: readonly number[], above: readonly number[], step: number) {
  const out: number[] = [];
  for (const [i, x] of row.entries()) {
    const [a, b, c] = [out[i - step] ?? 0, above[i]!, i < step ? 0 : above[i - step]!];
    const p = a + b - c;
    const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)] as const;
    const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    out.push((x + [0, a, b, Math.floor((a + b) / 2), paeth][filter]!) & 255);
  }
  return out;
}

/** Rows of random bytes; every fifth byte is an extreme, every third row smooth. */
const rowsOf = (count: number, length: number, filterOf: (y: number) => number) =>
  Array.from({ length: count }, (_, y) => ({
    filter: filterOf(y),
    row: Array.from({ length }, (_, i) =>
      y % 3 === 0 ? byte() >> 6 : i % 5 === 0 ? 255 * (byte() & 1) : byte(),
    ),
  }));

const bytesOf = (rows: ReturnType<typeof rowsOf>) =>
  Uint8Array.from(rows.flatMap(({ filter, row }) => [filter, ...row]));

function expected(rows: ReturnType<typeof rowsOf>, step: number, length: number) {
  let above = rows[0]!.row.map(() => 0);
  return Uint8Array.from(
    rows.flatMap(({ filter, row }) => {
      above = unfiltered(filter, row, above, step);
      return above.slice(0, length);
    }),
  );
}

describe("unfiltered rows", () => {
  for (const step of [1, 2, 3, 4, 6, 8])
    for (const filter of [0, 1, 2, 3, 4])
      it(`of filter ${filter} and ${step} bytes a pixel are those of the specification`, () => {
        for (const pixels of [1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 101]) {
          const rows = rowsOf(9, pixels * step, () => filter);
          const bands = createBands(module, { maxLength: pixels * step, step, wide: false });
          bands.begin();
          bands.add(bytesOf(rows));
          const out = bands.unfilter(pixels * step, rows.length, pixels * step);
          expect(out.slice()).toEqual(expected(rows, step, pixels * step));
        }
      });

  it("continue from band to band, as far right as they are needed", () => {
    for (const step of [1, 2, 3, 4, 6, 8]) {
      const rowBytes = 53 * step;
      const rows = rowsOf(40, rowBytes, () => byte() % 5);
      const bands = createBands(module, { maxLength: rowBytes, step, wide: false });
      for (const length of [rowBytes, 20 * step, step]) {
        const input = bytesOf(rows);
        const out: number[] = [];
        bands.begin();
        for (let at = 0, done = 0; done < rows.length; ) {
          at += bands.add(input.subarray(at, at + 1 + next(4 * rowBytes)));
          const count = bands.rows(rowBytes);
          out.push(...bands.unfilter(rowBytes, count, length));
          bands.drop(rowBytes, count);
          done += count;
        }
        expect(Uint8Array.from(out)).toEqual(expected(rows, step, length));
      }
    }
  });

  it("take no more than there is room for", () => {
    const bands = createBands(module, { maxLength: 1000, step: 1, wide: false });
    const added = bands.add(new Uint8Array(1 << 20));
    expect(added).toBeLessThan(1 << 20);
    expect(bands.rows(1000)).toBe(Math.floor(added / 1001));
    expect(bands.add(new Uint8Array(1))).toBe(0);
  });

  it("of an unknown filter are a decode error", () => {
    const bands = createBands(module, { maxLength: 4, step: 1, wide: false });
    bands.add(Uint8Array.of(1, 1, 1, 1, 1, 5, 0, 0, 0, 0));
    expect(() => bands.unfilter(4, 2, 4)).toThrow(expect.objectContaining({ kind: "decode" }));
  });
});
