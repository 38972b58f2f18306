import { expect, test } from "vitest";
import { parseTraceparent } from "../../src/lib/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

// W3C Trace Context, sections 3.2.2 to 3.2.4.
test.each([
  [`00-${traceId}-${spanId}-01`, { traceId, spanId, sampled: true }],
  [`00-${traceId}-${spanId}-00`, { traceId, spanId, sampled: false }],
  [`00-${traceId}-${spanId}-03`, { traceId, spanId, sampled: true }],
  [`cc-${traceId}-${spanId}-01-what-comes`, { traceId, spanId, sampled: true }],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${"0".repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  [`00-${traceId}-${spanId}`, undefined],
  ["", undefined],
  [null, undefined],
])("%s is %j", (header, expected) => {
  expect(parseTraceparent(header)).toEqual(expected);
});
