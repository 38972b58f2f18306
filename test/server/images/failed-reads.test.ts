import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { createFailedReads } from "../../../src/server/images/failed-reads.ts";

const master = { name: "scan", version: "1" };
const read = (
  x = 0,
  y = 0,
  width = 100,
  height = 100,
  more: { page?: number; scaleFactor?: number } = {},
) => ({
  page: 1,
  scaleFactor: 1,
  region: { x, y, width, height },
  ...more,
});
const damaged = new ServiceError("decode", "damaged");

describe("a read that failed", () => {
  test.each([
    ["the same read", read(10, 10, 20, 20), true],
    ["a read that includes it", read(0, 0, 100, 100), true],
    ["a part of it", read(10, 10, 10, 20), false],
    ["another part", read(50, 50, 20, 20), false],
    ["another page", read(0, 0, 100, 100, { page: 2 }), false],
    ["another scale", read(0, 0, 100, 100, { scaleFactor: 2 }), false],
  ])("decides %s: %s", (_, other, fails) => {
    const reads = createFailedReads(() => 0);
    reads.note(master, read(10, 10, 20, 20), damaged, 10);
    expect(reads.of(master, other)).toBe(fails ? damaged : undefined);
  });

  test("says nothing about other bytes, and is forgotten after ten minutes or a purge", () => {
    let now = 0;
    const reads = createFailedReads(() => now);
    reads.note(master, read(), damaged, 10);
    expect(reads.of({ ...master, version: "2" }, read())).toBeUndefined();
    now = 599_999;
    expect(reads.of(master, read())).toBe(damaged);
    now = 600_000;
    expect(reads.of(master, read())).toBeUndefined();
    reads.note(master, read(), damaged, 10);
    reads.forget("another");
    expect(reads.of(master, read())).toBe(damaged);
    reads.forget("scan");
    expect(reads.of(master, read())).toBeUndefined();
  });

  test("is tried again if its error may pass", () => {
    const reads = createFailedReads(() => 0);
    for (const kind of ["source", "timeout", "busy", "too-large", "cancelled"] as const)
      reads.note(master, read(), new ServiceError(kind, "later"), 10);
    expect(reads.of(master, read())).toBeUndefined();
  });

  test("is refused for as long as it took if that was too long, and for twice as long each time", () => {
    let now = 0;
    const reads = createFailedReads(() => now);
    const late = new ServiceError("timeout", "late", { code: "render_timeout" });
    const refusedFor = () => {
      reads.note(master, read(), late, 60_000);
      const from = now;
      while (reads.of(master, read()) === late) now += 1000;
      return now - from;
    };
    expect([1, 2, 3, 4, 5, 6].map(refusedFor)).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
    now += 600_000;
    expect(refusedFor()).toBe(60_000);
    reads.note(master, read(), late, 60_000);
    expect(reads.of(master, read(1))).toBeUndefined();
  });
});
