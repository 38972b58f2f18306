// A frame after a scripted load, compared with the load's own counts.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { redisScripts } from "../../../src/server/stores/redis/scripts.ts";
import { fixturesFolder } from "../../host.ts";
import { type Served, served } from "../../served.ts";
import { startRedis } from "../../servers/redis.ts";

const usageHash = createHash("sha1").update(redisScripts.usage).digest("hex");
const lastLine = redisScripts.usage.split("\n").at(-1) as string;

const open: Served[] = [];
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-frame-"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "base.png"));
});
afterAll(async () => {
  await Promise.all(open.map(({ service }) => service.close()));
  rmSync(folder, { recursive: true });
});

async function application(cache: string): Promise<Served> {
  const sources = `[{ name: scans, type: filesystem, root: ${JSON.stringify(folder)} }]`;
  const app = await served(`sources: ${sources}\ncache: ${cache}`);
  open.push(app);
  return app;
}

const heap = "{ render: { backend: heap }, info: { backend: heap }, origin: { backend: none } }";

async function load(app: Served, target: string): Promise<number> {
  const body = await (await app.get(target)).arrayBuffer();
  await Promise.all(app.service.slots.all.map((slot) => slot.whenSettled()));
  return body.byteLength;
}

describe("a frame", () => {
  test("of a service without requests has zeros and nulls, and every route, stage and cache", async () => {
    const { service } = await application(heap);
    const frame = await service.dashboard.frames({ health: false });
    expect(frame).toMatchObject({
      version: "dev",
      instance: "test:1",
      requests: 0,
      rate: 0,
      inFlight: 0,
      errors: 0,
      clientErrors: 0,
      failuresLately: 0,
      imageMs: null,
      verdict: { text: "Everything works.", level: "good" },
      problems: [],
      damaged: [],
      queue: { waiting: 0, p95WaitMs: null },
      sidecarBuilds: 0,
      recentErrors: [],
      recentClientErrors: [],
      slowest: [],
    });
    expect(frame.routes.map(({ route, requests, p95Ms }) => [route, requests, p95Ms])).toEqual(
      [
        "health",
        "admin",
        "iiif/3 info",
        "iiif/3 image",
        "iiif/2 info",
        "iiif/2 image",
        "search",
        "other",
      ].map((route) => [route, 0, null]),
    );
    expect(frame.stages.filter(({ medianMs, p95Ms }) => medianMs !== null || p95Ms !== null)).toEqual([]);
    expect(
      frame.caches.map(({ name, backend, entries, hitRate }) => [name, backend, entries, hitRate]),
    ).toEqual([
      ["render", "heap", 0, null],
      ["info", "heap", 0, null],
      ["origin", "none", 0, null],
      ["text", "heap", 0, null],
      ["changes", "heap", 0, null],
    ]);
    expect([frame.sources, frame.parts]).toEqual([undefined, undefined]);
    // It is sent unchanged.
    expect(JSON.parse(JSON.stringify(frame))).toEqual(frame);
  });

  test("counts requests, errors, bytes, hits and opens", async () => {
    const app = await application(heap);
    const image = "/iiif/3/base.png/full/100,/0/default.png";
    const bytes = await load(app, image);
    await load(app, image);
    const missing = await load(app, "/iiif/3/nothing.png/full/100,/0/default.png");
    const frame = await app.service.dashboard.frames({ health: true });
    expect(frame).toMatchObject({ requests: 3, errors: 0, clientErrors: 1, inFlight: 0 });
    const route = frame.routes.find((one) => one.route === "iiif/3 image");
    expect(route).toMatchObject({ requests: 3, errors: 0, clientErrors: 1, bytes: 2 * bytes + missing });
    expect(frame.recentErrors).toEqual([]);
    expect(frame.recentClientErrors.map(({ route, status }) => [route, status])).toEqual([
      ["iiif/3 image", 404],
    ]);
    expect(JSON.stringify(frame.recentClientErrors)).not.toContain("nothing");
    // One miss, then one hit.
    expect(frame.caches[0]).toMatchObject({ name: "render", entries: 1, hitRate: 0.5, resting: false });
    expect(frame.caches[0]?.bytes).toBeGreaterThan(bytes);
    expect(frame.sources).toMatchObject([
      {
        name: "scans",
        backend: "filesystem",
        healthy: true,
        lastError: null,
        opens: 2,
        notFound: 1,
        errors: 0,
      },
    ]);
  });

  test("names the slow image, and the stages of renders", async () => {
    const app = await application(heap);
    await load(app, "/iiif/3/base.png/10,20,200,100/pct:50/0/default.jpg");
    const { slowest, stages, routes } = await app.service.dashboard.frames({ health: false });
    // The canonical spelling of the Image API, section 4.7.
    expect(slowest).toMatchObject([
      { identifier: "base.png", request: "10,20,200,100/100,50/0/default.jpg" },
    ]);
    const [slow] = slowest;
    expect(slow?.ms).toBeGreaterThanOrEqual(slow?.stageMs ?? Number.POSITIVE_INFINITY);
    expect(slow?.ms).toBeCloseTo(routes.find(({ route }) => route === "iiif/3 image")?.p99Ms ?? 0, 1);
    expect(stages.filter(({ medianMs }) => medianMs !== null).map(({ stage }) => stage)).toEqual([
      "open",
      "describe",
      "lookup",
      "queue",
      "read",
      "decode",
      "steps",
      "encode",
      "store",
    ]);
  });

  test("reports what is wrong with a source, and what was, after it has recovered", async () => {
    const root = mkdtempSync(join(tmpdir(), "smalti-frame-lost-"));
    const app = await served(
      `sources: [{ name: scans, type: filesystem, root: ${JSON.stringify(root)} }]\ncache: ${heap}`,
    );
    open.push(app);
    vi.useFakeTimers({ toFake: ["performance"] });
    const sources = async () => {
      vi.advanceTimersByTime(11_000); // results are cached for ten seconds
      return (await app.service.dashboard.frames({ health: true })).sources;
    };
    try {
      expect(await sources()).toMatchObject([{ healthy: true, lastError: null, lastErrorAt: null }]);
      rmSync(root, { recursive: true });
      const [lost] = (await sources()) ?? [];
      expect(lost).toMatchObject({ healthy: false, lastError: expect.any(String) });
      expect(lost?.lastError).not.toContain(root);
      mkdirSync(root);
      expect(await sources()).toMatchObject([
        { healthy: true, lastError: lost?.lastError, lastErrorAt: lost?.lastErrorAt },
      ]);
    } finally {
      vi.useRealTimers();
      rmSync(root, { recursive: true, force: true });
    }
  });

  test("asks a Redis how much it holds once in ten seconds, however many watch", async () => {
    const redis = await startRedis();
    const monitor = await redis.admin.monitor();
    try {
      const slot = `{ backend: redis, addr: "127.0.0.1:${redis.port}", timeout: 60s }`;
      const { service } = await application(`{ render: ${slot}, info: ${slot}, origin: { backend: none } }`);
      let calls = 0;
      let heard = "";
      monitor.on("monitor", (_time: string, [command = "", first = ""]: string[]) => {
        // Its text is sent once, with escaped line breaks, and its hash afterwards.
        if (/^eval$/i.test(command) && first.endsWith(lastLine)) calls++;
        if (/^evalsha$/i.test(command) && first === usageHash) calls++;
        if (/^echo$/i.test(command)) heard = first;
      });
      const asked = async (mark: string) => {
        await redis.admin.echo(mark);
        while (heard !== mark) await new Promise((resolve) => setImmediate(resolve));
        return calls;
      };
      vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
      let taken = 0;
      for (let i = 0; i < 32; i++)
        service.dashboard.hub.join({ isReady: () => true, take: () => taken++, end() {} });
      /** Waits until all have their next frame. */
      const second = async () => {
        const all = taken + 32;
        while (taken < all) await new Promise((resolve) => setImmediate(resolve));
      };
      await second();
      expect((await service.dashboard.frames({ health: false })).caches[0]).toMatchObject({ entries: 0 });
      const first = await asked("first");
      for (let i = 0; i < 25; i++) {
        vi.advanceTimersByTime(1000);
        await second();
      }
      // Two slots; over 25 seconds, after the first time.
      expect([first, await asked("last")]).toEqual([2, 6]);
    } finally {
      vi.useRealTimers();
      monitor.disconnect();
      await redis.close();
    }
  });
});
