// The registry under a scripted load: after each action the figures that changed, completely, each by exactly
// what was done.
// @module-tag slow

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FileSystem, OpenFile } from "../../../../src/base/platform.ts";
import { type Access, publicGrant } from "../../../../src/server/access/access.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import type { Service } from "../../../../src/server/service.ts";
import { type FigureName, figures, type RouteClass } from "../../../../src/server/stats/figures.ts";
import { deferred } from "../../../deferred.ts";
import { fixture, fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";
import { masterOf, type Origin, startOrigin } from "../../../servers/origin.ts";

let folder: string;
let origin: Origin;
const open: Served[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-figures-"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "base.png"));
  origin = await startOrigin({ "base.png": masterOf(fixture("base.png")) });
});
afterAll(async () => {
  await Promise.all(open.map((app) => app.service.close()));
  await origin.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

/** Gauges are left out: some of them ask stores and origins, which is counted. */
const growing = (Object.keys(figures) as FigureName[]).filter((name) => figures[name].kind !== "gauge");

/** Counters and the counts of histograms, by name and values of the labels. */
async function counted({ registry }: Service): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const family of await registry.read(growing)) {
    for (const series of family.series) {
      const key = [family.name, ...Object.values(series.labels)].join(" ");
      all[key] = "value" in series ? series.value : series.count;
    }
  }
  return all;
}

const gauge = async ({ registry }: Service, name: FigureName, ...labels: readonly string[]) => {
  const [family] = await registry.read([name]);
  const series = family?.series.find((one) => Object.values(one.labels).join() === labels.join());
  return series && "value" in series ? series.value : undefined;
};

/** Reads through the files of sources, counted independently. */
const files = { reads: 0, bytes: 0 };
const countingReads = (file: OpenFile): OpenFile => ({
  ...file,
  async read(offset, length) {
    const part = await file.read(offset, length);
    files.reads++;
    files.bytes += part.length;
    return part;
  },
});
const { openPlain, ...ownFiles } = nodeFiles();
const countingFiles: FileSystem = {
  ...ownFiles,
  open: async (path) => countingReads(await ownFiles.open(path)),
  ...(openPlain && {
    async openPlain(path: string) {
      const file = await openPlain(path);
      return file && countingReads(file);
    },
  }),
};

const access: Access = {
  decide: ({ identifier }) =>
    identifier === "closed.png"
      ? { allowed: false, status: 401, reason: "Log in first.", cachedBy: "caller", vary: [] }
      : publicGrant,
};

async function application(extra = "", over: Parameters<typeof served>[2] = {}): Promise<Served> {
  const sources = [
    `{ name: scans, type: filesystem, root: ${JSON.stringify(folder)} }`,
    `{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}" }`,
  ];
  const heap = "{ backend: heap }";
  const cache = extra.includes("cache:") ? "" : `cache: { render: ${heap}, info: ${heap}, origin: ${heap} }`;
  const app = await served(`sources: [${sources.join(", ")}]\n${cache}\n${extra}`, {}, { access, ...over });
  open.push(app);
  return app;
}

/** Returns the changes caused by an action, once everything it started has settled. */
async function changes(app: Served, act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await counted(app.service);
  await act();
  await app.service.images.sidecars.idle();
  await Promise.all(app.service.slots.all.map((slot) => slot.whenSettled()));
  const after = await counted(app.service);
  const grew = Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)] as const);
  // The real duration of a job depends on the machine.
  return Object.fromEntries(grew.filter(([key, by]) => by !== 0 && !key.startsWith("underestimated")));
}

/** Returns the status of a response and the length of its body. */
async function answer(app: Served, target: string, init?: Parameters<Served["get"]>[1]) {
  const response = await app.get(target, init);
  const { length } = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, length, etag: response.headers.get("ETag") ?? "" };
}

/** Returns the figures of responses of one class, as HTTP alone shows them. */
const answered = (route: RouteClass, status: string, bytes: number, n = 1) => ({
  [`http_requests ${route} ${status}`]: n,
  [`http_request_duration ${route}`]: n,
  ...(bytes > 0 && { [`http_response ${route}`]: bytes }),
});

/** A render without a sidecar, by format of the derivative and format of the master. */
const rendered = (formats: string) => ({
  [`renders ${formats}`]: 1,
  ...Object.fromEntries(
    ["open", "describe", "lookup", "queue", "read", "decode", "steps", "encode", "store"].map((stage) => [
      `render_stage_duration ${stage}`,
      1,
    ]),
  ),
});
const image = "/iiif/3/base.png/full/max/0/default.jpg";
const info = "/iiif/3/base.png/info.json";

