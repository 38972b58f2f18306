// /metrics: the text that Prometheus reads, by Prometheus's own checker and by a scripted load.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricsText } from "../../../../src/server/api/metrics/text.ts";
import { createRegistry } from "../../../../src/server/stats/registry.ts";
import { fixturesFolder } from "../../../host.ts";
import { hasPromtool, promtool } from "../../../promtool.ts";
import { type Served, served } from "../../../served.ts";
import { type RedisServer, startRedis } from "../../../servers/redis.ts";

/** One master of each format. */
const masters = [
  "base.png",
  "jpg-baseline-420.jpg",
  "tif-bigtiff-bigendian-tiled.tif",
  "gif-static.gif",
  "webp-lossy.webp",
  "jp2-tiled-128.jp2",
] as const;
const formats = ["jpg", "png", "webp", "gif", "tif", "jp2"] as const;

const open: Served[] = [];
afterAll(() => Promise.all(open.map((app) => app.service.close())));

async function application(extra = ""): Promise<Served> {
  const heap = "{ backend: heap }";
  const cache = extra.includes("cache:") ? "" : `cache: { render: ${heap}, info: ${heap}, origin: ${heap} }`;
  const app = await served(`metrics: { enabled: true }\n${cache}\n${extra}`);
  open.push(app);
  return app;
}

