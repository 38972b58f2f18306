// The headers of W3C Trace Context, by the rules of its sections 3.2 and 3.3.

import { describe, expect, test } from "vitest";
import {
  parseTraceparent,
  parseTracestate,
  traceHeaders,
} from "../../../src/base/telemetry/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

describe("traceparent", () => {
  test.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true], // other flags count for nothing
    [`00-${traceId}-${spanId}-fe`, false],
    [`01-${traceId}-${spanId}-01`, true],
    [`cc-${traceId}-${spanId}-01-what-comes-later`, true],
  ])("%s is read", (header, sampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId, spanId, sampled });
  });

  test.each([
    ["nothing", null],
    ["an empty header", ""],
    ["the version that does not exist", `ff-${traceId}-${spanId}-01`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
    ["a span id of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
    ["capitals in the trace id", `00-${traceId.toUpperCase()}-${spanId}-01`],
    ["capitals in the span id", `00-${traceId}-${spanId.toUpperCase()}-01`],
    ["capitals in the version", `CC-${traceId}-${spanId}-01`],
    ["a short trace id", `00-${traceId.slice(1)}-${spanId}-01`],
    ["a long trace id", `00-${traceId}0-${spanId}-01`],
    ["a short span id", `00-${traceId}-${spanId.slice(1)}-01`],
    ["one digit of flags", `00-${traceId}-${spanId}-1`],
    ["no flags", `00-${traceId}-${spanId}`],
    ["more fields in version 00", `00-${traceId}-${spanId}-01-more`],
    ["more in a later version without a dash", `01-${traceId}-${spanId}-01more`],
    ["two headers in one", `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ["digits that are not hexadecimal", `00-${traceId.replace("4", "g")}-${spanId}-01`],
  ])("%s is not a context", (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  test("is passed on as version 00, with only the known flag", () => {
    expect(traceHeaders({ traceId, spanId, sampled: true })).toEqual({
      traceparent: `00-${traceId}-${spanId}-01`,
    });
    expect(traceHeaders({ traceId, spanId, sampled: false }, "a=1")).toEqual({
      traceparent: `00-${traceId}-${spanId}-00`,
      tracestate: "a=1",
    });
  });
});

test("tracestate is handed on in visible characters, up to the 512 that every system takes", () => {
  expect(parseTracestate("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")).toBe(
    "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
  );
  expect(parseTracestate(`a=${"1".repeat(510)}`)).toHaveLength(512);
  for (const header of [null, "", `a=${"1".repeat(511)}`, "a=1\u001b[31m", "a=\u00e9"])
    expect(parseTracestate(header)).toBeUndefined();
});
