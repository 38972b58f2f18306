// Connections that clients use again: a server that closes one while a request is on its way loses this
// request, and a proxy in front says 502.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectClient } from "./kept-connection.ts";
import { runtimesFor } from "./selection.ts";
import { type Started, startServer } from "./server.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// The runtime itself decides about the connections of workerd.
const ownServers = runtimesFor("keep-alive").filter(({ hosted }) => !hosted);

describe.each(ownServers)("connections that are kept alive, on $name", (runtime) => {
  let brief: Started;
  let usual: Started;
  beforeAll(async () => {
    [brief, usual] = await Promise.all([
      startServer(runtime, { extra: "write_timeout: 1s\nhttp: { keep_alive: 2s }\n" }),
      startServer(runtime),
    ]);
  });
  afterAll(() => Promise.all([brief?.close(), usual?.close()]));

  // Without a setting, Node closes idle connections after 5 s, Bun after 10 s. The end by default is a minute
  // later, so that no connection comes near it on a busy machine.
  it("lose none of 2,000 requests around the times at which runtimes close them", async () => {
    const connections = 500;
    const edges = [0, 5000, 10_000, 12_000];
    const statuses = new Map<number | string, number>();
    const use = async (i: number) => {
      const client = await connectClient(usual.port);
      for (const edge of edges) {
        // All connections together would only show how long requests queue.
        if (edge > 0) await pause(edge + (i % 100) * 6 - 300);
        const status = await client.get("/iiif/3/base.png/info.json").then(
          (answer) => answer?.status ?? "closed",
          (error: Error) => error.message,
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      client.end();
    };
    await Promise.all(Array.from({ length: connections }, (_, i) => use(i)));
    expect([...statuses]).toEqual([[200, connections * edges.length]]);
  });

  // Deno never closes an idle connection.
  if (runtime.name !== "deno")
    it("are closed in an orderly way, after http.keep_alive", async () => {
      const client = await connectClient(brief.port);
      expect((await client.get("/health"))?.status).toBe(200);
      await client.closed;
    });
});
