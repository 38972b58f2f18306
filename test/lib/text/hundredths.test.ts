import { expect, test } from "vitest";
import { hundredthsText } from "../../../src/lib/text/hundredths.ts";

test("numbers with two decimals are written as JSON has them", () => {
  for (let i = 0; i <= 20_000; i++) expect(hundredthsText(i / 100)).toBe(JSON.stringify(i / 100));
  for (const value of [0.1 + 0.7, 1234567.89, 9_999_999.99, -0, 4.35, 1.1])
    expect([JSON.stringify(value), undefined]).toContain(hundredthsText(value));
  expect(hundredthsText(9_999_999.99)).toBe("9999999.99");
});

test.each([0.001, 1.005, -1, 1e7, 1e21, Number.NaN, Number.POSITIVE_INFINITY])("%d is another", (value) => {
  expect(hundredthsText(value)).toBeUndefined();
});
