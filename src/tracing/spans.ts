// A request and its stages as spans, in the JSON of OTLP (opentelemetry-proto, trace.proto in its JSON mapping). Written as bytes soon
// after the request is answered: objects and strings that wait for an export cost more, most of it in collecting them.

import type { AnsweredRequest } from "../lib/telemetry/answered-request.ts";
import { maskPath } from "../lib/telemetry/mask-path.ts";
import { placeOf, type StageName, stageNames } from "../lib/telemetry/stage-times.ts";
import { asciiBytes, type ByteText, writeAscii, writeDigits } from "../lib/text/byte-text.ts";
import type { SpanTrace } from "./trace.ts";

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

/** What stands before and after the spans of one export, each of which ends with a comma. `resource`: attributes of the service. */
export function exportFrame(resource: Readonly<Record<string, string>>): {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
} {
  const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const scope = { name: "smalti", version: resource["service.version"] };
  const [head = "", tail = ""] = JSON.stringify({
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans: ["here"] }] }],
  }).split('"here"');
  return { head: asciiBytes(head), tail: asciiBytes(tail) };
}

/** Writes the span of a request and, as its children, those of its stages. */
export function writeSpans(out: ByteText, trace: SpanTrace, answered: AnsweredRequest): void {
  const { began, ended, at, stages } = answered;
  /** From `performance.now()` to milliseconds since 1970. */
  const toEpoch = at - ended;
  writeRequest(out, trace, answered, toEpoch);
  if (!stages) return;
  setParent(trace);
  // Stages of a job take turns: each is drawn once, with its sum, behind the one before.
  let from = began;
  let hasJob = false;
  for (let stage = 0; stage < stageNames.length; stage++) {
    const ms = stages.ms[stage];
    if (ms === undefined) continue;
    if (isInJob[stage] && !hasJob) {
      hasJob = true;
      from = stages.jobBegan ?? from;
    }
    // Storing begins when the answer is there.
    const begin = stage === placeOf.store ? ended : Math.min(from, ended);
    const end = stage === placeOf.store ? ended + ms : Math.min(begin + ms, ended);
    writeStage(out, stage, toEpoch + begin, toEpoch + end);
    from = end;
  }
}

const inJob: ReadonlySet<StageName> = new Set<StageName>(["read", "index", "decode", "steps", "encode"]);
const isInJob = stageNames.map((stage) => inJob.has(stage));

/** Writes the span of storing the derivative alone, which ended after the others were written. */
export function writeStore(out: ByteText, trace: SpanTrace, { at, stages }: AnsweredRequest): void {
  setParent(trace);
  writeStage(out, placeOf.store, at, at + (stages?.ms[placeOf.store] ?? 0));
}

/** Digits that are written later. Seconds since 1970 have ten until 2286. */
const zeros = (digits: number) => "0".repeat(digits);
const times = `"startTimeUnixNano":"${zeros(19)}","endTimeUnixNano":"${zeros(19)}"`;
const parent = `"parentSpanId":"${zeros(16)}"`;

/** Where the value of a field begins in a text. */
const beginOf = (field: string, text: string) => text.indexOf(`"${field}":"`) + field.length + 4;

/**
 * How all spans of stages of one trace begin. Their ids are the one of the request but for the last digit, which is 0 there: random as
 * that is, and cheaper than random ones of their own.
 */
const stageHeadText = `{"traceId":"${zeros(32)}",${parent},"kind":${internal},"spanId":"${zeros(15)}`;
const stageHead = asciiBytes(stageHeadText);
/** What follows, by stage. */
const stageTails = stageNames.map((name, i) =>
  asciiBytes(`${(i + 1).toString(16)}","name":"${name}",${times}},`),
);
const headPlaces = {
  traceId: beginOf("traceId", stageHeadText),
  parentId: beginOf("parentSpanId", stageHeadText),
  spanId: beginOf("spanId", stageHeadText),
};
/** From the end. */
const tailPlaces = { from: 2 * 19 + '","endTimeUnixNano":""},'.length, to: 19 + '"},'.length };

/** Sets the trace whose stages are written next. */
function setParent({ traceId, spanId }: SpanTrace): void {
  writeAscii(stageHead, headPlaces.traceId, traceId);
  writeAscii(stageHead, headPlaces.parentId, spanId);
  stageHead.copyWithin(headPlaces.spanId, headPlaces.parentId, headPlaces.parentId + 15);
}

/** `stage`: its place; `from`, `to`: milliseconds since 1970. */
function writeStage(out: ByteText, stage: number, from: number, to: number): void {
  out.put(stageHead);
  out.put(stageTails[stage] as Uint8Array);
  const { bytes, length } = out;
  writeTime(bytes, length - tailPlaces.from, from);
  writeTime(bytes, length - tailPlaces.to, to);
}

const ids = `"traceId":"${zeros(32)}","spanId":"${zeros(16)}"`;
const requestBegin = `{${ids},${times}`;
const requestSpan = asciiBytes(requestBegin);
const parentField = asciiBytes(`,${parent}`);
const requestPlaces = {
  traceId: beginOf("traceId", requestBegin),
  spanId: beginOf("spanId", requestBegin),
  from: beginOf("startTimeUnixNano", requestBegin),
  to: beginOf("endTimeUnixNano", requestBegin),
};

