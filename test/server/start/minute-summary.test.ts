// The line a minute in place of lines of requests, by a clock of the test.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMinuteSummary, summaryLine } from "../../../src/cli/serving/minute-summary.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = (status: number, bytes = 0, ms = 1) => ({ status, bytes, began: 0, ended: ms });

test("one line a minute says how many requests there were, and nothing is written without any", () => {
  const lines: string[] = [];
  const { note } = createMinuteSummary((line) => lines.push(line));
  for (const status of [200, 304, 404, 500, 503]) note(request(status, 1024 ** 2, status));
  vi.advanceTimersByTime(59_000);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d\d:\d\d — 5 requests, 2 errors, 1 with status 4xx, 5 MiB sent, slowest 503 ms\n$/,
    ),
  ]);
  vi.advanceTimersByTime(600_000);
  expect(lines).toHaveLength(1);
  note(request(200, 0, 1250));
  vi.advanceTimersByTime(60_000);
  expect(lines[1]).toMatch(/ — 1 request, 0 errors, 0 B sent, slowest 1\.3 s\n$/);
});

test("the end writes what a minute has collected so far, once", () => {
  const lines: string[] = [];
  const { note, end } = createMinuteSummary((line) => lines.push(line));
  note(request(200));
  end();
  end();
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(1);
});

test("a line begins with the time of day where the service runs", () => {
  const counts = { requests: 1234, refused: 0, errors: 1, bytes: 0, slowest: 0 };
  const line = summaryLine(new Date(2026, 10, 29, 7, 5, 59).getTime(), counts);
  expect(line).toMatch(/^07:05 — 1,234 requests, 1 error, /);
});
