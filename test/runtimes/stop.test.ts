// SIGTERM while clients hold keep-alive connections: each gets whole responses and an orderly end.

import { get } from "node:http";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fixture } from "../host.ts";
import { masterOf, type Origin, startOrigin } from "../servers/origin.ts";
import { type Answer, connectClient } from "./kept-connection.ts";
import { chosenRuntimes } from "./runtimes.ts";
import { type Started, startServer } from "./server.ts";

// workerd itself ends when its requests are done; nothing of ours has a part in it.
const ownServers = chosenRuntimes().filter(({ hosted }) => !hosted);

describe.each(ownServers)("SIGTERM on $name", (runtime) => {
  let origin: Origin;
  let server: Started;
  beforeEach(async () => {
    origin = await startOrigin({ "a.jpg": masterOf(fixture("jpg-baseline-420.jpg")) });
    server = await startServer(runtime, {
      sources: [`{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}" }`],
    });
  });
  afterEach(async () => {
    await server?.close();
    await origin?.close();
  });
  const stopping = () => expect.poll(server.output, { interval: 5 }).toContain("stopping");

  it("lets a running request finish, announces the end of its connection, and closes it", async () => {
    let release = () => {};
    origin.behaviour.hold = new Promise((resolve) => {
      release = resolve;
    });
    const asked = origin.asked.length;
    const [client, idle] = await Promise.all([connectClient(server.port), connectClient(server.port)]);
    expect((await idle.get("/health"))?.headers.get("connection")).not.toBe("close");
    const answer = client.get("/iiif/3/web%2Fa.jpg/full/300,/0/default.png");
    await expect.poll(() => origin.asked.length).toBeGreaterThan(asked);
    server.signal("SIGTERM");
    await stopping();
    // It may be too late for a response, but is not reset.
    const late = await idle.get("/health");
    if (late) expect([late.status, late.headers.get("connection")]).toEqual([200, "close"]);
    await idle.closed;
    release();
    const { status, headers, body } = (await answer) as Answer;
    expect([status, headers.get("connection")]).toEqual([200, "close"]);
    expect(await sharp(body).metadata()).toMatchObject({ format: "png", width: 300, height: 200 });
    await client.closed;
    expect(await server.ended).toBe(0);
  });

  it("resets none of the keep-alive connections", async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => connectClient(server.port)));
    let answers = 0;
    const work = clients.map(async (client, i) => {
      for (let n = 0; !client.isClosed(); n++) {
        const answer = await client.get(`/iiif/3/base.png/${i},${n % 300},32,32/max/0/default.jpg`);
        if (!answer) break;
        answers++;
        expect(answer.status).toBe(200);
        if (answer.headers.get("connection") === "close") break;
        // Data received meanwhile, including an end, is read before the next request.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await client.closed;
    });
    await expect.poll(() => answers).toBeGreaterThan(24);
    server.signal("SIGTERM");
    await Promise.all(work);
    expect(await server.ended).toBe(0);
  });

  it("loses no request of clients that go on until it accepts no more", async () => {
    const path = `http://127.0.0.1:${server.port}/iiif/3/base.png`;
    let answers = 0;
    // Each request has a connection of its own, since a busy client may find a kept one closed.
    const statusOf = (url: string) =>
      new Promise<number | string | undefined>((resolve) => {
        const failed = ({ code }: NodeJS.ErrnoException) => resolve(code);
        get(url, { agent: false }, (response) => {
          response.resume().on("error", failed);
          response.on("end", () => resolve(response.statusCode));
        }).on("error", failed);
      });
    const clients = Array.from({ length: 12 }, async (_, i) => {
      for (let n = 0; ; n++) {
        const status = await statusOf(`${path}/${i},${n % 300},32,32/max/0/default.jpg`);
        if (status !== 200) return status;
        answers++;
      }
    });
    await expect.poll(() => answers).toBeGreaterThan(24);
    server.signal("SIGTERM");
    expect(new Set(await Promise.all(clients))).toEqual(new Set(["ECONNREFUSED"]));
    expect(await server.ended).toBe(0);
  });

  it("ends after shutdown_timeout although a request never does", async () => {
    await server.close();
    server = await startServer(runtime, {
      sources: [`{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}" }`],
      extra: "shutdown_timeout: 300ms\n",
    });
    origin.behaviour.hold = new Promise(() => {});
    const asked = origin.asked.length;
    const client = await connectClient(server.port);
    const answer = client.get("/iiif/3/web%2Fa.jpg/info.json");
    answer.catch(() => {});
    await expect.poll(() => origin.asked.length).toBeGreaterThan(asked);
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
    client.end();
  });
});
