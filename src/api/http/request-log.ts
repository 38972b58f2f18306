// What is said of each request: one line of the log, and the header Server-Timing.

import { createLru } from "../../lib/caching/lru.ts";
import { shortenedIp } from "../../lib/network/ip-range.ts";
import type { LogFields } from "../../lib/telemetry/log.ts";
import { maskPath } from "../../lib/telemetry/mask-path.ts";
import { placeOf, type StageName, type StageTimes, stageNames } from "../../lib/telemetry/stage-times.ts";
import { hundredthsText } from "../../lib/text/hundredths.ts";
import type { RouteClass } from "../../stats/figures.ts";
import type { RequestContext } from "./context.ts";

/** Returns a name for each request, by which its lines, its report and its answer are found: unlike those of other processes. */
export function createRequestIds(): () => string {
  const process = Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}

/** Methods that a line names; others may be any word. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"]);

/** The trace that a request belongs to. */
export const traceOf = (c: RequestContext): string | undefined => c.get("trace")?.traceId;

/** What every line about a request says: nothing that the client keeps secret, so no header, query or body. */
export function requestFields(c: RequestContext) {
  const { method } = c.req;
  return {
    id: c.get("id"),
    method: methods.has(method) ? method : "other",
    path: maskPath(c.get("target").path),
    trace: traceOf(c),
  };
}

/** What its line says beside: how it was answered. `ms`: since it came. The client's address is that of its network. */
export function answerFields(c: RequestContext, route: RouteClass | "stream", ms: number): LogFields {
  const { id, method, path, trace } = requestFields(c);
  const client = c.get("client");
  const stages = c.get("stages");
  // What was read is there where a job read it.
  const hasJob = stages?.worker !== undefined;
  return {
    id,
    method,
    path,
    trace,
    route,
    status: c.res.status,
    // What the answer says went wrong, so that a 503 of a full queue can be told from one of a store.
    code: c.get("failure")?.code,
    bytes: c.get("bytes") ?? 0,
    ms: rounded(ms),
    client: client === undefined ? undefined : networkOf(client),
    cache: stages?.cache,
    worker: stages?.worker,
    reads: hasJob ? stages.reads : undefined,
    readBytes: hasJob ? stages.readBytes : undefined,
    stages: stages && stageFields(stages),
  };
}

/** Networks of the latest clients: finding one costs as much as half of a line. */
const networks = createLru<string, string | undefined>(1024);

function networkOf(client: string): string | undefined {
  const known = networks.get(client);
  if (known !== undefined) return known;
  const network = shortenedIp(client);
  networks.set(client, network, 1);
  return network;
}

/** Milliseconds of each stage, by name. Written out: objects whose members are added one by one cost several times as much. */
function stageFields({ ms }: StageTimes): Record<StageName, number | undefined> {
  const of = (place: number) => {
    const taken = ms[place];
    return taken === undefined ? undefined : rounded(taken);
  };
  return {
    open: of(placeOf.open),
    describe: of(placeOf.describe),
    lookup: of(placeOf.lookup),
    wait: of(placeOf.wait),
    sidecar: of(placeOf.sidecar),
    queue: of(placeOf.queue),
    read: of(placeOf.read),
    index: of(placeOf.index),
    decode: of(placeOf.decode),
    steps: of(placeOf.steps),
    encode: of(placeOf.encode),
    store: of(placeOf.store),
  };
}

const rounded = (ms: number) => Math.round(ms * 100) / 100;
const durationText = (ms: number) => hundredthsText(rounded(ms)) ?? String(rounded(ms));

/**
 * Sets Server-Timing of the answer of an image before it is made, where it is wanted (W3C Server Timing, section 3.3): what the cache had,
 * and milliseconds of each stage and of all until now. Pages of other origins may read it too (W3C Resource Timing, section 3.5.2). As
 * with cross-origin headers, to add it to a Response costs Node more than all else that is logged, measured and traced.
 */
export function setServerTiming(headers: Record<string, string>, c: RequestContext): void {
  if (c.get("serverTiming") !== "wanted") return;
  headers["Server-Timing"] = timingText(c);
  headers["Timing-Allow-Origin"] = "*";
  c.set("serverTiming", "set");
}

/** The same for an answer that is there, unless {@link setServerTiming} has set it. */
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
  for (let i = 0; i < stageNames.length; i++) {
    const taken = stages?.ms[i];
    if (taken !== undefined) timing += (stageParts[i] as string) + durationText(taken);
  }
  timing += `, total;dur=${durationText(performance.now() - c.get("began"))}`;
  return timing.slice(2);
}

const cacheParts = { hit: ", cache;desc=hit", miss: ", cache;desc=miss", shared: ", cache;desc=shared" };
const stageParts = stageNames.map((stage) => `, ${stage};dur=`);