describe("the figures of a scripted load", () => {
  let app: Served;
  let kept: Awaited<ReturnType<typeof answer>>;
  beforeAll(async () => {
    app = await application("", { files: countingFiles });
  });

  test("all begin at zero, and each is there from the start", async () => {
    const first = await counted(app.service);
    expect(Object.values(first).filter((value) => value !== 0)).toEqual([]);
    // Seven classes of routes, six of statuses.
    expect(Object.keys(first).filter((key) => key.startsWith("http_requests ")).length).toBe(48);
    const names = new Set((await app.service.registry.read()).map(({ name }) => name));
    // Heaps have no circuit and no volume, the platform of these tests says nothing of its memory, nothing is
    // traced, nothing was rendered yet, and readers are not told from crawlers.
    const missing = Object.keys(figures).filter((name) => !names.has(name as FigureName));
    const renders = ["renders", "render_reads", "render_read"];
    const caches = ["cache_circuit_open", "cache_volume_free", "cache_volume_size"];
    const visitors = ["requests", "megapixels", "work", "limits", "pool_used_ratio"];
    const absent = [
      ...caches,
      ...renders,
      ...visitors.map((name) => `visitor_${name}`),
      ...["process_memory", "traces", "worker_memory"],
    ];
    expect(missing.toSorted()).toEqual(absent.toSorted());
  });

  test("count a rendered image: its master, its header, its job and its entry", async () => {
    files.reads = files.bytes = 0;
    const change = await changes(app, async () => {
      kept = await answer(app, image);
    });
    expect(kept.status).toBe(200);
    const {
      "cache_written info": facts,
      "cache_written render": picture,
      "render_reads png": reads,
      "render_read png": bytes,
      ...rest
    } = change;
    expect(reads).toBeGreaterThan(0);
    expect(reads, "the header was read before").toBeLessThan(files.reads);
    expect(bytes).toBeLessThan(files.bytes);
    expect(facts).toBeGreaterThan(0);
    expect(picture, "the picture with what is kept beside it").toBeGreaterThanOrEqual(kept.length);
    expect(rest).toEqual({
      ...answered("iiif/3 image", "2xx", kept.length),
      "access_decisions allowed": 1,
      "source_opens scans found": 1,
      "source_reads scans": files.reads,
      "source_read scans": files.bytes,
      "cache_lookups info miss": 1,
      "cache_writes info": 1,
      "admitted_jobs probe cheap": 1,
      "admission_wait probe": 1,
      "cache_lookups render miss": 1,
      "cache_writes render": 1,
      "admitted_jobs render cheap": 1,
      "admission_wait render": 1,
      "pool_jobs done": 1,
      ...rendered("jpg png"),
    });
  });

  test("count the reads and bytes of a job exactly, once the header is known", async () => {
    files.reads = files.bytes = 0;
    const change = await changes(app, () => answer(app, "/iiif/2/base.png/full/full/0/default.png"));
    expect(files.reads).toBeGreaterThan(0);
    expect(change).toMatchObject({
      ...rendered("png png"),
      "render_reads png": files.reads,
      "render_read png": files.bytes,
      "source_reads scans": files.reads,
    });
  });

  test("have stages of renders that take no longer than their requests", async () => {
    const sumOf = async (name: FigureName, isOf: (labels: Readonly<Record<string, string>>) => boolean) => {
      const [family] = await app.service.registry.read([name]);
      const series = family?.kind === "histogram" ? family.series : [];
      return series.filter(({ labels }) => isOf(labels)).reduce((total, { sum }) => total + sum, 0);
    };
    const stages = await sumOf("render_stage_duration", ({ stage }) => stage !== "store");
    expect(stages).toBeGreaterThan(0);
    expect(stages).toBeLessThanOrEqual(await sumOf("http_request_duration", () => true));
  });

  test("count a cached image, a 304 and a HEAD, which have no body", async () => {
    const stored = (await app.service.slots.render.usage?.())?.entries;
    expect(stored).toBe(2);
    const opened = { "access_decisions allowed": 1, "source_opens scans found": 1 };
    const hit = await changes(app, () => answer(app, image));
    const { "cache_read render": read, ...rest } = hit;
    expect(read).toBeGreaterThanOrEqual(kept.length);
    expect(rest).toEqual({
      ...answered("iiif/3 image", "2xx", kept.length),
      ...opened,
      "cache_lookups render hit": 1,
    });
    const headers = { "If-None-Match": kept.etag };
    expect(await changes(app, () => answer(app, image, { headers }))).toEqual({
      ...answered("iiif/3 image", "3xx", 0),
      ...opened,
    });
    expect(await changes(app, () => answer(app, image, { method: "HEAD" }))).toEqual({
      ...answered("iiif/3 image", "2xx", 0),
      ...opened,
      "cache_lookups render hit": 1,
      "cache_read render": read,
    });
  });

  test("count callers that share an image while it is rendered", async () => {
    const target = "/iiif/2/base.png/full/full/0/gray.png";
    let lengths: readonly number[] = [];
    const change = await changes(app, async () => {
      lengths = (await Promise.all([1, 2, 3].map(() => answer(app, target)))).map(({ length }) => length);
    });
    expect(change).toMatchObject({
      ...answered("iiif/2 image", "2xx", 3 * (lengths[0] ?? 0), 3),
      "cache_lookups render miss": 1,
      "cache_lookups render shared": 2,
      "pool_jobs done": 1,
    });
  });

  test("count searches in texts as such", async () => {
    let length = 0;
    const change = await changes(app, async () => {
      ({ length } = await answer(app, "/iiif/search/2/presentation/3/nowhere?q=word"));
    });
    expect(change).toMatchObject(answered("search", "4xx", length));
  });

  test("count image information, and redirects of a base URI to the class of it", async () => {
    let length = 0;
    const described = await changes(app, async () => {
      ({ length } = await answer(app, info));
    });
    expect(described).toEqual({
      ...answered("iiif/3 info", "2xx", length),
      "access_decisions allowed": 1,
      "source_opens scans found": 1,
    });
    expect(await changes(app, () => answer(app, "/iiif/2/base.png"))).toEqual(
      answered("iiif/2 info", "3xx", 0),
    );
  });

  test.each([
    ["/iiif/3/base.png/full/max/0/default.xyz", "iiif/3 image", 400, {}],
    ["/iiif/3/base.png/9000,0,1,1/max/0/default.jpg", "iiif/3 image", 400, { found: 1 }],
    ["/iiif/3/not-there.png/info.json", "iiif/3 info", 404, { not_found: 1 }],
    ["/iiif/2/%zz/info.json", "iiif/2 info", 400, {}],
    ["/iiif/9/x", "other", 404, {}],
    ["/nothing", "other", 404, {}],
    ["/robots.txt", "other", 200, {}],
    ["/static/page/page.css", "other", 200, {}],
    ["/health", "health", 200, {}],
  ] as const)("count %s to %s", async (target, route, status, opens) => {
    let length = 0;
    const change = await changes(app, async () => {
      const got = await answer(app, target);
      expect(got.status).toBe(status);
      length = got.length;
    });
    expect(length).toBeGreaterThan(0);
    const looked = Object.entries(opens).map(([outcome, n]) => [`source_opens scans ${outcome}`, n]);
    expect(change).toEqual({
      ...answered(route, `${Math.floor(status / 100)}xx`, length),
      ...(looked.length > 0 && { "access_decisions allowed": 1, ...Object.fromEntries(looked) }),
    });
  });

  test("count the pages, documents and errors that a browser gets by their length", async () => {
    const headers = { Accept: "text/html" };
    for (const target of ["/", "/nothing", "/ready"]) {
      let length = 0;
      const change = await changes(app, async () => {
        ({ length } = await answer(app, target, { headers }));
      });
      const route = target === "/ready" ? "health" : "other";
      expect(change[`http_response ${route}`], target).toBe(length);
      expect(length, target).toBeGreaterThan(100);
    }
  });

  test("count no bytes of a HEAD, whichever part responds", async () => {
    for (const target of ["/", "/robots.txt", "/health", "/nothing", info]) {
      const change = await changes(app, () => answer(app, target, { method: "HEAD" }));
      expect(
        Object.keys(change).filter((key) => key.startsWith("http_response")),
        target,
      ).toEqual([]);
    }
  });

  test("count who is denied, without asking a source", async () => {
    let length = 0;
    const change = await changes(app, async () => {
      ({ length } = await answer(app, "/iiif/3/closed.png/full/max/0/default.jpg"));
    });
    expect(change).toEqual({ ...answered("iiif/3 image", "4xx", length), "access_decisions denied": 1 });
  });

  test("show the same in the readings of routes, with the latest errors and without their paths", async () => {
    const before = app.service.requests.total();
    await answer(app, "/iiif/3/base.png/full/max/0/default.xyz");
    const { requests } = app.service;
    expect(requests.total()).toBe(before + 1);
    const all = await counted(app.service);
    for (const { route, requests: n, errors, clientErrors, bytes, p50, p99 } of requests.routes()) {
      const of = (status: string) => all[`http_requests ${route} ${status}`] ?? 0;
      expect(n, route).toBe(
        of("2xx") + of("3xx") + of("4xx") + of("5xx") + of("unsupported") + of("cancelled"),
      );
      expect([errors, clientErrors], route).toEqual([of("5xx"), of("4xx") + of("unsupported")]);
      expect(bytes, route).toBe(all[`http_response ${route}`]);
      expect(n === 0, route).toBe(p50 === undefined);
      if (p50 !== undefined) expect(p99).toBeGreaterThanOrEqual(p50);
    }
    const [latest] = requests.recentClientErrors();
    expect(latest).toEqual({ at: expect.any(Number), route: "iiif/3 image", status: 400 });
    for (let i = 0; i < 60; i++) await answer(app, "/nothing");
    expect(requests.recentClientErrors().map(({ status }) => status)).toEqual(
      Array.from({ length: 50 }, () => 404),
    );
  });

  test("never get another series by a request", async () => {
    const series = Object.keys(await counted(app.service));
    await answer(app, "/iiif/3/another%20name/full/max/0/default.jpg", { peer: "198.51.100.7" });
    expect(Object.keys(await counted(app.service))).toEqual(series);
    expect(JSON.stringify(await app.service.registry.read())).not.toMatch(/198\.51|another|base\.png/);
  });
});