/** Samples by name and labels as they are written. */
async function scraped(app: Served): Promise<Record<string, number>> {
  const text = await (await app.get("/metrics")).text();
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    samples.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

test("nothing is at /metrics unless it is enabled", async () => {
  const app = await served();
  open.push(app);
  expect((await app.get("/metrics")).status).toBe(404);
});

describe("/metrics", () => {
  test("is text of the exposition format 0.0.4, which nobody caches, and responds to HEAD", async () => {
    const app = await application();
    const response = await app.get("/metrics");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.text()).toMatch(/^# HELP smalti_/);
    const head = await app.get("/metrics", { method: "HEAD" });
    expect([head.status, head.headers.get("Content-Type"), await head.text()]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
      "",
    ]);
    expect((await app.get("/metrics", { method: "POST" })).status).toBe(405);
  });

  test("has at most 400 series after requests of all kinds, for derivatives in all formats of masters in all formats", async () => {
    const root = JSON.stringify(fixturesFolder);
    const app = await application(`sources:
  - { name: first, type: filesystem, root: ${root} }
  - { name: second, type: filesystem, root: ${root}, prefix: second/ }
  - { name: away, type: http, prefix: away/, url: "http://127.0.0.1:9/{identifier}" }
mcp: { enabled: true }
auth:
  session: { backend: heap }
  profiles: { terms: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: "second/*", profile: terms }]`);
    const targets = [
      "/",
      "/health",
      "/ready",
      "/none",
      "/iiif/presentation/3",
      "/admin/",
      "/view/base.png",
      "/iiif/3/away%2Fa/info.json",
    ];
    for (const master of masters) {
      for (const prefix of ["/iiif/2/", "/iiif/3/", "/iiif/3/second%2F"])
        targets.push(`${prefix}${master}/info.json`);
      for (const format of formats) targets.push(`/iiif/3/${master}/full/30,/0/default.${format}`);
    }
    targets.push("/iiif/2/base.png/full/20,/0/default.jpg");
    for (const target of targets) await (await app.get(target)).arrayBuffer();
    await Promise.all(app.service.slots.all.map((slot) => slot.whenSettled()));
    const samples = Object.keys(await scraped(app));
    const rendered = samples.filter((name) => name.startsWith("smalti_renders_total"));
    expect(rendered.length).toBeGreaterThanOrEqual(masters.length * 3);
    expect(samples.length).toBeLessThanOrEqual(400);
  });

  test("has figures of visitors while they are told apart, and no others, at most 50", async () => {
    const app = await application("crawlers: { mode: observe }");
    const settings = app.service.config();
    await app.get("/iiif/3/base.png/full/100,/0/default.jpg", { headers: { "User-Agent": "GPTBot/1.2" } });
    const samples = await scraped(app);
    const ofVisitors = Object.keys(samples).filter((name) => name.startsWith("smalti_visitor_"));
    expect(ofVisitors.length).toBeLessThanOrEqual(50);
    expect(samples['smalti_visitor_requests_total{class="crawler"}']).toBe(1);
    expect(samples['smalti_visitor_megapixels_total{class="crawler"}']).toBeGreaterThan(0);
    expect(samples['smalti_visitor_work_seconds_total{class="crawler"}']).toBeGreaterThan(0);
    expect(samples['smalti_visitor_limits_total{class="crawler",outcome="refused"}']).toBe(0);
    expect(samples['smalti_visitor_pool_used_ratio{pool="programs"}']).toBeGreaterThan(0);
    expect(samples['smalti_visitor_pool_used_ratio{pool="viewers"}']).toBe(0);
    app.service.reload({ ...settings, crawlers: { ...settings.crawlers, mode: "off" } });
    expect(Object.keys(await scraped(app)).filter((name) => name.startsWith("smalti_visitor_"))).toEqual([]);
  });

  test("responds above the limits on requests", async () => {
    const app = await application("limits: { max_in_flight: 1 }");
    const first = app.get("/iiif/3/base.png/full/max/15/default.png");
    expect((await app.get("/iiif/3/base.png/info.json")).status).toBe(503);
    expect((await app.get("/metrics")).status).toBe(200);
    await first;
  });

  test.skipIf(!hasPromtool)("passes the checker of Prometheus, without a remark", async () => {
    const app = await application();
    await app.get("/iiif/3/base.png/full/100,/0/default.jpg");
    const text = await (await app.get("/metrics")).text();
    expect(promtool(["check", "metrics"], text)).toEqual({ status: 0, output: "" });
    expect(
      promtool(["check", "metrics"], text.replace("_total ", "_sum ")).status,
      "what it refuses",
    ).not.toBe(0);
  });

  test("agrees exactly with a scripted load in counts and bytes, and within its bounds in times", async () => {
    const app = await application();
    let sentBytes = 0;
    const ask = async (target: string, init?: RequestInit) => {
      const response = await app.get(target, init);
      sentBytes += (await response.arrayBuffer()).byteLength;
      return response;
    };
    const began = performance.now();
    const tiles = Array.from(
      { length: 12 },
      (_, i) => `/iiif/3/base.png/${i * 10},0,10,10/max/0/default.jpg`,
    );
    for (const tile of tiles) expect((await ask(tile)).status).toBe(200);
    for (const tile of tiles.slice(0, 5)) await ask(tile);
    const etag = (await ask(tiles[0] as string)).headers.get("ETag") ?? "";
    expect((await ask(tiles[0] as string, { headers: { "If-None-Match": etag } })).status).toBe(304);
    for (let i = 0; i < 3; i++)
      expect((await ask("/iiif/3/base.png/0,0,1,1/max/0/default.xyz")).status).toBe(400);
    await Promise.all(app.service.slots.all.map((slot) => slot.whenSettled()));
    const lasted = (performance.now() - began) / 1000;
    const samples = await scraped(app);
    const route = 'route="iiif/3 image"';
    expect(samples).toMatchObject({
      [`smalti_http_requests_total{${route},status="2xx"}`]: 18,
      [`smalti_http_requests_total{${route},status="3xx"}`]: 1,
      [`smalti_http_requests_total{${route},status="4xx"}`]: 3,
      [`smalti_http_requests_total{${route},status="5xx"}`]: 0,
      [`smalti_http_response_bytes_total{${route}}`]: sentBytes,
      [`smalti_http_request_duration_seconds_count{${route}}`]: 22,
      [`smalti_http_request_duration_seconds_bucket{${route},le="+Inf"}`]: 22,
      'smalti_cache_lookups_total{slot="render",outcome="miss"}': 12,
      'smalti_cache_lookups_total{slot="render",outcome="hit"}': 6,
      'smalti_cache_entries{slot="render"}': 12,
      'smalti_cache_size_bytes{slot="render"}': (await app.service.slots.render.usage?.())?.bytes,
      'smalti_pool_jobs_total{outcome="done"}': 12,
      'smalti_admitted_jobs_total{gate="render",lane="cheap"}': 12,
      smalti_http_requests_in_flight: 1,
      smalti_pool_queue: 0,
      smalti_sidecar_builds: 0,
    });
    const seconds = samples[`smalti_http_request_duration_seconds_sum{${route}}`] ?? 0;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(lasted);
    const started = samples.smalti_start_time_seconds ?? 0;
    expect(Math.abs(Date.now() / 1000 - started)).toBeLessThan(600);
  });

  test("contains nothing that a request says", async () => {
    const app = await application();
    await app.get("/iiif/3/some%20name/info.json?token=secret", { peer: "198.51.100.77" });
    const text = await (await app.get("/metrics")).text();
    expect(text).not.toMatch(/some|secret|198\.51/);
  });
});

