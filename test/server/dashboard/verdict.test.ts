// The verdict of the status page: which facts of a frame are problems, and where they lead.

import { expect, test } from "vitest";
import { findingJson } from "../../../src/base/findings/json.ts";
import {
  createVerdict,
  problemsShown,
  type VerdictFacts,
  verdictOf,
} from "../../../src/server/dashboard/verdict.ts";

const well: VerdictFacts = {
  at: 1_000_000,
  checks: {},
  caches: [{ name: "render", resting: false }],
  damaged: 0,
  failures: [],
  waiting: 0,
  workers: 2,
  droppedLines: 0,
};
/** The problems of a fresh verdict, as the page shows them. */
const problemsOf = (facts: Partial<VerdictFacts>) =>
  createVerdict()({ ...well, ...facts }).map(findingJson.status);
const links = (facts: Partial<VerdictFacts>) =>
  problemsOf(facts).map(({ link, level }) => `${level} ${link}`);
const failure = (at: number) => ({ at, route: "other", status: 500 }) as const;
const source = (name: string, healthy: boolean) => ({
  name,
  healthy,
  resting: false,
  lastError: "it is gone",
});

test("a service without problems has none", () => {
  expect(links({})).toEqual([]);
});

test.each<[string, Partial<VerdictFacts>, string]>([
  ["a source that cannot be used", { checks: { sources: [source("scans", false)] } }, "bad #sources"],
  [
    "a cache that cannot be used",
    { checks: { parts: [{ part: "caches", name: "render", healthy: false, error: "the disk is full" }] } },
    "bad cache",
  ],
  ["a failure of four minutes ago", { failures: [failure(1_000_000 - 240_000)] }, "bad #errors"],
  ["a queue of 129 jobs for two workers", { waiting: 129 }, "bad #stages"],
  ["a cache that is left alone", { caches: [{ name: "info", resting: true }] }, "warn cache"],
  ["a damaged master", { damaged: 1 }, "warn #damaged"],
  ["dropped lines of the log", { droppedLines: 3 }, "warn config"],
])("%s is a problem with a link, and with something to do", (_, facts, expected) => {
  expect(links(facts)).toEqual([expected]);
  expect(createVerdict()({ ...well, ...facts })[0]?.advice).toMatch(/^[A-Z].+\.$/);
});

test("problems are summed up in a sentence, by the worst of them", () => {
  const summary = (facts: Partial<VerdictFacts>) => verdictOf(problemsOf(facts));
  expect(summary({})).toEqual({ text: "Everything works.", level: "good" });
  expect(summary({ damaged: 1 })).toEqual({
    text: "Everything works, but one thing needs a look.",
    level: "warn",
  });
  expect(summary({ damaged: 1, waiting: 129 })).toEqual({ text: "2 things are wrong.", level: "bad" });
  expect(summary({ waiting: 129 }).text).toBe("One thing is wrong.");
});

test("a problem is one sentence after the other, whether its error ends as a sentence or not", () => {
  const text = (error: string) =>
    createVerdict()({ ...well, checks: { sources: [{ ...source("scans", false), lastError: error }] } })[0]
      ?.text;
  const expected = "The source scans cannot be used: it is gone.";
  expect([text("it is gone"), text("it is gone.")]).toEqual([expected, expected]);
});

test("failures are counted, with a minimum if older ones of that period may be forgotten", () => {
  const said = (count: number) =>
    createVerdict()({ ...well, failures: Array.from({ length: count }, () => failure(well.at)) })[0]?.text;
  expect(said(1)).toBe("1 request failed in the last five minutes (status 5xx).");
  expect(said(2)).toBe("2 requests failed in the last five minutes (status 5xx).");
  // The registry keeps the latest 50 (docs/reference/metrics.md).
  expect(said(50)).toBe("At least 50 requests failed in the last five minutes (status 5xx).");
});

test("failures and dropped lines are forgotten after five minutes", () => {
  expect(links({ failures: [failure(1_000_000 - 300_001)] })).toEqual([]);
  const judge = createVerdict();
  expect(judge({ ...well, droppedLines: 1 })).toHaveLength(1);
  expect(judge({ ...well, droppedLines: 1, at: well.at + 300_001 })).toEqual([]);
});

test("more problems than the page has room for are counted in its last line", () => {
  const sources = Array.from({ length: 20 }, (_, i) => source(String(i), false));
  const problems = createVerdict()({ ...well, checks: { sources } });
  expect(problems).toHaveLength(problemsShown);
  expect(problems.at(-1)?.text).toBe("9 more problems.");
});