test("figures of a remote source count its requests, its bytes, its failures and a client that leaves", async () => {
  const app = await application();
  const target = "/iiif/3/web/base.png/full/max/0/default.jpg";
  origin.since();
  let made: Awaited<ReturnType<typeof answer>> | undefined;
  const change = await changes(app, async () => {
    made = await answer(app, target);
  });
  const { requests, bytes } = origin.since();
  expect(change).toMatchObject({
    ...answered("iiif/3 image", "2xx", made?.length ?? 0),
    "source_opens web found": 1,
    "source_request_duration web": requests,
    "source_fetched web": bytes,
  });
  expect(Object.keys(change).filter((key) => /_(errors|late)/.test(key))).toEqual([]);

  origin.behaviour.instead = (_request, response) => {
    response.writeHead(503).end();
    return true;
  };
  const failed = await changes(app, () => answer(app, "/iiif/3/web/other.png/info.json"));
  origin.behaviour.instead = undefined;
  expect(failed).toMatchObject({ "http_requests iiif/3 info 5xx": 1, "source_errors web": 1 });
  expect(failed["source_opens web found"]).toBeUndefined();

  const arrived = deferred();
  origin.behaviour.instead = () => {
    arrived.resolve();
    return true; // and never responds
  };
  const leaving = new AbortController();
  const before = app.service.requests.recentErrors();
  const left = await changes(app, async () => {
    const waiting = answer(app, "/iiif/3/web/slow.png/info.json", { signal: leaving.signal });
    await arrived.promise;
    expect(app.service.requests.inFlight()).toBe(1);
    expect(await gauge(app.service, "http_requests_in_flight")).toBe(1);
    leaving.abort();
    expect((await waiting).status).toBe(499);
  });
  origin.behaviour.instead = undefined;
  expect(left).toMatchObject({
    "http_requests iiif/3 info cancelled": 1,
    "http_request_duration iiif/3 info": 1,
    "source_waits web": 1,
  });
  expect(Object.keys(left).filter((key) => key.includes("4xx"))).toEqual([]);
  expect(app.service.requests.recentErrors(), "nobody was answered").toEqual(before);
  expect(app.service.requests.inFlight()).toBe(0);
});

