// Reduced sizes: the inverse transform of a block's lowest coefficients, by its definition (ITU-T T.81,
// A.3.3).

import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import type { Plane } from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import { fixture } from "../../../../host.ts";
import { openIndexed, type Reader, whole } from "../open.ts";

/** Value of basis function k of n points at place x. */
const basis = (k: number, x: number, n: number) =>
  (k === 0 ? Math.SQRT1_2 : 1) * Math.sqrt(2 / n) * Math.cos((Math.PI * k * (2 * x + 1)) / (2 * n));

/** The tables of a file's DQT segments with 8-bit values, as a function of row and column, by number. */
function quantisation(file: Uint8Array) {
  const tables: ((row: number, column: number) => number)[] = [];
  const zigzag = Array.from({ length: 64 }, (_, i) => [i >> 3, i & 7] as const).sort(
    ([a, b], [c, d]) => a + b - c - d || ((a + b) % 2 ? a - c : c - a),
  );
  for (let at = 2; file[at + 1] !== 0xda; at += 2 + file[at + 2]! * 256 + file[at + 3]!) {
    if (file[at + 1] !== 0xdb) continue;
    const end = at + 2 + file[at + 2]! * 256 + file[at + 3]!;
    for (let from = at + 4; from < end; from += 65) {
      const values = new Map(zigzag.map(([row, column], i) => [row * 8 + column, file[from + 1 + i]!]));
      tables[file[from]!] = (row, column) => values.get(row * 8 + column)!;
    }
  }
  return tables;
}

/** Samples on a block's side, and the coefficients they are made from. */
const kinds = [
  { scale: 2, edge: 4, isUsed: (i: number, j: number) => i < 4 && j < 4 },
  { scale: 4, edge: 2, isUsed: (i: number, j: number) => i < 2 && j < 2 },
] as const;

describe.each(["4:2:0", "4:4:4", "gray"])("blocks of %s", (sampling) => {
  let file: Uint8Array;
  let reader: Reader;
  let full: Plane[];
  beforeAll(async () => {
    // low contrast, so that no sample is clamped, and coarse quantisation: samples then determine the
    // coefficients exactly
    const part = sharp(fixture("base.png"))
      .removeAlpha()
      .extract({ left: 96, top: 64, width: 160, height: 96 });
    const soft = sampling === "gray" ? part.toColourspace("b-w").linear(0.5, 64) : part.linear(0.5, 64);
    const chromaSubsampling = sampling === "4:4:4" ? "4:4:4" : "4:2:0";
    file = new Uint8Array(await soft.jpeg({ quality: 75, chromaSubsampling }).toBuffer());
    reader = await openIndexed(file);
    full = await reader.decodePlanes(whole(reader), 1);
  });

  /** The 64 dequantised coefficients of a block. */
  function coefficients(
    { data, stride }: Plane,
    column: number,
    row: number,
    step: (i: number, j: number) => number,
  ) {
    return Array.from({ length: 64 }, (_, at) => {
      const [i, j] = [at >> 3, at & 7];
      let sum = 0;
      for (let y = 0; y < 8; y++)
        for (let x = 0; x < 8; x++)
          sum += (data[(row * 8 + y) * stride + column * 8 + x]! - 128) * basis(i, y, 8) * basis(j, x, 8);
      const value = Math.round(sum / step(i, j)) * step(i, j);
      if (Math.abs(sum - value) > step(i, j) / 2 - 0.05)
        throw new Error("expected samples that tell coefficients");
      return value;
    });
  }

  it.each(kinds)("become $edge x $edge samples at 1/$scale", async ({ scale, edge, isUsed }) => {
    const tables = quantisation(file);
    const reduced = await reader.decodePlanes(whole(reader), scale);
    let largest = 0;
    let unequal = 0;
    let count = 0;
    for (const [number, plane] of full.entries()) {
      const small = reduced[number]!;
      expect([small.width, small.height]).toEqual([plane.width / scale, plane.height / scale]);
      for (let row = 0; row < plane.height / 8; row++)
        for (let column = 0; column < plane.width / 8; column++) {
          const c = coefficients(plane, column, row, tables[number === 0 ? 0 : 1]!);
          for (let y = 0; y < edge; y++)
            for (let x = 0; x < edge; x++, count++) {
              let value = 0;
              for (let at = 0; at < 64; at++)
                if (isUsed(at >> 3, at & 7))
                  value += c[at]! * basis(at >> 3, y, edge) * basis(at & 7, x, edge);
              const got = small.data[(row * edge + y) * small.stride + column * edge + x]!;
              const difference = Math.abs(got - Math.max(0, Math.min(255, 128 + (value * edge) / 8)));
              largest = Math.max(largest, difference);
              if (difference > 0.55) unequal++;
            }
        }
    }
    expect(largest).toBeLessThanOrEqual(1);
    // nearly all are the nearest whole number
    expect(unequal / count).toBeLessThan(0.01);
  });
});