function writeRequest(out: ByteText, trace: SpanTrace, answered: AnsweredRequest, toEpoch: number): void {
  const { path, status, bytes, began, ended, stages } = answered;
  const begin = out.length;
  out.put(requestSpan);
  writeAscii(out.bytes, begin + requestPlaces.traceId, trace.traceId);
  writeAscii(out.bytes, begin + requestPlaces.spanId, trace.spanId);
  writeTime(out.bytes, begin + requestPlaces.from, toEpoch + began);
  writeTime(out.bytes, begin + requestPlaces.to, toEpoch + ended);
  if (trace.parentId !== undefined) {
    out.put(parentField);
    writeAscii(out.bytes, out.length - 17, trace.parentId);
  }
  if (trace.state !== undefined) {
    out.put(fields.traceState);
    out.json(trace.state);
  }
  if (status >= 500) out.put(fields.failed);
  out.put(kindOf(answered));
  writeNumber(out, fields.bytes, bytes);
  // Paths of others may hold secrets.
  if (stages) {
    out.put(fields.path);
    out.json(maskPath(path));
    out.put(fields.end);
  }
  if (stages?.worker !== undefined) writeNumber(out, fields.worker, stages.worker);
  if (stages?.render) {
    writeNumber(out, fields.reads, stages.reads);
    writeNumber(out, fields.readBytes, stages.readBytes);
  }
  out.length--; // the comma after the last attribute
  out.put(fields.close);
}

const attributeBegin = (key: string) => `{"key":"${key}","value":`;
const attribute = (key: string, value: string | number) => {
  const typed = typeof value === "number" ? { intValue: String(value) } : { stringValue: value };
  return `${attributeBegin(key)}${JSON.stringify(typed)}},`;
};
const numberField = (key: string) => asciiBytes(`${attributeBegin(key)}{"intValue":"`);

const fields = {
  traceState: asciiBytes(',"traceState":'),
  failed: asciiBytes(`,"status":{"code":${failed}}`),
  bytes: numberField("http.response.body.size"),
  worker: numberField("smalti.worker"),
  reads: numberField("smalti.reads"),
  readBytes: numberField("smalti.read_bytes"),
  path: asciiBytes(`${attributeBegin("url.path")}{"stringValue":`),
  end: asciiBytes("}},"),
  numberEnd: asciiBytes('"}},'),
  close: asciiBytes("]},"),
};

function writeNumber(out: ByteText, field: Uint8Array, value: number): void {
  out.put(field);
  out.integer(value);
  out.put(fields.numberEnd);
}

/** What a request has in common with many others, and the text that says it. */
interface Kind {
  readonly method: string;
  readonly route: string;
  readonly pattern: string | undefined;
  readonly status: number;
  readonly cache: string | undefined;
  readonly format: string | undefined;
  readonly codec: string | undefined;
  readonly text: Uint8Array;
}

/** Kinds, the one made last first; the oldest is forgotten. They are compared one by one, since most requests are of few kinds. */
const kinds: Kind[] = [];
const mostKinds = 64;

/** The kind and name of the span and the attributes that have few values. */
function kindOf(answered: AnsweredRequest): Uint8Array {
  const { route, pattern, status, stages } = answered;
  const method = methods.has(answered.method) ? answered.method : "_OTHER";
  const { cache, render } = stages ?? noStages;
  const { format, codec } = render ?? noRender;
  for (const kind of kinds)
    if (
      kind.route === route &&
      kind.status === status &&
      kind.cache === cache &&
      kind.format === format &&
      kind.codec === codec &&
      kind.method === method &&
      kind.pattern === pattern
    )
      return kind.text;
  const kind = { method, route, pattern, status, cache, format, codec };
  const text = kindText(kind);
  kinds.unshift({ ...kind, text });
  kinds.length = Math.min(kinds.length, mostKinds);
  return text;
}

const noStages = { cache: undefined, render: undefined };
const noRender = { format: undefined, codec: undefined };

function kindText({ method, route, pattern, status, cache, format, codec }: Omit<Kind, "text">): Uint8Array {
  const attributes = {
    "http.request.method": method,
    "smalti.route": route,
    "http.route": pattern,
    "http.response.status_code": status,
    "error.type": status >= 500 ? String(status) : undefined,
    "smalti.cache": cache,
    "smalti.format": format,
    "smalti.codec": codec,
  };
  const shown = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : attribute(key, value),
  );
  const name = JSON.stringify(`${method === "_OTHER" ? "HTTP" : method} ${route}`);
  return asciiBytes(`,"kind":${server},"name":${name},"attributes":[${shown.join("")}`);
}

/** The second that was written last: most spans begin in the same one. */
const last = { second: -1, digits: new Uint8Array(10) };

/** Writes milliseconds since 1970 as nanoseconds, whole microseconds of them: 19 digits, more than a number holds. */
function writeTime(bytes: Uint8Array, at: number, ms: number): void {
  let second = Math.floor(ms / 1000);
  let microseconds = Math.round((ms - second * 1000) * 1000) | 0;
  if (microseconds === 1_000_000) {
    second++;
    microseconds = 0;
  }
  if (second !== last.second) {
    last.second = second;
    writeDigits(last.digits, 0, second, 10);
  }
  for (let i = 0; i < 10; i++) bytes[at + i] = last.digits[i] as number;
  writeDigits(bytes, at + 10, microseconds, 6);
}
