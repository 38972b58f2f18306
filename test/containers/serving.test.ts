// A smoke test of HTTP in both images: files that an image may lack, and signals to the first process of a
// container. The rest is proven once, on the runtimes.

import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deferred } from "../deferred.ts";
import { fixture } from "../host.ts";
import { connectClient } from "../runtimes/kept-connection.ts";
import { containers } from "../runtimes/runtimes.ts";
import { type Started, startServer } from "../runtimes/server.ts";
import { optInFormats, testReload, testServing } from "../runtimes/smoke.ts";
import { masterOf, type Origin, startOrigin } from "../servers/origin.ts";

describe.each(containers)("smalti on $name", (runtime) => {
  let server: Started;
  let origin: Origin;
  beforeAll(async () => {
    origin = await startOrigin({ "a.jpg": masterOf(fixture("jpg-baseline-420.jpg")) });
    server = await startServer(runtime, {
      sources: [`{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}" }`],
      extra: optInFormats,
    });
  });
  afterAll(async () => {
    await server?.close();
    await origin?.close();
  });

  testServing(runtime, () => server);

  testReload(runtime, () => server);

  it("lets a running request finish on SIGTERM, and ends with 0", async () => {
    const { promise, resolve } = deferred();
    origin.behaviour.hold = promise;
    const before = origin.asked.length;
    const client = await connectClient(server.port);
    const answer = client.get("/iiif/3/web%2Fa.jpg/full/300,/0/default.png");
    await expect.poll(() => origin.asked.length).toBeGreaterThan(before);
    server.signal("SIGTERM");
    // workerd stops by itself, and says nothing.
    if (!runtime.hosted) await expect.poll(server.output, { interval: 5 }).toContain("stopping");
    resolve();
    const whole = await answer;
    expect(whole?.status).toBe(200);
    if (!runtime.hosted) expect(whole?.headers.get("connection")).toBe("close");
    expect(await sharp(whole?.body).metadata()).toMatchObject({ format: "png", width: 300, height: 200 });
    client.end();
    expect(await server.ended).toBe(0);
  });
});
