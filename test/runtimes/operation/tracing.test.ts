// Traces on every runtime: the spans of a request reach a collector even if the service ends immediately, and
// no response waits for one.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Collector, startCollector } from "../../servers/collector.ts";
import { runtimesFor } from "../selection.ts";
import { type Started, startServer } from "../server.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";

describe.each(runtimesFor("tracing"))("traces on $name", (runtime) => {
  let collector: Collector;
  let server: Started;
  beforeAll(async () => {
    collector = await startCollector();
    server = await startServer(runtime, {
      extra: `tracing: { otlp_endpoint: "${collector.url}", token_env: OTLP_TOKEN }\n`,
      env: { OTLP_TOKEN: "collector-token" },
    });
  });
  afterAll(async () => {
    await server.close();
    await collector.close();
  });

  const tile = (x: number, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/iiif/3/jpg-baseline-420.jpg/${x},0,128,128/64,/0/default.png`, { headers });
  const requests = () => collector.spans().filter(({ kind }) => kind === 2);

  it("have the spans of a tile's stages, in the trace of the request", async () => {
    const answer = await tile(0, { traceparent: `00-${traceId}-${parentId}-01` });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    await expect.poll(() => requests().length).toBe(1);
    const [request] = requests();
    expect(request).toMatchObject({ name: "GET iiif/3 image", traceId, parentSpanId: parentId });
    expect(request?.attributes).toMatchObject({
      "http.response.status_code": 200,
      "smalti.cache": "miss",
      "smalti.codec": "jpg",
      "smalti.format": "png",
    });
    const stages = collector.spans().filter(({ kind }) => kind === 1);
    const expected = ["open", "describe", "lookup", "queue", "read", "decode", "steps", "encode"];
    expect(stages.map(({ name }) => name)).toEqual(expect.arrayContaining(expected));
    for (const stage of stages) expect(stage).toMatchObject({ traceId, parentSpanId: request?.spanId });
    expect(collector.resource()).toMatchObject({
      "service.name": "smalti",
      "process.runtime.name": runtime.name.replace(/\d+$/, ""),
    });
    expect(collector.asked[0]?.headers.authorization).toBe("Bearer collector-token");
  });

  it("of many requests arrive together", async () => {
    const [had, asked] = [requests().length, collector.asked.length];
    await Promise.all(Array.from({ length: 40 }, async (_, i) => (await tile(i)).arrayBuffer()));
    await expect.poll(() => requests().length).toBe(had + 40);
    expect(collector.asked.length - asked).toBeLessThan(20);
  });

  it("do not delay responses while the collector does not respond", async () => {
    collector.instead = () => true;
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => tile(100 + 20 * round + i)));
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
      }
    }
    collector.instead = undefined;
  });

  // workerd has no shutdown phase: pending spans are sent with their request.
  if (!runtime.hosted)
    it("that are pending are sent when the service ends", async () => {
      const other = await startCollector();
      const ending = await startServer(runtime, { extra: `tracing: { otlp_endpoint: "${other.url}" }\n` });
      try {
        await (await fetch(`${ending.url}/iiif/3/base.png/info.json`)).arrayBuffer();
        ending.signal("SIGTERM");
        expect(await ending.ended).toBe(0);
        expect(other.spans().filter(({ name }) => name === "GET iiif/3 info").length).toBe(1);
      } finally {
        await ending.close();
        await other.close();
      }
    });
});
