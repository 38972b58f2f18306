// SIGTERM while clients hold keep-alive connections: each gets whole responses and an orderly end.

import { get } from "node:http";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { deferred } from "../deferred.ts";
import { fixture } from "../host.ts";
import { hang } from "../limits.ts";
import { masterOf, type Origin, startOrigin } from "../servers/origin.ts";
import { type Answer, type Client, connectClient } from "./kept-connection.ts";
import { runtimesFor } from "./selection.ts";
import { type Started, startServer } from "./server.ts";

// workerd itself ends when its requests are done; nothing of ours has a part in it.
const ownServers = runtimesFor("stop").filter(({ hosted }) => !hosted);

/** Clients that call `ready` once the signal may come, and reject if something is not as it should be. */
type Kind = (ready: () => void) => Promise<void>;

/** Hooks have no expect.poll. */
const patience = { timeout: hang };

/** Responses after which clients are in full swing. */
const enough = 25;

describe.each(ownServers)("SIGTERM on $name", (runtime) => {
  let origin: Origin;
  beforeAll(async () => {
    origin = await startOrigin({ "a.jpg": masterOf(fixture("jpg-baseline-420.jpg")) });
  });
  afterAll(() => origin?.close());

  const start = (extra = "") =>
    startServer(runtime, {
      sources: [`{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}" }`],
      extra,
    });
  /** Makes the origin hold its responses until `release` is called. */
  const hold = () => {
    const { promise, resolve } = deferred();
    origin.behaviour.hold = promise;
    const before = origin.asked.length;
    const isAsked = () => vi.waitUntil(() => origin.asked.length > before, patience);
    return { isAsked, release: resolve };
  };

  let server: Started;
  /** What became of each kind, by its function. */
  const outcomes = new Map<Kind, Promise<void>>();
  beforeAll(async () => {
    server = await start();
    const kinds = [runningRequest, keptConnections, newConnections];
    // One that fails makes no other wait for it.
    const readiness = kinds.map(
      (kind) =>
        new Promise<void>((ready) => {
          outcomes.set(kind, kind(ready));
          outcomes.get(kind)?.then(ready, ready);
        }),
    );
    await Promise.all(readiness);
    server.signal("SIGTERM");
  });
  afterAll(() => server?.close());

  it("lets a running request finish, announces the end of its connection, and closes it", () =>
    outcomeOf(runningRequest));
  it("resets none of the keep-alive connections", () => outcomeOf(keptConnections));
  it("loses no request of clients that go on until it accepts no more", () => outcomeOf(newConnections));

  async function outcomeOf(kind: Kind): Promise<void> {
    await outcomes.get(kind);
    expect(await server.ended).toBe(0);
  }

  async function runningRequest(ready: () => void): Promise<void> {
    const held = hold();
    const [client, idle] = await Promise.all([connectClient(server.port), connectClient(server.port)]);
    expect((await idle.get("/health"))?.headers.get("connection")).not.toBe("close");
    const answer = client.get("/iiif/3/web%2Fa.jpg/full/300,/0/default.png");
    await held.isAsked();
    ready();
    await vi.waitUntil(() => server.output().includes("stopping"), { ...patience, interval: 5 });
    // It may be too late for a response, but is not reset.
    const late = await idle.get("/health");
    if (late) expect([late.status, late.headers.get("connection")]).toEqual([200, "close"]);
    await idle.closed;
    held.release();
    const { status, headers, body } = (await answer) as Answer;
    expect([status, headers.get("connection")]).toEqual([200, "close"]);
    expect(await sharp(body).metadata()).toMatchObject({ format: "png", width: 300, height: 200 });
    await client.closed;
  }

  async function keptConnections(ready: () => void): Promise<void> {
    const clients = await Promise.all(Array.from({ length: 12 }, () => connectClient(server.port)));
    let answers = 0;
    const use = async (client: Client, i: number) => {
      for (let n = 0; !client.isClosed(); n++) {
        const answer = await client.get(`/iiif/3/base.png/${i},${n % 300},32,32/max/0/default.jpg`);
        if (!answer) break;
        if (++answers === enough) ready();
        expect(answer.status).toBe(200);
        if (answer.headers.get("connection") === "close") break;
        // Data received meanwhile, including an end, is read before the next request.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await client.closed;
    };
    await Promise.all(clients.map(use));
  }

  async function newConnections(ready: () => void): Promise<void> {
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
    const use = async (_: unknown, i: number) => {
      for (let n = 0; ; n++) {
        const status = await statusOf(`${path}/${i},${n % 300},32,33/max/0/default.jpg`);
        if (status !== 200) return status;
        if (++answers === enough) ready();
      }
    };
    const ends = await Promise.all(Array.from({ length: 12 }, use));
    expect(new Set(ends)).toEqual(new Set(["ECONNREFUSED"]));
  }

  it("ends after shutdown_timeout although a request never does", async () => {
    const server = await start("shutdown_timeout: 300ms\n");
    try {
      const held = hold();
      const client = await connectClient(server.port);
      const answer = client.get("/iiif/3/web%2Fa.jpg/info.json");
      answer.catch(() => {});
      await held.isAsked();
      server.signal("SIGTERM");
      expect(await server.ended).toBe(0);
      client.end();
      held.release();
    } finally {
      await server.close();
    }
  });
});
