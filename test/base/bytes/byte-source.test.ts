// Sections of byte sources, against slices of arrays.

import { describe, expect, it } from "vitest";
import { type ByteSource, memoryBytes, sectionOf } from "../../../src/base/index.ts";

const all = Uint8Array.from({ length: 100 }, (_, i) => i);

/** Lends its bytes, and records the ranges that were read. */
function recording(): ByteSource & { readonly ranges: [number, number][] } {
  const ranges: [number, number][] = [];
  const inner = memoryBytes(all);
  return {
    ranges,
    size: all.length,
    gap: 7,
    read(offset, length) {
      ranges.push([offset, length]);
      return inner.read(offset, length);
    },
    borrow: (wanted) => wanted.map(({ offset, length }) => all.subarray(offset, offset + length)),
  };
}

describe("a section of a byte source", () => {
  const asked = [
    [0, 20],
    [0, 1],
    [19, 1],
    [19, 50],
    [5, 5],
    [20, 1],
    [400, 9],
    [3, 0],
    [0, 1000],
  ] as const;

  it("reads the bytes of its range alone, counted from its beginning", async () => {
    const source = recording();
    const section = sectionOf(source, 30, 20);
    const own = all.slice(30, 50);
    expect([section.size, section.gap]).toEqual([20, 7]);
    for (const [offset, length] of asked)
      expect(await section.read(offset, length), `${offset}+${length}`).toEqual(
        own.slice(offset, offset + length),
      );
    for (const [offset, length] of source.ranges) {
      expect(offset).toBeGreaterThanOrEqual(30);
      expect(offset + length).toBeLessThanOrEqual(50);
    }
  });

  it("lends them if its source lends, and does not offer to otherwise", () => {
    const section = sectionOf(recording(), 30, 20);
    const own = all.slice(30, 50);
    const lent = section.borrow?.(asked.map(([offset, length]) => ({ offset, length })));
    expect(lent).toEqual(asked.map(([offset, length]) => own.slice(offset, offset + length)));
    expect("borrow" in sectionOf(memoryBytes(all), 30, 20)).toBe(false);
  });

  it("may have sections itself", async () => {
    const inner = sectionOf(sectionOf(memoryBytes(all), 30, 20), 5, 10);
    expect(await inner.read(0, 100)).toEqual(all.slice(35, 45));
  });
});
