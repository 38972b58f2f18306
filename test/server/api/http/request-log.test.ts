// The line of each request, and Server-Timing.

import { afterAll, describe, expect, test } from "vitest";
import type { Log, LogFields } from "../../../../src/base/telemetry/log.ts";
import { silentLog } from "../../../../src/base/telemetry/log.ts";
import { requestRows } from "../../../request-rows.ts";
import { type Served, served } from "../../../served.ts";

const open: Served[] = [];
afterAll(() => Promise.all(open.map((app) => app.service.close())));

async function application(yaml = "", over: Parameters<typeof served>[2] = {}) {
  const lines: LogFields[] = [];
  const errors: LogFields[] = [];
  const log: Log = {
    ...silentLog,
    info: (message, fields) => {
      if (message === "request" && typeof fields === "function") lines.push(fields());
    },
    error: (_message: string, fields: LogFields = {}) => {
      errors.push(fields);
    },
  };
  const heap = "{ backend: heap }";
  const app = await served(
    `cache: { render: ${heap}, info: ${heap}, origin: ${heap} }\n${yaml}`,
    {},
    { log, ...over },
  );
  open.push(app);
  return { app, lines, errors };
}

const tile = "/iiif/3/base.png/0,0,64,64/max/0/default.jpg";

describe("the line of a request", () => {
  test("contains its identifier, class, status, cache outcome, and the network of its client", async () => {
    const { app, lines } = await application();
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const made = await app.get(`${tile}?key=hunter2`, { peer: "198.51.100.77", headers: { traceparent } });
    const { byteLength } = await made.arrayBuffer();
    await app.service.slots.render.whenSettled();
    await app.get(tile, { method: "HEAD", peer: "2001:db8:1:2::9" });
    await app.get("/nothing", { method: "PURGE-hunter2" });
    expect(lines).toMatchObject([
      {
        method: "GET",
        path: tile,
        route: "iiif/3 image",
        status: 200,
        code: undefined,
        bytes: byteLength,
        cache: "miss",
        client: "198.51.100.0/24",
        worker: 0,
        stages: { open: expect.any(Number), decode: expect.any(Number), encode: expect.any(Number) },
        trace: "4bf92f3577b34da6a3ce929d0e0e4736",
      },
      { method: "HEAD", status: 200, bytes: 0, cache: "hit", client: "2001:db8:1::/48", trace: undefined },
      { method: "other", path: "/nothing", route: "other", status: 404, code: "no_such_page" },
    ]);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(3);
    expect(lines.every(({ ms }) => typeof ms === "number" && ms >= 0)).toBe(true);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });

  test("names the code of every error, also of an image or a document that is refused", async () => {
    const { app, lines } = await application(`auth:
  session: { backend: heap }
  profiles: { staff: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: "base.png", profile: staff }]`);
    const targets = [
      tile,
      "/iiif/3/base.png/info.json",
      "/iiif/3/none.png/info.json",
      "/iiif/presentation/3/none",
      "/none",
      "/iiif/auth/v1/token",
    ];
    for (const target of targets) await app.get(target);
    await app.get("/none", { headers: { Accept: "text/html" } });
    expect(lines.map(({ status, code }) => [status, code])).toEqual([
      [401, "access_denied"],
      [401, "access_denied"],
      [404, expect.any(String)],
      [404, expect.any(String)],
      [404, "no_such_page"],
      [401, "token_refused"],
      [404, "no_such_page"],
    ]);
  });

  test("that is written later has the stages that ended meanwhile, otherwise those of the response", async () => {
    const { log, rows } = requestRows();
    const { app } = await application("", { log });
    await (await app.get(tile)).arrayBuffer();
    const atOnce = rows[0]?.();
    await app.service.slots.render.whenSettled();
    const later = rows[0]?.();
    expect(later).toEqual({
      ...atOnce,
      stages: { ...(atOnce?.stages as object), store: expect.any(Number) },
    });
    expect(later).toMatchObject({ status: 200, path: tile, cache: "miss" });
  });

  test("has the error name of a response with status 500, and the line of its error", async () => {
    const { app, lines, errors } = await application();
    const response = await app.get("/iiif/3/bad-empty.jpg/full/max/0/default.jpg");
    expect(response.status).toBeGreaterThanOrEqual(500);
    const id = response.headers.get("X-Request-Id");
    expect(id).toMatch(/^[0-9a-f]{10}-[0-9a-z]+$/);
    expect(lines.at(-1)).toMatchObject({ id, status: response.status });
    expect((await app.get("/nothing")).headers.has("X-Request-Id")).toBe(false);
    if (errors.length > 0) expect(errors[0]).toMatchObject({ id });
  });

  test("is absent if log.requests is off, and returns after a reload", async () => {
    const { app, lines } = await application("log: { requests: false }");
    await app.get("/health");
    expect(lines).toEqual([]);
    const { config } = app.service;
    expect(app.service.reload({ ...config(), log: { ...config().log, requests: true } })).toEqual([]);
    await app.get("/health");
    expect(lines).toMatchObject([{ route: "health", status: 200 }]);
  });

  test("is not built if log.level excludes it, and returns after a reload", async () => {
    const { app, lines } = await application("log: { level: warn }");
    await app.get("/health");
    expect(lines).toEqual([]);
    const { config } = app.service;
    expect(app.service.reload({ ...config(), log: { ...config().log, level: "debug" } })).toEqual([]);
    await app.get("/health");
    expect(lines).toMatchObject([{ route: "health", status: 200 }]);
  });
});

describe("Server-Timing", () => {
  test("is not sent unless it is switched on", async () => {
    const { app } = await application();
    const { headers } = await app.get(tile);
    expect([headers.has("Server-Timing"), headers.has("Timing-Allow-Origin")]).toEqual([false, false]);
  });

  test("reports the cache outcome and the times of images, to pages of any origin", async () => {
    const { app } = await application("http: { server_timing: true }");
    const began = performance.now();
    const { headers } = await app.get(tile);
    const took = performance.now() - began;
    const [, ms] =
      /^cache;desc=miss(?:, [a-z_]+;dur=[\d.]+)*, total;dur=([\d.]+)$/.exec(
        headers.get("Server-Timing") ?? "",
      ) ?? [];
    expect(Number(ms)).toBeGreaterThan(0);
    expect(Number(ms)).toBeLessThanOrEqual(took + 0.1);
    const names = headers
      .get("Server-Timing")
      ?.split(", ")
      .map((part) => part.split(";")[0]);
    expect(names).toEqual(expect.arrayContaining(["open", "queue", "decode", "encode"]));
    expect(headers.get("Timing-Allow-Origin")).toBe("*");
    await app.service.slots.render.whenSettled();
    expect((await app.get(tile)).headers.get("Server-Timing")).toMatch(/^cache;desc=hit, /);
    expect((await app.get("/iiif/3/base.png/info.json")).headers.has("Server-Timing")).toBe(false);
    // Responses without an image have one too, and each exactly once.
    const etag = headers.get("ETag") ?? "";
    for (const [path, sent, status] of [
      [tile, { "If-None-Match": etag }, 304],
      ["/iiif/3/none.png/full/max/0/default.jpg", {}, 404],
    ] as const) {
      const answer = await app.get(path, { headers: sent });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("Server-Timing")?.match(/total;dur=/g)).toHaveLength(1);
    }
  });
});
