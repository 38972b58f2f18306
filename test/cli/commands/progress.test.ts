// The line about progress, and where it is shown.

import { expect, test } from "vitest";
import { createProgress, duration, progressLine } from "../../../src/cli/commands/progress.ts";

test.each([
  // Half of the bar, 50 in 10 s are 5 in a second, and the other 50 take 10 s.
  [
    { done: 50, total: 100, elapsedMs: 10_000 },
    `${"█".repeat(12)}${"░".repeat(12)}  50 of 100 images  5.0/s  10 s left`,
  ],
  [
    { done: 1000, total: 4000, elapsedMs: 10_000 },
    `${"█".repeat(6)}${"░".repeat(18)}  1,000 of 4,000 images  100/s  30 s left`,
  ],
  [{ done: 12, total: undefined, elapsedMs: 1000 }, "12 images  12/s"],
  [{ done: 0, total: 7, elapsedMs: 0 }, `${"░".repeat(24)}  0 of 7 images`],
  [{ done: 0, total: 0, elapsedMs: 0 }, `${"█".repeat(24)}  0 of 0 images`],
])("%j", (amount, line) => {
  expect(progressLine(amount, "images", 200)).toBe(line);
});

test("the line is shorter than the terminal", () => {
  const amount = { done: 50, total: 100, elapsedMs: 10_000 };
  expect(progressLine(amount, "images", 40)).toBe("50 of 100 images");
  expect(progressLine(amount, "images", 10)).toBe("50 of 100");
});

test.each([
  [0.4, "0 s"],
  [59.4, "59 s"],
  [200, "3 min 20 s"],
  [7500, "2 h 5 min"],
])("%s seconds are %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

function shown(columns: number | undefined): string {
  let err = "";
  const progress = createProgress(
    { columns: () => columns, write: (stream, text) => void (err += `${stream === "err" ? text : "?"}`) },
    "images",
  );
  progress.update(1, 1);
  progress.note("a.tif: damaged");
  progress.end();
  return err;
}

test("a terminal shows the bar, and no bar stays there", () => {
  const lines = shown(200).split("\r\x1b[K");
  expect(lines).toEqual([
    "",
    expect.stringMatching(/1 of 1 images/),
    "a.tif: damaged\n",
    expect.stringMatching(/1 of 1 images/),
    "",
  ]);
});

test("anything else receives notes alone", () => {
  expect(shown(undefined)).toBe("a.tif: damaged\n");
});