test("figures count refusals of admission: 256 wait for a permit, more are 503", async () => {
  const app = await application("image: { max_concurrent: 1 }");
  await answer(app, info);
  const { admission } = app.service.images;
  const held = deferred();
  const first = admission.run({ work: { kind: "hold", ms: 1 }, memory: 1 }, undefined, () => held.promise);
  const squares = Array.from(
    { length: 258 },
    // All in one row, since the estimate of a PNG depends on the rows above.
    (_, i) => `/iiif/3/base.png/${i},0,1,1/max/0/gray.png`,
  );
  const change = await changes(app, async () => {
    const answers = squares.map((target) => answer(app, target));
    try {
      await expect.poll(() => app.service.requests.total()).toBe(3);
      expect(admission.status()).toMatchObject({ running: 1, waiting: 256 });
      expect(await gauge(app.service, "jobs", "render", "waiting")).toBe(256);
    } finally {
      held.resolve();
    }
    await Promise.all(answers);
  });
  await first;
  expect(change).toMatchObject({
    "http_requests iiif/3 image 2xx": 256,
    "http_requests iiif/3 image 5xx": 2,
    "refused_jobs render queue_full": 2,
    "delayed_jobs render": 256,
    "admitted_jobs render cheap": 256,
    "admission_wait render": 256,
    "pool_jobs done": 256,
  });
  expect(await gauge(app.service, "jobs", "render", "waiting")).toBe(0);
});

