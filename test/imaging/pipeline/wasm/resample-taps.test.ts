import { expect, test } from "vitest";
import { axisTaps } from "../../../../src/imaging/pipeline/kernel.ts";
import { createTapTables } from "../../../../src/imaging/pipeline/wasm/resample-taps.ts";

const axes = [
  { axis: { size: 50, origin: 0, scale: 2 }, cells: 100 },
  { axis: { size: 37, origin: -3.3, scale: 1.7 }, cells: 60 },
  { axis: { size: 71, origin: 0.2, scale: 0.37 }, cells: 9 },
  { axis: { size: 21, origin: 4, scale: 3.99 }, cells: 90 },
  { axis: { size: 5, origin: 0, scale: 0.2 }, cells: 1 },
];

test.each(axes)("integer weights of scale $axis.scale sum to exactly 16384, in pairs", ({ axis, cells }) => {
  const { count, weights } = createTapTables()(axis, cells, "i16");
  expect(count % 2).toBe(0);
  for (let i = 0; i < axis.size; i++)
    expect([...weights.subarray(i * count, (i + 1) * count)].reduce((sum, weight) => sum + weight, 0)).toBe(
      16384,
    );
});

test.each(axes)("no weight of scale $axis.scale is lost or moved", ({ axis, cells }) => {
  const exact = axisTaps(axis, cells);
  for (const [format, one] of [
    ["i16", 16384],
    ["f32", 1],
  ] as const) {
    const { count, starts, weights } = createTapTables()(axis, cells, format);
    expect([...starts.subarray(0, axis.size)]).toEqual([...exact.starts]);
    for (let i = 0; i < axis.size; i++)
      for (let k = 0; k < exact.count; k++) {
        const packed = k < count ? weights[i * count + k]! / one : 0;
        // a sum of weights that are each rounded misses by a few steps, which one weight takes
        expect(Math.abs(packed - exact.weights[i * exact.count + k]!)).toBeLessThan(
          format === "i16" ? 8 / 16384 : 1e-9,
        );
      }
  }
});

test.each(axes)("float taps of scale $axis.scale are all on cells", ({ axis, cells }) => {
  const { count, starts } = createTapTables()(axis, cells, "f32");
  for (const start of starts) {
    expect(start).toBeGreaterThanOrEqual(0);
    expect(start + count).toBeLessThanOrEqual(cells);
  }
});

test("outputs are filled up to a multiple of four, with the last start and no weights", () => {
  const { count, starts, weights } = createTapTables()({ size: 5, origin: 0, scale: 2 }, 10, "f32");
  expect([...starts.subarray(5)]).toEqual([starts[4], starts[4], starts[4]]);
  expect([...weights.subarray(5 * count)]).toEqual(new Array(3 * count).fill(0));
});

test("the same axis over the same cells is computed once", () => {
  const tables = createTapTables();
  const axis = { size: 512, origin: 2.5, scale: 2 };
  expect(tables({ ...axis }, 1030, "i16")).toBe(tables(axis, 1030, "i16"));
  expect(tables(axis, 1031, "i16")).not.toBe(tables(axis, 1030, "i16"));
  expect(tables({ ...axis, origin: 2 }, 1030, "i16")).not.toBe(tables(axis, 1030, "i16"));
});
