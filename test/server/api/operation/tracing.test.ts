// Traces of requests, as a collector receives them, and that no response depends on a collector.
// @module-tag slow

import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Log, silentLog } from "../../../../src/base/telemetry/log.ts";
import { isSampled } from "../../../../src/server/tracing/trace.ts";
import { fixture } from "../../../host.ts";
import { requestRows } from "../../../request-rows.ts";
import { type Served, served } from "../../../served.ts";
import { type Collector, startCollector } from "../../../servers/collector.ts";
import { masterOf, type Origin, startOrigin } from "../../../servers/origin.ts";
import { startWebhook, type WebhookService } from "../../hooks/webhook-service.ts";

let collector: Collector;
let origin: Origin;
let webhook: WebhookService;
const open: Served[] = [];
beforeAll(async () => {
  origin = await startOrigin({ "base.png": masterOf(fixture("base.png")) });
  webhook = await startWebhook();
});
afterAll(async () => {
  await origin.close();
  await webhook.close();
});
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ service }) => service.close()));
  await collector.close();
});

async function traced(
  tracing = "",
  more = "",
  env: Record<string, string> = {},
  log: Log = silentLog,
): Promise<Served> {
  const endpoint = tracing.includes("otlp_endpoint") ? "" : `otlp_endpoint: "${collector.url}"`;
  const section = [endpoint, tracing].filter((part) => part !== "").join(", ");
  const app = await served(`tracing: { ${section} }\ncache: { render: { backend: heap } }\n${more}`, env, {
    log,
  });
  open.push(app);
  return app;
}

/**
 * Number of requests with long trace states whose spans exceed one export, so that one is sent immediately.
 */
const fillsExport = 1000;
const longState = { tracestate: `a=${"x".repeat(500)}` };
const fillExport = (app: Served) =>
  Promise.all(
    Array.from({ length: fillsExport }, () =>
      app.get("/robots.txt", { headers: { ...parent("01"), ...longState } }),
    ),
  );

/** Ends the service, which sends what waits. */
async function spansAfter(app: Served) {
  await app.service.close();
  return collector.spans();
}

const image = "/iiif/3/base.png/full/200,/0/default.jpg";
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const parent = (flags: string) => ({ traceparent: `00-${traceId}-${parentId}-${flags}` });

