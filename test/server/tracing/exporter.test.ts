// Exports as a collector gets them, with nothing of HTTP: how large they are, and how they end.

import { afterEach, expect, test, vi } from "vitest";
import { createCounts } from "../../../src/base/telemetry/count.ts";
import { StageClock, stageNames } from "../../../src/base/telemetry/stage-times.ts";
import { Exporter } from "../../../src/server/tracing/exporter.ts";
import { exportFrame } from "../../../src/server/tracing/spans.ts";

afterEach(() => vi.unstubAllGlobals());

/** `statuses` of the responses; the last one repeats. */
function exporterTo(...statuses: readonly number[]) {
  const bodies: Uint8Array[] = [];
  vi.stubGlobal("fetch", async (_url: string, { body }: { readonly body: Uint8Array }) => {
    bodies.push(body.slice());
    return new Response(null, { status: statuses[Math.min(bodies.length, statuses.length) - 1] ?? 200 });
  });
  const counts = createCounts("sent", "dropped");
  const exporter = new Exporter({
    url: "http://collector.example/v1/traces",
    token: undefined,
    log: { warn() {} },
    counts,
    keepAlive: undefined,
    frame: exportFrame({ "service.name": "smalti" }),
  });
  return { exporter, counts, bodies };
}

const trace = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b0",
  parentId: "00f067aa0ba902b7",
  state: undefined,
};
const answered = {
  id: "0123456789-1",
  method: "GET",
  route: "iiif/3 image",
  pattern: "/iiif/3/*",
  path: "/",
  status: 200,
  code: undefined,
  bytes: 1,
  client: undefined,
  began: 100,
  ended: 104,
  at: 1_700_000_000_004,
  stages: undefined,
  trace,
};

/** Lets pending work continue. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

test("no export is larger than 1 MB, whatever its clients sent", async () => {
  const { exporter, counts, bodies } = exporterTo(200);
  const stages = new StageClock(100);
  for (const stage of stageNames.slice(0, -1)) stages.end(stage);
  // The longest possible JSON of a trace state: six bytes for one, and two for one.
  const long = { ...trace, state: "\t".repeat(512) };
  const path = `/${"\u0001".repeat(499)}`;
  for (let i = 0; i < 600; i++) {
    exporter.add(long, { ...answered, path, stages });
    if (i % 16 === 0) await turn();
  }
  await exporter.close();
  expect(counts.sent.value).toBe(600);
  expect(bodies.length).toBeGreaterThan(2);
  expect(Math.max(...bodies.map(({ length }) => length))).toBeLessThan(1_000_000);
});

test("nor is one of spans of stores that end late", async () => {
  const { exporter, bodies } = exporterTo(200);
  for (let i = 0; i < 8000; i++) {
    exporter.addStore(trace, answered);
    if (i % 100 === 0) await turn();
  }
  await exporter.close();
  expect(bodies.length).toBeGreaterThan(1);
  expect(Math.max(...bodies.map(({ length }) => length))).toBeLessThan(1_000_000);
});

test.each([
  ["all that waits is sent at the end, also after a failure", [503, 200], 3, { sent: 1100, dropped: 0 }],
  ["and nothing more after the next one", [503, 200, 503], 3, { sent: 512, dropped: 588 }],
] as const)("%s", async (_, statuses, requests, expected) => {
  const { exporter, counts, bodies } = exporterTo(...statuses);
  // Two whole batches and a rest; the first is refused, and its pause has not passed.
  for (let i = 0; i < 1100; i++) exporter.add(trace, answered);
  await expect.poll(() => bodies.length).toBe(1);
  await turn();
  await exporter.close();
  expect({ sent: counts.sent.value, dropped: counts.dropped.value }).toEqual(expected);
  expect(bodies.length).toBe(requests + (expected.dropped === 0 ? 1 : 0));
});

test("a batch that is sent again goes before later ones", async () => {
  const { exporter, bodies } = exporterTo(503, 200);
  // Two whole batches with different trace states.
  for (const state of ["a=1", "b=2"])
    for (let i = 0; i < 512; i++) exporter.add({ ...trace, state }, answered);
  await expect.poll(() => bodies.length).toBe(1);
  await turn();
  await exporter.close();
  const states = bodies.map((body) => /"traceState":"([^"]+)"/.exec(new TextDecoder().decode(body))?.[1]);
  expect(states).toEqual(["a=1", "a=1", "b=2"]);
});
