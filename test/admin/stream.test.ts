// The stream of the dashboard: who may connect, what is counted, and that nothing is left behind.

import { afterEach, describe, expect, test, vi } from "vitest";
import type { Frame } from "../../src/server/dashboard/frame.ts";
import { type Served, served } from "../served.ts";
import { asOperator, operator } from "./operator.ts";

const path = "/admin/stats/stream";
const open: Served[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map(({ service }) => service.close()));
});

async function application(): Promise<Served> {
  const heap = "{ backend: heap }";
  const app = await served(`cache: { render: ${heap}, info: ${heap}, origin: ${heap} }`, operator);
  open.push(app);
  return app;
}

const watch = ({ get }: Served, signal?: AbortSignal) =>
  get(path, { headers: asOperator, ...(signal && { signal }) });

/** The messages of a stream as they come, each a frame. */
async function* framesOf({ body }: Response): AsyncGenerator<Frame> {
  let text = "";
  const utf8 = new TextDecoder();
  for await (const part of body as ReadableStream<Uint8Array>) {
    text += utf8.decode(part, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      expect(text.slice(0, 6)).toBe("data: ");
      yield JSON.parse(text.slice(6, end));
      text = text.slice(end + 2);
    }
  }
}

describe("the stream of the dashboard", () => {
  test("needs the operator's login, and is an event stream that nobody caches", async () => {
    const app = await application();
    expect((await app.get(path)).status).toBe(401);
    const stream = await watch(app);
    expect(stream.status).toBe(200);
    expect(stream.headers.get("Content-Type")).toBe("text/event-stream");
    expect(stream.headers.get("Cache-Control")).toBe("no-store");
    await stream.body?.cancel();
  });

  test("sends a whole frame immediately, with the state of the sources, and ends with the service", async () => {
    const app = await application();
    const frames = framesOf(await watch(app));
    const { value: first } = await frames.next();
    expect(Object.keys(first as Frame)).toEqual(
      expect.arrayContaining([
        ...["version", "uptimeSeconds", "instance", "requests", "rate", "inFlight", "caches", "sources"],
        ...["routes", "queue", "recentErrors"],
      ]),
    );
    const next = frames.next();
    app.service.endStreams();
    expect((await next).done).toBe(true);
    expect(app.service.dashboard.hub.watchers()).toBe(0);
    expect((await watch(app)).status).toBe(503);
  });

  test("reports what has happened since, under load", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const app = await application();
    const frames = framesOf(await watch(app));
    await frames.next();
    const statuses: number[] = [];
    for (let second = 1; second <= 3; second++) {
      const targets = Array.from(
        { length: 8 },
        (_, i) => `/iiif/3/base.png/${i},${second},64,64/max/0/default.png`,
      );
      await Promise.all(
        targets.map(async (target) => {
          const answer = await app.get(target);
          statuses.push(answer.status);
          await answer.arrayBuffer();
        }),
      );
      vi.advanceTimersByTime(1000);
      const { value: frame } = await frames.next();
      expect((frame as Frame).requests).toBe(8 * second);
      expect((frame as Frame).routes.find(({ route }) => route === "iiif/3 image")?.requests).toBe(
        8 * second,
      );
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("is counted nowhere, including requests in flight", async () => {
    const app = await application();
    const frames = framesOf(await watch(app));
    const { value: frame } = await frames.next();
    const answered = app.service.requests;
    expect([frame?.requests, frame?.inFlight, answered.total(), answered.inFlight()]).toEqual([0, 0, 0, 0]);
    expect(answered.routes().map(({ bytes, errors }) => bytes + errors)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    await frames.return(undefined);
    // Neither is one that is refused.
    await app.get(path);
    expect([answered.total(), answered.recentErrors()]).toEqual([0, []]);
  });

  test("has 32 places: the 33rd is refused with the reason, until one is free", async () => {
    const app = await application();
    const streams = await Promise.all(Array.from({ length: 32 }, () => watch(app)));
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200));
    const refused = await watch(app);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "10"]);
    expect(await refused.json()).toMatchObject({ code: "too_many_dashboards", status: 503 });
    await streams[5]?.body?.cancel();
    const next = await watch(app);
    expect(next.status).toBe(200);
    await Promise.all([...streams, next].map(({ body }, i) => i !== 5 && body?.cancel()));
    expect(app.service.dashboard.hub.watchers()).toBe(0);
  });

  test("responds to HEAD with the headers alone, and with 503 while all places are taken", async () => {
    const app = await application();
    const head = () => app.get(path, { method: "HEAD", headers: asOperator });
    const free = await head();
    expect([free.status, free.body, free.headers.get("Content-Type")]).toEqual([
      200,
      null,
      "text/event-stream",
    ]);
    expect(app.service.dashboard.hub.watchers()).toBe(0);
    const streams = await Promise.all(Array.from({ length: 32 }, () => watch(app)));
    expect((await head()).status).toBe(503);
    await Promise.all(streams.map(({ body }) => body?.cancel()));
    expect((await head()).status).toBe(200);
  });

  test("keeps at most one frame for a browser that does not read, and then sends it the newest", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const app = await application();
    const { hub } = app.service.dashboard;
    const slow = await watch(app);
    let sent = 0;
    hub.join({ isReady: () => true, take: () => sent++, end() {} });
    for (let second = 0; second < 30; second++) {
      const before = sent;
      vi.advanceTimersByTime(1000);
      while (sent === before) await new Promise((resolve) => setImmediate(resolve));
      await (await app.get("/health")).arrayBuffer();
    }
    const frames = framesOf(slow);
    expect((await frames.next()).value?.requests).toBe(0);
    vi.advanceTimersByTime(1000);
    expect((await frames.next()).value?.requests).toBe(30);
  });

  test("leaves nothing behind of 1,000 browsers that came and went", async () => {
    const app = await application();
    const { hub } = app.service.dashboard;
    const timers = vi.spyOn(globalThis, "setInterval");
    const cleared = vi.spyOn(globalThis, "clearInterval");
    const visit = async (i: number) => {
      const leaving = new AbortController();
      const stream = await watch(app, leaving.signal);
      expect(stream.status).toBe(200);
      if (i % 3 === 0) await stream.body?.getReader().read();
      // Some runtimes cancel the stream when a client disconnects, some abort the request.
      if (i % 2 === 0) leaving.abort();
      else await (stream.body?.locked ? undefined : stream.body?.cancel());
      if (i % 6 === 3) leaving.abort();
    };
    for (let i = 0; i < 1000; i++) await visit(i);
    expect(hub.watchers()).toBe(0);
    expect(timers.mock.calls.length).toBe(1000);
    const stopped = new Set(cleared.mock.calls.map(([timer]) => timer));
    expect(timers.mock.results.filter(({ value }) => !stopped.has(value))).toEqual([]);
    timers.mockRestore();
    cleared.mockRestore();
  });
});
