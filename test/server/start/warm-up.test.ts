// The warm-up of a server, jobs in place.

import { expect, test } from "vitest";
import { createLog } from "../../../src/base/telemetry/log.ts";
import { createWarmUp } from "../../../src/cli/serving/warm-up.ts";
import type { Service } from "../../../src/server/service.ts";
import type { JobLimits, Pool } from "../../../src/server/workers/pool.ts";
import { type Served, served } from "../../served.ts";

/** A service whose uncounted jobs are noted: `act` is called with the number of each before it runs. */
function watched({ service }: Served, act: (job: number) => void = () => {}) {
  const jobs: JobLimits[] = [];
  const { pool } = service.images;
  const runUncounted: Pool["runUncounted"] = (job, limits) => {
    act(jobs.push(limits));
    return pool.runUncounted(job, limits);
  };
  const seenPool: Pool = {
    run: (job, limits) => pool.run(job, limits),
    runUncounted,
    status: () => pool.status(),
    resize: (size) => pool.resize(size),
    close: () => pool.close(),
  };
  const seen: Service = { ...service, images: { ...service.images, pool: seenPool } };
  return { warmUp: createWarmUp(seen), jobs };
}

/** A log at its most detailed level, and its lines. */
function notedLog() {
  const lines: string[] = [];
  return { lines, log: createLog({ level: "debug", format: "text", write: (line) => lines.push(line) }) };
}

/** All published figures but those of the machine, of existing workers and of the scrapes themselves. */
async function figuresOf({ get }: Served): Promise<string[]> {
  const text = await (await get("/metrics")).text();
  const others = /^#|^smalti_(process|memory|uptime)|^smalti_workers\{|route="other"/;
  return text.split("\n").filter((line) => !others.test(line));
}

const real = new Request("http://images.test/iiif/3/base.png/info.json");

test("the warm-up runs jobs, and leaves no trace in figures, log and caches", async () => {
  const { lines, log } = notedLog();
  const own = await served("metrics: { enabled: true }\nlog: { level: debug }", {}, { log });
  const { warmUp, jobs } = watched(own);
  await figuresOf(own);
  const before = await figuresOf(own);
  const logged = lines.filter((line) => !line.includes("/metrics"));
  await warmUp.begin();
  expect(jobs.length).toBeGreaterThan(50);
  expect(await figuresOf(own)).toEqual(before);
  expect(lines.filter((line) => !line.includes("/metrics"))).toEqual(logged);
  for (const slot of own.service.slots.all) expect(await slot.usage?.()).toEqual({ entries: 0, bytes: 0 });
  expect(own.service.decisions.latest()).toEqual([]);
});

test("the first real request ends the warm-up, and cancels the job that is running", async () => {
  const own = await served();
  const { warmUp, jobs } = watched(own, (job) => job === 3 && warmUp.meet(real));
  await warmUp.begin();
  expect(jobs).toHaveLength(3);
  expect(jobs.at(-1)?.signal?.aborted).toBe(true);
});

test("probes of load balancers and monitors do not end the warm-up", async () => {
  const own = await served();
  const probes = ["/health", "/ready", "/metrics"].map((path) => new Request(`http://images.test${path}`));
  const { warmUp, jobs } = watched(own, (job) => {
    if (job === 3) for (const probe of probes) warmUp.meet(probe);
    if (job === 6) warmUp.end();
  });
  await warmUp.begin();
  expect(jobs).toHaveLength(6);
});

test("a warm-up that was ended before it began, by a request or a stop, does nothing", async () => {
  const own = await served();
  for (const how of ["request", "stop"]) {
    const { warmUp, jobs } = watched(own);
    if (how === "request") warmUp.meet(real);
    else warmUp.end();
    await warmUp.begin();
    expect(jobs).toEqual([]);
  }
});

test("a warm-up that fails ends, with a line of level debug alone", async () => {
  const { lines, log } = notedLog();
  const own = await served("", {}, { log, asset: async () => undefined });
  const atStart = lines.length;
  const { warmUp, jobs } = watched(own);
  await warmUp.begin();
  expect(jobs).toEqual([]);
  const [line, ...more] = lines.slice(atStart);
  expect(line).toMatch(/ debug the warm-up has ended early cause="Error: status 500 for info\.json"/);
  expect(more).toEqual([]);
});

test("limits of the operator that the sample exceeds do not end the warm-up", async () => {
  const own = await served("image: { max_pixel_area: 1000, max_output_area: 1000, memory_budget: 512MiB }");
  const { warmUp, jobs } = watched(own);
  await warmUp.begin();
  expect(jobs.length).toBeGreaterThan(50);
});
