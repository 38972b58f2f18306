// The table of selection.ts: what runs is a sample of the commit, and all of it in the end.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { runtimes } from "./runtimes.ts";
import { subjects } from "./selection.ts";

const names = runtimes.map(({ name }) => name);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** The selection of each subject with these variables. */
async function selectionWith(env: Record<string, string>) {
  for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
  vi.resetModules();
  const { selected } = await import("./selection.ts");
  return new Map(subjects.map((subject) => [subject, selected(subject)]));
}

test("every subject runs on the newest Node, on workerd and on one more runtime at least", async () => {
  for (const selected of (await selectionWith({ TEST_ALL: "", TEST_SEED: "a" })).values()) {
    expect(selected).toEqual(expect.arrayContaining(["node24", "workerd"]));
    expect(selected.length).toBeGreaterThan(2);
  }
});

test("every subject runs on every runtime in some commit", async () => {
  const seen = new Map(subjects.map((subject) => [subject, new Set<string>()]));
  for (let seed = 0; seed < 40; seed++)
    for (const [subject, selected] of await selectionWith({ TEST_ALL: "", TEST_SEED: `${seed}` }))
      for (const name of selected) seen.get(subject)?.add(name);
  for (const [subject, set] of seen) expect([subject, [...set].sort()]).toEqual([subject, [...names].sort()]);
});

test("TEST_ALL=1 runs every subject on every runtime", async () => {
  for (const selected of (await selectionWith({ TEST_ALL: "1" })).values())
    expect([...selected].sort()).toEqual([...names].sort());
});

test("every subject is that of a test", () => {
  const folder = fileURLToPath(new URL("./", import.meta.url));
  const text = (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => path.endsWith(".test.ts") && !path.startsWith("node_modules"))
    .map((path) => readFileSync(folder + path, "utf8"))
    .join("");
  const unused = subjects.filter((subject) => !text.includes(`runtimesFor("${subject}")`));
  // The names of those are completed by the stores of sessions.
  expect(unused.filter((subject) => !subject.startsWith("sessions in "))).toEqual([]);
});
