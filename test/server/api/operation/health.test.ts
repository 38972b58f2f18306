// Liveness, readiness, their exemption from limits, and what a missing root looks like from outside.

import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Log, type LogFields, silentLog } from "../../../../src/base/telemetry/log.ts";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";

type Json = Record<string, unknown>;

describe("/health", () => {
  test("returns ok, the version and the time since the start", async () => {
    const app = await served();
    const response = await app.get("/health");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const body = (await response.json()) as Json;
    expect(Object.keys(body)).toEqual(["status", "version", "uptimeSeconds"]);
    expect(body).toMatchObject({ status: "ok", version: "dev" });
    expect(Number.isInteger(body.uptimeSeconds)).toBe(true);
  });

  test.each(["/health", "/ready"])("%s responds to HEAD without a body", async (path) => {
    const app = await served();
    const response = await app.get(path, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });
});

describe("/ready", () => {
  let folder: string;
  let root: string;
  let app: Served;
  const logged: [string, string, (LogFields | undefined)?][] = [];
  const log: Log = {
    ...silentLog,
    info: (message, fields = {}) => {
      if (typeof fields !== "function") logged.push(["info", message, fields]);
    },
    warn: (...line) => void logged.push(["warn", ...line]),
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "smalti-ready-"));
    root = join(folder, "scans");
    mkdirSync(root);
    copyFileSync(join(fixturesFolder, "base.png"), join(root, "base.png"));
    const yaml = `
sources:
  - { name: scans, type: filesystem, root: ${JSON.stringify(root)} }
  - { name: maps, type: filesystem, root: ${JSON.stringify(fixturesFolder)}, prefix: maps/ }
cache: { render: { backend: filesystem, path: ${JSON.stringify(join(folder, "cache"))} }, info: { backend: none } }`;
    app = await served(yaml, {}, { log });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("lists every source and cache, each with its name, backend, health and latency", async () => {
    const response = await app.get("/ready");
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const body = (await response.json()) as { sources: Json[]; caches: Json[] } & Json;
    expect(Object.keys(body)).toEqual(["status", "sources", "caches"]);
    expect(body.status).toBe("ready");
    for (const part of [...body.sources, ...body.caches]) {
      expect(Object.keys(part)).toEqual(["name", "backend", "healthy", "latencyMs"]);
      expect(part.healthy).toBe(true);
      expect(part.latencyMs).toBeGreaterThanOrEqual(0);
    }
    expect(body.sources.map(({ name, backend }) => [name, backend])).toEqual([
      ["scans", "filesystem"],
      ["maps", "filesystem"],
    ]);
    expect(body.caches.map(({ name }) => name)).toEqual(expect.arrayContaining(["render", "info", "origin"]));
    expect(body.caches.find(({ name }) => name === "render")?.backend).toBe("filesystem");
    expect(body.caches.find(({ name }) => name === "info")?.backend).toBe("none");
  });

  test("is 503 while a root is missing, names the source and no path, and is 200 again when it is back", async () => {
    renameSync(root, `${root}-away`);
    const response = await app.get("/ready");
    expect(response.status).toBe(503);
    const text = await response.text();
    const body = JSON.parse(text) as { status: string; sources: Json[] };
    expect(body.status).toBe("unready");
    expect(body.sources.map(({ healthy }) => healthy)).toEqual([false, true]);
    expect(body.sources[0]?.error).toMatch(/source "scans"/);
    expect(text).not.toContain(folder);
    // The other source serves on; an image of the missing one is a fault of the service, not "not found".
    expect((await app.get("/iiif/3/maps%2Fbase.png/info.json")).status).toBe(200);
    const image = await app.get("/iiif/3/base.png/info.json");
    expect(image.status).toBe(500);
    expect(await image.text()).not.toContain(folder);
    expect((await app.get("/health")).status).toBe(200);
    expect((await app.get("/ready")).status).toBe(503);
    renameSync(`${root}-away`, root);
    expect((await app.get("/ready")).status).toBe(200);
    const ofSources = logged.filter(([, message]) => message.startsWith("a source"));
    expect(ofSources.map(([level, message, fields]) => [level, message, fields?.source])).toEqual([
      ["warn", "a source cannot be used at the moment", "scans"],
      ["info", "a source can be used again", "scans"],
    ]);
  });
});

test("neither counts against the caps, which hold everything else", async () => {
  const app = await served("limits: { max_in_flight: 1 }");
  const big = "/iiif/3/base.png/full/max/13/default.png";
  const first = app.get(big);
  const refused = await app.get("/iiif/3/base.png/info.json");
  expect(refused.status).toBe(503);
  expect(refused.headers.get("Retry-After")).toBe("1");
  for (const path of ["/health", "/ready"]) expect((await app.get(path)).status).toBe(200);
  const response = await first;
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  expect((await app.get("/iiif/3/base.png/info.json")).status).toBe(200);
});

test("a request counts until its client has read the whole body or has left", async () => {
  const app = await served("limits: { max_in_flight: 1 }");
  const status = async () => (await app.get("/iiif/3/base.png/info.json")).status;
  for (const end of [
    (response: Response) => response.arrayBuffer(),
    (response: Response) => response.body?.cancel(),
  ]) {
    const large = await app.get("/iiif/3/base.png/full/max/0/default.png");
    expect(Number(large.headers.get("Content-Length"))).toBeGreaterThan(256 * 1024);
    expect(await status()).toBe(503);
    await end(large);
    await Promise.resolve();
    expect(await status()).toBe(200);
  }
});

test("one address over its limit is refused while another is served", async () => {
  const app = await served("limits: { max_in_flight_per_ip: 1 }");
  const first = app.get("/iiif/3/base.png/full/max/14/default.png", { peer: "192.0.2.1" });
  const same = await app.get("/iiif/3/base.png/info.json", { peer: "192.0.2.1" });
  const other = await app.get("/iiif/3/base.png/info.json", { peer: "192.0.2.2" });
  expect([same.status, other.status, (await first).status]).toEqual([429, 200, 200]);
  expect(same.headers.get("Retry-After")).toBe("1");
  expect(((await same.json()) as Json).code).toBe("too_many_requests_from_address");
});
