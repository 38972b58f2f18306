import { describe, expect, it, test } from "vitest";
import { formatDuration, formatSize, parseDuration, parseSize } from "../../../src/base/options/quantity.ts";
import fc from "../../properties.ts";

describe("durations", () => {
  test.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["5m", 300_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
    ["0s", 0],
  ])("%s is %d milliseconds", (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each(["", "30", "s", "-1s", "1.5h", "1 h", "1H", "1w", "1m30s", "9999999999999999d", "1constructor"])(
    "%j is refused",
    (text) => expect(() => parseDuration(text)).toThrow(RangeError),
  );

  it("are written in the largest unit that divides them", () => {
    expect([90_000, 86_400_000, 500, 0, 3_600_000].map(formatDuration)).toEqual([
      "90s",
      "1d",
      "500ms",
      "0ms",
      "1h",
    ]);
  });

  it("survive a round trip", () => {
    fc.assert(fc.property(fc.nat(2 ** 40), (ms) => parseDuration(formatDuration(ms)) === ms));
  });
});

describe("sizes", () => {
  test.each([
    ["64KiB", 65_536],
    ["256MiB", 268_435_456],
    ["10GiB", 10_737_418_240],
    ["1TiB", 1_099_511_627_776],
    ["1000", 1000],
    [1000, 1000],
    ["0", 0],
  ])("%s is %d bytes", (text, bytes) => expect(parseSize(text)).toBe(bytes));

  test.each(["", "KiB", "-1", "1.5MiB", "1MB", "1mib", "1 MiB", 1.5, -1, Number.NaN, "99999999999TiB"])(
    "%j is refused",
    (text) => expect(() => parseSize(text)).toThrow(RangeError),
  );

  test.each([
    [512, "512 B"],
    [1024, "1 KiB"],
    [1536, "1.5 KiB"],
    [268_435_456, "256 MiB"],
    [1_048_575, "1 MiB"],
    [4 * 2 ** 30 + 1, "4 GiB"],
  ])("%d bytes read %s", (bytes, text) => expect(formatSize(bytes)).toBe(text));
});
