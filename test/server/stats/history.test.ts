// The history of figures: what a sample holds, and how many are kept.

import { expect, test } from "vitest";
import { createHistory, maxHistory } from "../../../src/server/stats/history.ts";
import { createRegistry } from "../../../src/server/stats/registry.ts";

const start = 1_700_000_000_000;

function parts() {
  const registry = createRegistry();
  const history = createHistory(registry);
  const { counter, histogram, gauge } = registry;
  let waiting = 0;
  gauge("jobs", { gate: "render", state: "waiting" }, () => waiting);
  gauge("jobs", { gate: "probe", state: "waiting" }, () => 1000);
  gauge("process_memory", { kind: "resident" }, () => 2 ** 28);
  gauge("process_memory", { kind: "heap" }, () => 2 ** 20);
  return {
    history,
    good: counter("http_requests", { route: "iiif/3 image", status: "2xx" }),
    failed: counter("http_requests", { route: "other", status: "5xx" }),
    hits: counter("cache_lookups", { slot: "render", outcome: "hit" }),
    misses: counter("cache_lookups", { slot: "render", outcome: "miss" }),
    others: counter("cache_lookups", { slot: "info", outcome: "miss" }),
    version3: histogram("http_request_duration", { route: "iiif/3 image" }),
    version2: histogram("http_request_duration", { route: "iiif/2 image" }),
    health: histogram("http_request_duration", { route: "health" }),
    wait(jobs: number) {
      waiting = jobs;
    },
  };
}

test("a first sample has the values of its moment, and none of an interval", async () => {
  const { history, good } = parts();
  good.add();
  await history.sample(start);
  expect(history.read()).toEqual([
    { at: start, rate: null, failures: null, hitRate: null, imageMs: null, waiting: 0, memory: 2 ** 28 },
  ]);
});

test("each further sample has what happened since the one before", async () => {
  const { history, good, failed, hits, misses, others, version2, version3, health, wait } = parts();
  for (let i = 0; i < 7; i++) good.add();
  hits.add();
  await history.sample(start);
  for (let i = 0; i < 36; i++) good.add();
  for (let i = 0; i < 4; i++) failed.add();
  for (let i = 0; i < 3; i++) hits.add();
  misses.add();
  others.add();
  version3.record(0.02);
  version2.record(0.5);
  health.record(9);
  wait(6);
  await history.sample(start + 20_000);
  expect(history.read()[1]).toEqual({
    at: start + 20_000,
    rate: 2,
    failures: 4,
    hitRate: 0.75,
    imageMs: 500,
    waiting: 6,
    memory: 2 ** 28,
  });
  await history.sample(start + 40_000);
  expect(history.read()[2]).toMatchObject({ rate: 0, failures: 0, hitRate: null, imageMs: 500 });
});

test("only the latest samples are kept, the oldest first", async () => {
  const { history } = parts();
  for (let i = 0; i < maxHistory + 3; i++) await history.sample(start + i * 20_000);
  const all = history.read().map(({ at }) => (at - start) / 20_000);
  expect([all.length, all[0], all.at(-1)]).toEqual([maxHistory, 3, maxHistory + 2]);
});
