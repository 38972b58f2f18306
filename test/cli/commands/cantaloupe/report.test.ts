// The rows of the report of an import.

import { expect, test } from "vitest";
import { reportLines } from "../../../../src/cli/commands/cantaloupe/report.ts";

test("a reason that several rows share is said once, below their names", () => {
  const rows = [
    ["endpoint.a", "no such endpoint"],
    ["port", "addr: the port"],
    ["endpoint.b", "no such endpoint"],
    ["host", "addr: the host"],
  ] as const;
  expect(reportLines(rows)).toEqual([
    "  endpoint.a",
    "  endpoint.b",
    "    no such endpoint",
    "  port  addr: the port",
    "  host  addr: the host",
  ]);
});

test("a long name has a line of its own, so that the columns stay narrow", () => {
  const long = "x".repeat(60);
  expect(
    reportLines([
      [long, "why"],
      ["b", "because"],
    ]),
  ).toEqual([`  ${long}`, "    why", "  b  because"]);
});