describe("the trace of a request", () => {
  test("has a span for the request and one for each stage of its render", async () => {
    const app = await traced();
    const before = Date.now();
    const answer = await app.get(image);
    const { length } = new Uint8Array(await answer.arrayBuffer());
    const after = Date.now();
    const [request, ...stages] = await spansAfter(app);
    expect(request).toMatchObject({ name: "GET iiif/3 image", kind: 2 });
    expect(request?.parentSpanId).toBeUndefined();
    expect(request?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(request?.attributes).toMatchObject({
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "http.response.body.size": length,
      "http.route": "/iiif/3/*",
      "url.path": image,
      "smalti.route": "iiif/3 image",
      "smalti.cache": "miss",
      "smalti.format": "jpg",
      "smalti.codec": "png",
      "smalti.worker": 0,
    });
    const names = ["open", "describe", "lookup", "queue", "read", "decode", "steps", "encode", "store"];
    expect(stages.map(({ name }) => name)).toEqual(names);
    expect(request?.from).toBeGreaterThanOrEqual(before - 1);
    expect(request?.to).toBeLessThanOrEqual(after + 1);
    for (const { name, kind, traceId, parentSpanId, from, to } of stages) {
      expect({ kind, traceId, parentSpanId }).toEqual({
        kind: 1,
        traceId: request?.traceId,
        parentSpanId: request?.spanId,
      });
      expect(to, name).toBeGreaterThanOrEqual(from);
      expect(from, name).toBeGreaterThanOrEqual(request?.from ?? 0);
      if (name !== "store") expect(to, name).toBeLessThanOrEqual(request?.to ?? 0);
    }
    expect(new Set([request, ...stages].map((span) => span?.spanId)).size).toBe(names.length + 1);
    expect(collector.resource()).toMatchObject({ "service.name": "smalti", "service.version": "dev" });
    expect(collector.asked.map(({ path }) => path)).toEqual(["/v1/traces"]);
  });

  test("records a cached derivative, and a request that failed by the service's fault", async () => {
    const app = await traced();
    await (await app.get(image)).arrayBuffer();
    await (await app.get(image)).arrayBuffer();
    const damaged = await app.get("/iiif/2/truncated-head.jpg/full/full/0/default.jpg");
    await app.get("/health");
    const requests = (await spansAfter(app)).filter(({ kind }) => kind === 2);
    expect(requests.map(({ attributes }) => attributes["smalti.cache"])).toEqual(["miss", "hit", undefined]);
    expect(requests.map(({ status }) => status)).toEqual([
      undefined,
      undefined,
      damaged.status >= 500 ? 2 : undefined,
    ]);
  });

  test("continues that of its caller, and is recorded if the caller says so, whatever the ratio", async () => {
    const app = await traced("sample_ratio: 0");
    await app.get(image, { headers: { ...parent("01"), tracestate: "vendor=one" } });
    await app.get(image, { headers: parent("00") });
    await app.get(image);
    const requests = (await spansAfter(app)).filter(({ kind }) => kind === 2);
    expect(requests.length).toBe(1);
    expect(requests[0]).toMatchObject({ traceId, parentSpanId: parentId, traceState: "vendor=one" });
  });

  test("ignores an invalid header, including its sampling flag", async () => {
    const app = await traced();
    await app.get(image, {
      headers: { traceparent: `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01` },
    });
    const [request] = await spansAfter(app);
    expect(request?.traceId).not.toBe(traceId);
    expect(request?.parentSpanId).toBeUndefined();
  });

  test("is passed on to the server of a master and to a webhook", async () => {
    webhook.answer = () => ({ key: "base.png", source: "web" });
    const app = await traced(
      "",
      `sources: [{ name: web, type: http, url: "${origin.url}/{identifier}" }]
hook: { engine: webhook, webhook: { url: "${webhook.url}", functions: [resolve] } }`,
    );
    origin.asked.length = webhook.asked.length = 0;
    expect((await app.get(image, { headers: { ...parent("01"), tracestate: "a=b" } })).status).toBe(200);
    const [request] = await spansAfter(app);
    const handed = { traceparent: `00-${traceId}-${request?.spanId}-01`, tracestate: "a=b" };
    expect(origin.asked.length).toBeGreaterThan(0);
    for (const { headers } of origin.asked) expect(headers).toMatchObject(handed);
    expect(webhook.asked.map(({ headers }) => headers)).toMatchObject([handed]);
  });

  test("is the same for its spans, its log line and the server of a master if no caller has begun it", async () => {
    const { log, rows } = requestRows();
    const app = await traced(
      "",
      `sources: [{ name: web, type: http, url: "${origin.url}/{identifier}" }]`,
      {},
      log,
    );
    origin.asked.length = 0;
    expect((await app.get(image)).status).toBe(200);
    const [request] = await spansAfter(app);
    expect(origin.asked.length).toBeGreaterThan(0);
    for (const { headers } of origin.asked)
      expect(headers.traceparent).toBe(`00-${request?.traceId}-${request?.spanId}-01`);
    expect(rows.map((row) => row().trace)).toEqual([request?.traceId]);
  });

  test("is the caller's in the log if nothing is traced, and then not passed on", async () => {
    const { log, rows } = requestRows();
    webhook.answer = () => ({ key: "base.png", source: "web" });
    const app = await traced(
      'otlp_endpoint: ""',
      `sources: [{ name: web, type: http, url: "${origin.url}/{identifier}" }]
hook: { engine: webhook, webhook: { url: "${webhook.url}", functions: [resolve] } }`,
      {},
      log,
    );
    origin.asked.length = webhook.asked.length = 0;
    expect((await app.get(image, { headers: { ...parent("01"), tracestate: "a=b" } })).status).toBe(200);
    expect(rows.map((row) => row().trace)).toEqual([traceId]);
    const asked = [...origin.asked, ...webhook.asked];
    expect(asked.length).toBeGreaterThan(1);
    for (const { headers } of asked) expect(headers).not.toHaveProperty("traceparent");
    expect(collector.asked).toEqual([]);
  });

  test("contains no secret of the client, and the token only as authentication", async () => {
    const app = await traced("token_env: OTLP_TOKEN", "", { OTLP_TOKEN: "collector-secret" });
    await app.get(`${image}?token=query-secret`, {
      peer: "198.51.100.77",
      headers: { Cookie: "sid=cookie-secret", Authorization: "Bearer header-secret" },
    });
    await app.get(
      `/iiif/3/${encodeURIComponent("https://user:url-secret@host/a.jpg?key=path-secret")}/info.json`,
    );
    await app.get("/content-state/other-secret");
    expect((await spansAfter(app)).length).toBeGreaterThan(3);
    expect(collector.bodies.join()).not.toMatch(/secret|198\.51|cookie|user/i);
    expect(collector.asked[0]?.headers.authorization).toBe("Bearer collector-secret");
  });
});

test("exports after one another hold their own traces alone, also those gathered while one is under way", async () => {
  const app = await traced();
  const held: (() => void)[] = [];
  collector.instead = (response, body) => {
    collector.bodies.push(body);
    const answer = () => response.writeHead(200).end();
    if (collector.bodies.length === 2) held.push(answer);
    else answer();
    return true;
  };
  const ids: string[] = [];
  const ask = () =>
    Promise.all(
      Array.from({ length: fillsExport }, () => {
        const id = (ids.length + 1).toString(16).padStart(32, "0");
        ids.push(id);
        return app.get("/robots.txt", { headers: { traceparent: `00-${id}-${parentId}-01`, ...longState } });
      }),
    );
  await ask();
  await expect.poll(() => collector.bodies.length).toBeGreaterThanOrEqual(1);
  await ask();
  await expect.poll(() => held.length).toBe(1);
  await ask();
  for (const answer of held) answer();
  const sent = await spansAfter(app);
  expect(collector.bodies.length).toBeGreaterThanOrEqual(4);
  expect(sent.map((span) => span.traceId).sort()).toEqual(ids);
});

test("the share of traces follows from the end of their ids", () => {
  const ended = (digits: string) => digits.padStart(32, "f");
  expect(isSampled(ended("7fffffffffffff"), 0.5)).toBe(false);
  expect(isSampled(ended("07fffffffffff"), 0.5)).toBe(true);
  expect(isSampled(ended("8000000000000"), 0.5)).toBe(false);
  expect(isSampled(ended("7ffffffffffff"), 0.5)).toBe(true);
  expect(isSampled("f".repeat(32), 1)).toBe(true);
  expect(isSampled("0".repeat(31).concat("1"), 0)).toBe(false);
});

describe("a collector that fails", () => {
  const count = async ({
    service,
  }: Served): Promise<{ readonly sent: number | undefined; readonly dropped: number | undefined }> => {
    const [family] = await service.registry.read(["traces"]);
    const value = (outcome: string): number | undefined =>
      family?.series.flatMap((one) =>
        "value" in one && one.labels.outcome === outcome ? [one.value] : [],
      )[0];
    return { sent: value("sent"), dropped: value("dropped") };
  };

  test("gets what it was too busy for, once it accepts it", async () => {
    const app = await traced();
    let refused = 0;
    collector.instead = (response) => {
      if (refused++ > 0) return undefined;
      response.writeHead(503, { "Retry-After": "0" }).end();
      return true;
    };
    const answers = await fillExport(app);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await expect.poll(() => refused).toBe(1);
    expect((await spansAfter(app)).length).toBe(fillsExport);
    expect(await count(app)).toEqual({ sent: fillsExport, dropped: 0 });
    expect(Math.max(...collector.bodies.map(({ length }) => length))).toBeLessThan(1_000_000);
  });

  const failing: readonly (readonly [string, (response: ServerResponse) => unknown])[] = [
    ["answers 500", (response) => response.writeHead(500).end()],
    ["leads elsewhere", (response) => response.writeHead(307, { Location: "/elsewhere" }).end()],
    ["ends the connection", (response) => response.destroy()],
    ["never answers", () => {}],
  ];
  test.each(failing)("and %s changes no response, and its traces are dropped", async (_, act) => {
    const app = await traced();
    collector.instead = (response) => {
      act(response);
      return true;
    };
    const plain = await served();
    open.push(plain);
    const bytesOf = async (one: Served) => new Uint8Array(await (await one.get(image)).arrayBuffer());
    expect(await bytesOf(app)).toEqual(await bytesOf(plain));
    await fillExport(app);
    await expect.poll(() => collector.asked.length).toBeGreaterThan(0);
    expect((await app.get(image)).status).toBe(200);
    await app.service.close();
    const { sent, dropped } = await count(app);
    expect({ sent, dropped }).toEqual({ sent: 0, dropped: fillsExport + 2 });
    expect(new Set(collector.asked.map(({ path }) => path))).toEqual(new Set(["/v1/traces"]));
  });

  test("or is not there fills memory with 2,048 traces at most", async () => {
    await collector.close();
    const app = await traced();
    for (let i = 0; i < 25; i++) await Promise.all(Array.from({ length: 100 }, () => app.get("/robots.txt")));
    const { dropped = 0 } = await count(app);
    expect(dropped).toBeGreaterThanOrEqual(2500 - 2048);
    await app.service.close();
    expect(await count(app)).toEqual({ sent: 0, dropped: 2500 });
    collector = await startCollector();
  });
});
