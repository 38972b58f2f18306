// A request and its stages as spans, in the JSON of OTLP (opentelemetry-proto, trace.proto in its JSON mapping).

import { maskPath } from "../lib/mask-path.ts";
import { type StageName, type StageTimes, stageNames } from "../lib/stage-times.ts";
import { newSpanId } from "./ids.ts";
import type { RequestTrace } from "./tracing.ts";

/** What a span says of a request that was answered. */
export interface Answered {
  readonly method: string;
  /** Class of the route. */
  readonly route: string;
  /** Pattern of the route's path; undefined: there is none. */
  readonly pattern: string | undefined;
  /** Path of a request for an image, as it came; undefined for others, whose paths may hold secrets. */
  readonly path: string | undefined;
  readonly status: number;
  /** Bytes of the body. */
  readonly bytes: number;
  /** When it came, by `performance.now()`. */
  readonly began: number;
  /** When it was answered, by the same clock. */
  readonly ended: number;
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
  readonly stages: StageTimes | undefined;
}

export interface Finished {
  readonly trace: RequestTrace;
  readonly answered: Answered;
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** SpanKind and StatusCode of the protocol. */
const internal = 1;
const server = 2;
const failed = 2;

/** Others are shown as `_OTHER`: clients may send any word (semantic conventions of HTTP). */
const methods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "PATCH",
  "TRACE",
  "CONNECT",
]);

/** Returns a function that writes finished requests as the body of one export. `resource`: attributes of the service. */
export function bodyWriter(resource: Attributes): (finished: readonly Finished[]) => string {
  const version = resource["service.version"];
  const scope = JSON.stringify({ name: "smalti", version });
  const head = `{"resourceSpans":[{"resource":{"attributes":${attributesText(resource)}},"scopeSpans":[{"scope":${scope},"spans":[`;
  return (finished) => `${head}${finished.map(spansOf).join(",")}]}]}]}`;
}

/** The span of a request and, as its children, those of its stages. */
function spansOf({ trace, answered }: Finished): string {
  const { method, route, pattern, path, status, bytes, began, ended, at, stages } = answered;
  /** From `performance.now()` to milliseconds since 1970. */
  const toEpoch = at - ended;
  const shown = methods.has(method) ? method : "_OTHER";
  const attributes = {
    "http.request.method": shown,
    "http.response.status_code": status,
    "http.response.body.size": bytes,
    "http.route": pattern,
    "url.path": path === undefined ? undefined : maskPath(path),
    "error.type": status >= 500 ? String(status) : undefined,
    "smalti.route": route,
    "smalti.cache": stages?.cache,
    "smalti.format": stages?.render?.format,
    "smalti.codec": stages?.render?.codec,
    "smalti.worker": stages?.worker,
    "smalti.reads": stages?.render && stages.reads,
    "smalti.read_bytes": stages?.render && stages.readBytes,
  };
  const status_ = status >= 500 ? `,"status":{"code":${failed}}` : "";
  const parent = trace.parentId === undefined ? "" : `,"parentSpanId":"${trace.parentId}"`;
  const state = trace.state === undefined ? "" : `,"traceState":${JSON.stringify(trace.state)}`;
  const name = `${shown === "_OTHER" ? "HTTP" : shown} ${route}`;
  let text = `{"traceId":"${trace.traceId}","spanId":"${trace.spanId}"${parent}${state},"name":${JSON.stringify(name)},"kind":${server},${timesText(toEpoch + began, toEpoch + ended)},"attributes":${attributesText(attributes)}${status_}}`;
  if (!stages) return text;
  const begin = `,{"traceId":"${trace.traceId}","parentSpanId":"${trace.spanId}","kind":${internal},"spanId":"`;
  for (const { stage, from, to } of timeline(stages, began, ended))
    text += `${begin}${newSpanId()}","name":"${stage}",${timesText(toEpoch + from, toEpoch + to)}}`;
  return text;
}

const inJob: ReadonlySet<StageName> = new Set<StageName>(["read", "index", "decode", "steps", "encode"]);

/**
 * Where the stages lie in the time of the request. Those of a job take turns: each is drawn once, with its sum, behind the one
 * before.
 */
function timeline(
  stages: StageTimes,
  began: number,
  ended: number,
): readonly { readonly stage: StageName; readonly from: number; readonly to: number }[] {
  const spans = [];
  let at = began;
  let hasJob = false;
  for (const stage of stageNames) {
    const ms = stages[stage];
    if (ms === undefined) continue;
    if (inJob.has(stage) && !hasJob) {
      hasJob = true;
      at = stages.jobBegan ?? at;
    }
    // Storing begins when the answer is there.
    const from = stage === "store" ? ended : Math.min(at, ended);
    const to = stage === "store" ? ended + ms : Math.min(from + ms, ended);
    spans.push({ stage, from, to });
    at = to;
  }
  return spans;
}

const timesText = (from: number, to: number) =>
  `"startTimeUnixNano":"${nanoseconds(from)}","endTimeUnixNano":"${nanoseconds(to)}"`;

/** What was written last: most spans begin where another one ends, in the same second, and numbers are slow to write. */
const last = { ms: 0, text: "0", second: 0, secondText: "0" };

/** Milliseconds since 1970 to whole microseconds, in nanoseconds: more digits than a number holds. */
function nanoseconds(ms: number): string {
  if (ms === last.ms) return last.text;
  const microseconds = Math.round((ms % 1000) * 1000);
  const second = Math.floor(ms / 1000) + (microseconds === 1_000_000 ? 1 : 0);
  if (second !== last.second) {
    last.second = second;
    last.secondText = String(second);
  }
  last.ms = ms;
  last.text = `${last.secondText}${String(1_000_000 + (microseconds % 1_000_000)).slice(1)}000`;
  return last.text;
}

function attributesText(attributes: Attributes): string {
  let text = "";
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    const typed =
      typeof value === "number" ? `"intValue":"${value}"` : `"stringValue":${JSON.stringify(value)}`;
    text += `${text === "" ? "" : ","}{"key":"${key}","value":{${typed}}}`;
  }
  return `[${text}]`;
}
