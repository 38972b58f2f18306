// Tests wait for events, and their limits only end what hangs: nothing fails because the machine is busy.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hang } from "./limits.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const files = (readdirSync(folder, { recursive: true }) as string[])
  .filter((path) => path.endsWith(".ts") && !path.includes("node_modules") && path !== "limits.test.ts")
  .map((path) => ({ path, lines: readFileSync(folder + path, "utf8").split("\n") }));

/** The lines that match, with the number that the pattern finds and the two lines before. */
const matches = (pattern: RegExp) =>
  files.flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => {
      const found = pattern.exec(line);
      const number = Number(found?.[1]?.replaceAll("_", ""));
      return found
        ? [{ number, place: `${path}:${at + 1}: ${line.trim()}`, around: lines.slice(at - 2, at + 1) }]
        : [];
    }),
  );
const places = (found: ReturnType<typeof matches>) => found.map(({ place }) => place);

test("no browser test waits for a clock or for an idle network: what the page shows says when it is ready", () => {
  expect(places(matches(/networkidle|waitForTimeout/))).toEqual([]);
});

test.each([
  ["a test", /^\s*\},? ?(\d[\d_]{3,})\);$/],
  ["options", /\btimeout: (\d[\d_]+)\b/],
  ["a signal", /AbortSignal\.timeout\((\d[\d_]+)\)/],
])("no limit of %s is a guess about the machine: test/limits.ts has the only one", (_, pattern) => {
  expect(places(matches(pattern).filter(({ number }) => number < hang))).toEqual([]);
});

test("vi.waitFor, which gives up after a second by itself, has the limit of all tests", () => {
  const without = files.filter(({ lines }) => {
    const text = lines.join("\n");
    return text.split("vi.waitFor(").length > text.split(", hang)").length;
  });
  expect(without.map(({ path }) => path)).toEqual([]);
});

test("a wait of a tenth of a second or longer has a reason in a comment", () => {
  const waits = matches(/\bsetTimeout\(\w+, (\d[\d_]{2,})\)|\b(?:wait|sleep|pause)\((?:\d[\d_]{2,})\)/);
  expect(places(waits.filter(({ around }) => !around.some((line) => /\/\/ |\*\//.test(line))))).toEqual([]);
});
