// Spans as a collector reads them: the JSON mapping of trace.proto, in which 64-bit numbers are strings of
// digits.

import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../../../src/base/telemetry/request-record.ts";
import { StageClock } from "../../../src/base/telemetry/stage-times.ts";
import { exportFrame, spansOf, storeSpan } from "../../../src/server/tracing/spans.ts";

const trace = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b0",
  parentId: undefined,
  state: undefined,
};

interface Span {
  readonly spanId: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly traceState?: string;
  readonly parentSpanId?: string;
  readonly attributes?: readonly { readonly key: string; readonly value: Record<string, string> }[];
}

const answered = (more: Partial<RequestRecord> = {}): RequestRecord => ({
  id: "0123456789-1",
  method: "GET",
  route: "iiif/3 image",
  pattern: "/iiif/3/*",
  path: "/iiif/3/a.jpg/full/max/0/default.jpg",
  status: 200,
  code: undefined,
  bytes: 12_345,
  client: undefined,
  began: 100,
  ended: 104.5,
  at: 1_700_000_000_004.5,
  stages: undefined,
  trace,
  ...more,
});

/** Spans as a collector reads them. */
function exported(spans: readonly object[]): readonly Span[] {
  const { head, tail } = exportFrame({ "service.name": "smalti" });
  const text = head + spans.map((span) => JSON.stringify(span)).join() + tail;
  return JSON.parse(text).resourceSpans[0].scopeSpans[0].spans;
}

describe("the time of a span", () => {
  test.each([
    [1_700_000_000_000, "1700000000000000000"],
    [1_700_000_000_004.5, "1700000000004500000"],
    [1_699_999_999_999.9998, "1700000000000000000"],
    [1_700_000_000_000.25, "1700000000000250000"],
    [1_700_000_001_999.5, "1700000001999500000"],
    [999_999_999_123, "999999999123000000"],
  ])("is %d milliseconds in nanoseconds", (at, nanoseconds) => {
    const [span] = exported(spansOf(trace, answered({ at, began: 0, ended: 0 })));
    expect(span).toMatchObject({ startTimeUnixNano: nanoseconds, endTimeUnixNano: nanoseconds });
  });
});

test("a span holds whatever a caller sends, as JSON", () => {
  const path = '/iiif/3/é"\\\u2028😀\u0000/info.json';
  const [span] = exported(
    spansOf(
      { ...trace, parentId: "1234567890abcdef", state: 'a="b\\' },
      answered({ path, method: 'G"ET', status: 503, stages: new StageClock(0) }),
    ),
  );
  expect(span).toMatchObject({
    name: "HTTP iiif/3 image",
    parentSpanId: "1234567890abcdef",
    traceState: 'a="b\\',
    status: { code: 2 },
  });
  expect(Object.fromEntries(span?.attributes?.map(({ key, value }) => [key, value]) ?? [])).toEqual({
    "http.request.method": { stringValue: "_OTHER" },
    "smalti.route": { stringValue: "iiif/3 image" },
    "http.route": { stringValue: "/iiif/3/*" },
    "http.response.status_code": { intValue: "503" },
    "error.type": { stringValue: "503" },
    "http.response.body.size": { intValue: "12345" },
    "url.path": { stringValue: path },
  });
});

test("spans of one trace have ids of their own, also those of stages that end after it", () => {
  const stages = new StageClock(0);
  stages.end("open");
  stages.end("describe");
  const first = answered({ stages });
  const other = { ...trace, spanId: "10f067aa0ba902b0" };
  const early = spansOf(trace, first);
  stages.wrote(2.25);
  const late = spansOf(other, answered({ stages }));
  const spans = exported([...early, storeSpan(trace, first), ...late]);
  expect(spans.map(({ name }) => name)).toEqual([
    "GET iiif/3 image",
    "open",
    "describe",
    "store",
    "GET iiif/3 image",
    "open",
    "describe",
    "store",
  ]);
  const { spanId } = trace;
  expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual(
    [undefined, spanId, spanId, spanId].concat([undefined, ...Array(3).fill(other.spanId)]),
  );
  expect(new Set(spans.map((span) => span.spanId)).size).toBe(8);
  for (const { spanId } of spans) expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(spans[3]).toMatchObject({
    startTimeUnixNano: "1700000000004500000",
    endTimeUnixNano: "1700000000006750000",
  });
});
