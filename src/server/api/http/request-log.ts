// The log line of each request, and the header Server-Timing.

import {
  anonymiseIp,
  createLru,
  maskPath,
  type RequestRecord,
  type StageTimes,
  stageNames,
} from "../../../base/index.ts";
import type { RouteClass } from "../../stats/figures.ts";
import type { RequestContext } from "./context.ts";

/**
 * Returns a generator of request ids, which connect log lines, reports and responses; unique across
 * processes.
 */
export function createRequestIds(): () => string {
  const process = Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}

/** Methods that a line names; others may be arbitrary words. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"]);

/**
 * Fields of every log line about a request. They contain nothing that the client keeps secret, so no header,
 * query or body.
 */
export function requestFields(c: RequestContext) {
  return {
    id: c.get("id"),
    method: shownMethod(c.req.method),
    path: maskPath(c.get("target").path),
    trace: c.get("trace")?.traceId,
  };
}

const shownMethod = (method: string) => (methods.has(method) ? method : "other");

/**
 * Fields of the log line of a request: which request it was, and its response. `ms`: milliseconds since it
 * arrived.
 */
export function logFields(request: RequestRecord) {
  const { id, method, path, trace, route, status, code, bytes, began, ended, client, stages } = request;
  // The number of bytes read is known only if a job read them.
  const hasJob = stages?.worker !== undefined;
  return {
    id,
    method: shownMethod(method),
    path: maskPath(path),
    trace: trace?.traceId,
    route,
    status,
    code,
    bytes,
    ms: roundMs(ended - began),
    client: client === undefined ? undefined : networkOf(client),
    cache: stages?.cache,
    worker: stages?.worker,
    reads: hasJob ? stages.reads : undefined,
    readBytes: hasJob ? stages.readBytes : undefined,
    stages: stages && roundedStages(stages),
  };
}

/** Networks of the latest clients: computing one costs half as much as a line. */
const networks = createLru<string, string | undefined>(1024);

function networkOf(client: string): string | undefined {
  const known = networks.get(client);
  if (known !== undefined) return known;
  const network = anonymiseIp(client);
  networks.set(client, network, 1);
  return network;
}

/** Returns the milliseconds of each stage that took place. */
function roundedStages({ ms }: StageTimes) {
  const times: Record<string, number> = {};
  for (const [i, stage] of stageNames.entries()) {
    const taken = ms[i];
    if (taken !== undefined) times[stage] = roundMs(taken);
  }
  return times;
}

const roundMs = (ms: number) => Math.round(ms * 100) / 100;

/**
 * Sets Server-Timing of an image response before it is created, if wanted (W3C Server Timing, section 3.3):
 * cache status, and milliseconds of each stage and in total. Pages of other origins may read it too (W3C
 * Resource Timing, section 3.5.2). As with cross-origin headers, adding it to a Response would cost Node more
 * than all logging, metrics and tracing.
 */
export function setServerTiming(headers: Record<string, string>, c: RequestContext): void {
  if (c.get("serverTiming") !== "wanted") return;
  headers["Server-Timing"] = timingText(c);
  headers["Timing-Allow-Origin"] = "*";
  c.set("serverTiming", "set");
}

/** Adds the header to an existing response, unless {@link setServerTiming} has set it. */
export function addServerTiming(c: RequestContext, route: RouteClass | false): void {
  if (c.get("serverTiming") !== "wanted") return;
  if (route !== "iiif/3 image" && route !== "iiif/2 image") return;
  const { headers } = c.res;
  headers.set("Server-Timing", timingText(c));
  headers.set("Timing-Allow-Origin", "*");
}

function timingText(c: RequestContext): string {
  const stages = c.get("stages");
  let timing = stages?.cache ? cacheParts[stages.cache] : "";
  if (stages) {
    const { ms } = stages;
    for (let i = 0; i < ms.length; i++) {
      const taken = ms[i];
      if (taken !== undefined) timing += durationPart(i, taken);
    }
  }
  timing += durationPart(stageNames.length, performance.now() - c.get("began"));
  return timing.startsWith(",") ? timing.slice(2) : timing;
}

const cacheParts = { hit: "cache;desc=hit", miss: "cache;desc=miss", shared: "cache;desc=shared" };

/** Prefixes of all stages and of the total. */
const durationNames = [...stageNames, "total"].map((name) => `, ${name};dur=`);

/**
 * Header parts for durations below ten milliseconds, the most common ones, by hundredths: built on first use.
 */
const durationParts = durationNames.map(() => new Array<string | undefined>(1000));

/** Returns the header part for a stage, by its index, or for the total. */
function durationPart(index: number, ms: number): string {
  const hundredths = Math.round(ms * 100);
  const known = durationParts[index] as (string | undefined)[];
  let part = known[hundredths];
  if (part === undefined) {
    part = `${durationNames[index]}${hundredths / 100}`;
    if (hundredths < known.length) known[hundredths] = part;
  }
  return part;
}