test("figures count refusals by the memory budget", async () => {
  const app = await application("image: { memory_budget: 1KiB }");
  const change = await changes(app, () => answer(app, image));
  expect(change).toMatchObject({
    "http_requests iiif/3 image 4xx": 1,
    "refused_jobs render memory_budget": 1,
  });
  expect(change["admitted_jobs render cheap"]).toBeUndefined();
});

test("figures count requests above the caps by the cap that refused them", async () => {
  for (const [limit, cap, status] of [
    ["max_in_flight", "all", "5xx"],
    ["max_in_flight_per_ip", "address", "4xx"],
  ]) {
    const app = await application(`limits: { ${limit}: 1 }`);
    const change = await changes(app, () => Promise.all([answer(app, image), answer(app, info)]));
    expect(change).toMatchObject({
      "http_requests iiif/3 image 2xx": 1,
      [`http_requests iiif/3 info ${status}`]: 1,
      [`http_requests_refused ${cap}`]: 1,
    });
  }
});

test("figures count a slot whose store fails, show its circuit, and do not count what memory takes in its place", async () => {
  const broken: FileSystem = {
    ...nodeFiles(),
    readFile: (path, options) =>
      path.includes("/render/") ? Promise.reject(new Error("EIO")) : nodeFiles().readFile(path, options),
    writeFile: (path, data) =>
      path.includes("/render/") ? Promise.reject(new Error("EIO")) : nodeFiles().writeFile(path, data),
  };
  const heap = "{ backend: heap }";
  const kept = `{ backend: filesystem, path: ${JSON.stringify(join(folder, "cache"))} }`;
  const app = await application(`cache: { render: ${kept}, info: ${heap}, origin: ${heap} }`, {
    files: broken,
  });
  expect(await gauge(app.service, "cache_circuit_open", "render", "write")).toBe(0);
  const tile = (n: number) => answer(app, `/iiif/3/base.png/${n},0,1,1/max/0/gray.png`);
  const change = await changes(app, async () => {
    for (const n of [0, 1]) {
      expect((await tile(n)).status).toBe(200);
      await app.service.slots.render.whenSettled();
    }
  });
  expect(change).toMatchObject({ "http_requests iiif/3 image 2xx": 2, "cache_lookups render miss": 2 });
  // Two reads and two writes, each of which failed once.
  expect(change).toMatchObject({ "cache_errors render": 4, "cache_failed_writes render": 2 });
  expect(change["cache_writes render"] ?? 0).toBe(0);
  expect(await gauge(app.service, "cache_circuit_open", "render", "write")).toBe(1);
  expect(await app.service.slots.render.standIn?.()?.usage?.()).toMatchObject({ entries: 2 });
  expect(await gauge(app.service, "cache_entries", "render"), "in the folder").toBe(0);
});

test("folders and servers are looked at only when somebody asks for their figures, and not each time", async () => {
  let looks = 0;
  const looked: FileSystem = {
    ...nodeFiles(),
    list(path) {
      looks++;
      return nodeFiles().list(path);
    },
  };
  const before = Date.now();
  const app = await application("", { files: looked });
  await app.service.registry.read(["http_requests", "cache_lookups"]);
  expect(looks).toBe(0);
  expect(await gauge(app.service, "part_healthy", "sources", "scans")).toBe(1);
  expect(looks).toBe(1);
  await app.service.registry.read();
  const { results, checkedAt } = await app.service.health();
  expect(looks).toBe(1);
  expect(results.filter(({ check }) => check.part === "sources").map(({ check }) => check.name)).toEqual([
    "scans",
    "web",
  ]);
  expect(checkedAt).toBeGreaterThanOrEqual(before);
});
