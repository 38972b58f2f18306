// Connections that clients use again: a server that closes one while a request is on its way loses this
// request, and a proxy in front says 502.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectClient } from "./kept-connection.ts";
import { chosenRuntimes } from "./runtimes.ts";
import { type Started, startServer } from "./server.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// The runtime itself decides about the connections of workerd.
const ownServers = chosenRuntimes().filter(({ hosted }) => !hosted);

describe.each(ownServers)("connections that are kept alive, on $name", (runtime) => {
  let server: Started;
  let usual: Started;
  beforeAll(async () => {
    [server, usual] = await Promise.all([
      startServer(runtime, { extra: "read_timeout: 5s\nwrite_timeout: 1s\nhttp: { keep_alive: 6s }\n" }),
      startServer(runtime),
    ]);
  });
  afterAll(() => Promise.all([server?.close(), usual?.close()]));

  it("lose none of 2,000 requests that come just before http.keep_alive ends", async () => {
    const [connections, rounds] = [500, 4];
    const statuses = new Map<number | string, number>();
    const use = async (i: number) => {
      const client = await connectClient(server.port);
      for (let round = 0; round < rounds; round++) {
        // Up to a moment before the end; all connections together would only show how long requests queue.
        if (round > 0) await pause(5000 + ((i * 7 + round) % 100) * 6);
        const status = await client.get("/iiif/3/base.png/info.json").then(
          (answer) => answer?.status ?? "closed",
          (error: Error) => error.message,
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      client.end();
    };
    await Promise.all(Array.from({ length: connections }, (_, i) => use(i)));
    expect([...statuses]).toEqual([[200, connections * rounds]]);
  });

  it("stay open for longer than 12 s by default", async () => {
    const client = await connectClient(usual.port);
    expect((await client.get("/health"))?.status).toBe(200);
    await pause(12_000);
    expect((await client.get("/health"))?.status).toBe(200);
    client.end();
  });

  // Deno never closes an idle connection.
  it.skipIf(runtime.name === "deno")("are closed in an orderly way after http.keep_alive", async () => {
    const client = await connectClient(server.port);
    expect((await client.get("/health"))?.status).toBe(200);
    await client.closed;
  });
});
