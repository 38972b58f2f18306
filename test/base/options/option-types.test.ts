import { describe, expect, test } from "vitest";
import { durationOption, sizeOption } from "../../../src/base/options/option-types.ts";

describe("the schema of durations", () => {
  test.each(["500ms", "30s", "5m", "24h", "7d", "0s"])("keeps %s as it is written", (text) =>
    expect(durationOption.parse(text)).toBe(text),
  );
  test.each([60, "60", "1.5s", "", null, ["5s"]])("refuses %j with the form that it expects", (value) => {
    const { error } = durationOption.safeParse(value);
    expect(error?.issues.map((issue) => issue.message)).toEqual([
      "expected a duration such as 500ms, 30s, 5m, 24h or 7d",
    ]);
  });
});

describe("the schema of sizes", () => {
  test.each(["64KiB", "10GiB", "1000", 1000, 0])("keeps %j as it is written", (value) =>
    expect(sizeOption.parse(value)).toBe(value),
  );
  test.each(["64KB", "1.5GiB", "", -1, 1.5, true, null])("refuses %j", (value) =>
    expect(sizeOption.safeParse(value).success).toBe(false),
  );
});
