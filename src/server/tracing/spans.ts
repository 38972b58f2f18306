// A request and its stages as spans, in the JSON of OTLP (opentelemetry-proto, trace.proto in its JSON
// mapping).

import { indexOfStage, maskPath, type RequestRecord, type StageName, stageNames } from "../../base/index.ts";
import type { SpanTrace } from "./trace.ts";

/** SpanKind of the protocol for work inside the service. */
const internal = 1;
/** SpanKind of the protocol for a request. */
const server = 2;
/** StatusCode of the protocol for an error. */
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

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

/**
 * Returns the text before and after the spans of one export, which are separated by commas. `resource`:
 * attributes of the service.
 */
export function exportFrame(resource: Readonly<Record<string, string>>): {
  readonly head: string;
  readonly tail: string;
} {
  const scope = { name: "smalti", version: resource["service.version"] };
  const scopeSpans = [{ scope, spans: ["here"] }];
  const [head = "", tail = ""] = JSON.stringify({
    resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }],
  }).split('"here"');
  return { head, tail };
}

/** The span of a request and, as its children, those of its stages. */
export function spansOf(trace: SpanTrace, request: RequestRecord): object[] {
  const { began, ended, at, stages } = request;
  /** From `performance.now()` to milliseconds since 1970. */
  const toEpoch = at - ended;
  const spans: object[] = [requestSpan(trace, request, toEpoch)];
  if (!stages) return spans;
  // Stages of a job take turns: each is drawn once, with its sum, behind the one before.
  let from = began;
  let hasJob = false;
  for (const [index, stage] of stageNames.entries()) {
    const ms = stages.ms[index];
    if (ms === undefined) continue;
    if (inJob.has(stage) && !hasJob) {
      hasJob = true;
      from = stages.jobBegan ?? from;
    }
    // Storing begins after the response.
    const begin = stage === "store" ? ended : Math.min(from, ended);
    const end = stage === "store" ? ended + ms : Math.min(begin + ms, ended);
    spans.push(stageSpan(trace, stage, toEpoch + begin, toEpoch + end));
    from = end;
  }
  return spans;
}

const inJob: ReadonlySet<StageName> = new Set<StageName>(["read", "index", "decode", "steps", "encode"]);

/** The span of storing the derivative alone, which ended after the others were written. */
export const storeSpan = (trace: SpanTrace, { at, stages }: RequestRecord): object =>
  stageSpan(trace, "store", at, at + (stages?.ms[indexOfStage.store] ?? 0));

/**
 * `from`, `to`: milliseconds since 1970. The id is that of the request but for the last digit, which is 0
 * there: random as that is.
 */
function stageSpan({ traceId, spanId }: SpanTrace, stage: StageName, from: number, to: number): object {
  return {
    traceId,
    spanId: spanId.slice(0, -1) + (indexOfStage[stage] + 1).toString(16),
    parentSpanId: spanId,
    kind: internal,
    name: stage,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(to),
  };
}

/** Undefined members are not written. */
function requestSpan(trace: SpanTrace, request: RequestRecord, toEpoch: number): object {
  const { path, route, pattern, status, bytes, began, ended, stages } = request;
  const method = methods.has(request.method) ? request.method : "_OTHER";
  const render = stages?.render;
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentId,
    traceState: trace.state,
    status: status >= 500 ? { code: failed } : undefined,
    kind: server,
    name: `${method === "_OTHER" ? "HTTP" : method} ${route}`,
    startTimeUnixNano: nanoseconds(toEpoch + began),
    endTimeUnixNano: nanoseconds(toEpoch + ended),
    attributes: attributesOf({
      "http.request.method": method,
      "smalti.route": route,
      "http.route": pattern,
      "http.response.status_code": status,
      "error.type": status >= 500 ? String(status) : undefined,
      "smalti.cache": stages?.cache,
      "smalti.format": render?.format,
      "smalti.codec": render?.codec,
      "http.response.body.size": bytes,
      // Paths of others may hold secrets.
      "url.path": stages && maskPath(path),
      "smalti.worker": stages?.worker,
      "smalti.reads": render && stages.reads,
      "smalti.read_bytes": render && stages.readBytes,
    }),
  };
}

function attributesOf(values: Readonly<Record<string, string | number | undefined>>): Attribute[] {
  const attributes: Attribute[] = [];
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (typeof value === "number") attributes.push({ key, value: { intValue: String(value) } });
    else if (value !== undefined) attributes.push({ key, value: { stringValue: value } });
  }
  return attributes;
}

/** Milliseconds since 1970 as nanoseconds, whole microseconds of them: more digits than a number holds. */
const nanoseconds = (ms: number) => `${Math.round(ms * 1000)}000`;
