import { describe, expect, test } from "vitest";
import {
  type FigureRow,
  figures,
  publishedName,
  type RouteClass,
  routeClasses,
} from "../../../src/server/stats/figures.ts";
import { createRegistry } from "../../../src/server/stats/registry.ts";

describe("the registry", () => {
  test("returns the counts by name and labels, in the order of the table", async () => {
    const registry = createRegistry();
    const written = registry.counter("cache_writes", { slot: "info" });
    const hits = registry.counter("cache_lookups", { slot: "info", outcome: "hit" });
    registry.counter("cache_lookups", { slot: "info", outcome: "miss" });
    hits.add();
    hits.add(2);
    written.add(0.5);
    expect(await registry.read()).toEqual([
      {
        name: "cache_lookups",
        kind: "counter",
        series: [
          { labels: { slot: "info", outcome: "hit" }, value: 3 },
          { labels: { slot: "info", outcome: "miss" }, value: 0 },
        ],
      },
      { name: "cache_writes", kind: "counter", series: [{ labels: { slot: "info" }, value: 0.5 }] },
    ]);
  });

  test("returns histograms with the buckets of their row and percentiles of the latest values", async () => {
    const registry = createRegistry();
    const duration = registry.histogram("http_request_duration", { route: "other" });
    for (const value of [0.001, 0.2, 40]) duration.record(value);
    const [family] = await registry.read(["http_request_duration"]);
    if (family?.kind !== "histogram") throw new Error("expected a histogram");
    const [series] = family.series;
    expect(series).toMatchObject({ labels: { route: "other" }, count: 3, sum: 40.201 });
    expect(series?.buckets.map(({ upTo }) => upTo)).toEqual(figures.http_request_duration.buckets);
    expect(series?.buckets.map(({ count }) => count)).toEqual([1, 1, 2, 2, 2, 2]);
    expect(series?.percentiles([0.5, 1])).toEqual([0.2, 40]);
  });

  test("reads sampled values only when they are asked for, each time again", async () => {
    const registry = createRegistry();
    let asked = 0;
    registry.gauge("pool_queue", {}, () => ++asked);
    registry.counter("worker_starts", {});
    await registry.read(["worker_starts"]);
    expect(asked).toBe(0);
    const [first] = await registry.read();
    const [second] = await registry.read(["pool_queue"]);
    expect([first, second]).toMatchObject([{ name: "worker_starts" }, { name: "pool_queue" }]);
    expect(second?.series).toEqual([{ labels: {}, value: 2 }]);
    expect(asked).toBe(2);
  });

  test("requests shared data of a reading once", async () => {
    const registry = createRegistry();
    let asked = 0;
    const usage = async () => ({ entries: 3, bytes: 40 + asked++ });
    registry.gauge("cache_entries", { slot: "info" }, async (once) => (await once(usage)).entries);
    registry.gauge("cache_size", { slot: "info" }, async (once) => (await once(usage)).bytes);
    const values = async () =>
      (await registry.read()).map(({ series: [first] }) => first && "value" in first && first.value);
    expect(await values()).toEqual([3, 40]);
    expect(await values()).toEqual([3, 41]);
  });

  test("leaves out samples that fail or have no value, and keeps the others", async () => {
    const registry = createRegistry();
    registry.gauge("cache_entries", { slot: "render" }, () => Promise.reject(new Error("the store is gone")));
    registry.gauge("cache_entries", { slot: "info" }, () => {
      throw new Error("it is gone too");
    });
    registry.gauge("cache_entries", { slot: "origin" }, async () => 7);
    registry.gauge("cache_size", { slot: "origin" }, () => undefined);
    expect(await registry.read()).toEqual([
      { name: "cache_entries", kind: "gauge", series: [{ labels: { slot: "origin" }, value: 7 }] },
    ]);
  });

  test("refuses a series that is already there, and labels or values that the table does not have", () => {
    const registry = createRegistry();
    registry.histogram("http_request_duration", { route: "other" });
    expect(() => registry.histogram("http_request_duration", { route: "other" })).toThrow(/already/);
    expect(() => registry.counter("cache_writes", {} as { slot: string })).toThrow(/labels/);
    expect(() =>
      registry.counter("cache_writes", { slot: "info", path: "/iiif" } as { slot: string }),
    ).toThrow(/labels/);
    expect(() => registry.histogram("http_request_duration", { route: "/a.jpg" as RouteClass })).toThrow(
      /labels/,
    );
  });
});

describe("the table of figures", () => {
  const rows = Object.entries<FigureRow>(figures);
  const names = (Object.keys(figures) as (keyof typeof figures)[]).map(publishedName);

  test("has names by the conventions of Prometheus, each of them once", () => {
    expect(publishedName("http_response")).toBe("smalti_http_response_bytes_total");
    expect(publishedName("admission_wait")).toBe("smalti_admission_wait_seconds");
    expect(publishedName("pool_queue")).toBe("smalti_pool_queue");
    expect(names.filter((name) => !/^smalti(_[a-z]+)+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    // The suffixes that exposition appends to the name of a histogram form no name of another figure.
    const suffixed = names.flatMap((name) => ["_bucket", "_count", "_sum"].map((suffix) => name + suffix));
    expect(names.filter((name) => suffixed.includes(name))).toEqual([]);
  });

  test("has label names that Prometheus accepts, none of those that it sets itself", () => {
    const labels = rows.flatMap(([, row]) => Object.keys(row.labels));
    expect(labels.filter((label) => !/^[a-z][a-z_]*$/.test(label))).toEqual([]);
    expect(labels.filter((label) => ["le", "quantile", "job", "instance"].includes(label))).toEqual([]);
  });

  test("has ascending buckets for each histogram and for nothing else", () => {
    for (const [name, { kind, buckets }] of rows) {
      expect(buckets !== undefined, name).toBe(kind === "histogram");
      expect(
        [...(buckets ?? [])].sort((a, b) => a - b),
        name,
      ).toEqual(buckets ?? []);
    }
  });

  test("distinguishes the classes of routes that the dashboard shows", () => {
    expect(routeClasses).toEqual([
      "health",
      "admin",
      "iiif/3 info",
      "iiif/3 image",
      "iiif/2 info",
      "iiif/2 image",
      "search",
      "other",
    ]);
  });
});