describe("with a shared store", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  test("asks it for its entries at most every ten seconds", async () => {
    const slot = `{ backend: redis, addr: "127.0.0.1:${redis.port}", timeout: 60s }`;
    const app = await application(
      `cache: { render: ${slot}, info: { backend: heap }, origin: { backend: heap } }`,
    );
    await app.get("/iiif/3/base.png/full/100,/0/default.jpg");
    await app.service.slots.render.whenSettled();
    const calls = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await redis.admin.info("stats"))?.[1]);
    const idle = -(await calls()) + (await calls());
    expect((await scraped(app))['smalti_cache_entries{slot="render"}']).toBe(1);
    const before = await calls();
    for (let i = 0; i < 5; i++) expect((await scraped(app))['smalti_cache_entries{slot="render"}']).toBe(1);
    expect((await calls()) - before).toBe(idle);
  });
});

describe("the text of a registry", () => {
  test("escapes labels, and writes no family without series", async () => {
    const registry = createRegistry();
    registry.counter("cache_writes", { slot: 'a "b"\\c\nd' }).add(0.5);
    expect(metricsText(await registry.read())).toBe(
      [
        "# HELP smalti_cache_writes_total Values that were stored.",
        "# TYPE smalti_cache_writes_total counter",
        'smalti_cache_writes_total{slot="a \\"b\\"\\\\c\\nd"} 0.5',
        "",
      ].join("\n"),
    );
  });

  test("writes cumulative buckets, the sum and the count of a histogram", async () => {
    const registry = createRegistry();
    const wait = registry.histogram("source_request_duration", { source: "web" });
    for (const value of [0.004, 0.2, 0.2, 45]) wait.record(value);
    const lines = metricsText(await registry.read()).split("\n");
    expect(lines[1]).toBe("# TYPE smalti_source_request_duration_seconds histogram");
    expect(lines.slice(2, 4)).toEqual([
      'smalti_source_request_duration_seconds_bucket{source="web",le="0.01"} 1',
      'smalti_source_request_duration_seconds_bucket{source="web",le="0.05"} 1',
    ]);
    expect(lines.slice(-7, -1)).toEqual([
      'smalti_source_request_duration_seconds_bucket{source="web",le="1"} 3',
      'smalti_source_request_duration_seconds_bucket{source="web",le="5"} 3',
      'smalti_source_request_duration_seconds_bucket{source="web",le="30"} 3',
      'smalti_source_request_duration_seconds_bucket{source="web",le="+Inf"} 4',
      'smalti_source_request_duration_seconds_sum{source="web"} 45.404',
      'smalti_source_request_duration_seconds_count{source="web"} 4',
    ]);
  });
});
