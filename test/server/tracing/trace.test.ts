// The trace of a request: its ids and the context that it passes on.

import { describe, expect, test } from "vitest";
import { RequestTrace } from "../../../src/server/tracing/trace.ts";

const parent = (sampled: boolean) => ({
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  sampled,
});

describe("the ids of a trace", () => {
  test("stay the same in whatever order they are asked for", () => {
    const first = new RequestTrace(undefined, undefined, 1);
    const { traceparent } = first.headers;
    expect(traceparent).toBe(`00-${first.traceId}-${first.spanId}-01`);
    const other = new RequestTrace(undefined, undefined, 1);
    const { spanId, traceId } = other;
    expect([other.headers.traceparent, other.headers.traceparent]).toEqual(
      Array(2).fill(`00-${traceId}-${spanId}-01`),
    );
    expect([traceId, spanId]).not.toContain(first.traceId);
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  });

  test("are those of the caller, except for the span", () => {
    const trace = new RequestTrace(parent(true), "a=b", 0);
    expect(trace).toMatchObject({
      traceId: parent(true).traceId,
      parentId: parent(true).spanId,
      state: "a=b",
    });
    expect(trace.spanId).not.toBe(parent(true).spanId);
    expect(trace.headers).toEqual({
      traceparent: `00-${trace.traceId}-${trace.spanId}-01`,
      tracestate: "a=b",
    });
  });
});

test.each([
  ["the caller, whatever the ratio", parent(true), 0, true],
  ["the caller, whatever the ratio", parent(false), 1, false],
  ["the ratio", undefined, 1, true],
  ["the ratio", undefined, 0, false],
] as const)("it is sampled as %s says", (_, from, ratio, expected) => {
  const trace = new RequestTrace(from, undefined, ratio);
  expect(trace.sampled).toBe(expected);
  expect(trace.headers.traceparent).toMatch(expected ? /-01$/ : /-00$/);
});

test("half of the traces without a caller are sampled by a ratio of a half, each always alike", () => {
  const traces = Array.from({ length: 64 }, () => new RequestTrace(undefined, undefined, 0.5));
  for (const trace of traces) {
    const { sampled } = trace;
    // The first of the thirteen digits that decide.
    expect(sampled).toBe(Number.parseInt(trace.traceId[19] as string, 16) < 8);
    expect(trace.sampled).toBe(sampled);
  }
});
