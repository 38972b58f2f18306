// Many requests on one connection without waiting for responses: one after another, and none for a client
// that has left.

import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Serving } from "../../src/base/platform.ts";
import { serveNode } from "../../src/server/platform/server/node-server.ts";
import { rawExchange } from "../server/platform/server/raw-http.ts";

let serving: Serving | undefined;
afterEach(() => serving?.stop(0));

const get = (target: string, more = "") => `GET ${target} HTTP/1.1\r\nHost: example.org\r\n${more}\r\n`;

async function listen(fetch: (request: Request) => Promise<Response>): Promise<number> {
  serving = await serveNode({
    hostname: "127.0.0.1",
    port: 0,
    readTimeoutMs: 0,
    writeTimeoutMs: 0,
    keepAliveMs: 75_000,
    fetch,
  });
  return Number(new URL(serving.urls[0] ?? "").port);
}

test("20 requests of one connection run one after another, and have their responses in order", async () => {
  let [now, most] = [0, 0];
  const port = await listen(async (request) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    now--;
    return new Response(`<${new URL(request.url).pathname}>`);
  });
  const targets = Array.from({ length: 20 }, (_, n) => `/${n}`);
  const last = get("/last", "Connection: close\r\n");
  const received = await rawExchange(port, targets.map((target) => get(target)).join("") + last);
  expect(received.match(/<[^>]*>/g)).toEqual([...targets, "/last"].map((target) => `<${target}>`));
  expect(most).toBe(1);
});

test("requests of a client that has left are not started", async () => {
  let started = 0;
  let begun: () => void = () => {};
  const first = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const port = await listen(async (request) => {
    started++;
    begun();
    if (!request.signal.aborted)
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
    return new Response("late");
  });
  const socket = connect(port, "127.0.0.1", () => socket.write(get("/").repeat(20)));
  await first;
  socket.destroy();
  await serving?.stop(2000);
  serving = undefined;
  expect(started).toBe(1);
});

test("a connection with hundreds of unanswered requests is closed", async () => {
  let started = 0;
  const port = await listen(async () => {
    started++;
    return new Promise<Response>(() => {});
  });
  expect(await rawExchange(port, get("/").repeat(500))).toBe("");
  expect(started).toBe(1);
});
