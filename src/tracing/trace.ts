// The trace of a request, and what its spans say of it.

import type { StageClock } from "../lib/telemetry/stage-times.ts";
import type { TraceHeaders } from "../lib/telemetry/trace-context.ts";

/** The trace of one request. */
export interface RequestTrace {
  readonly traceId: string;
  /** Of the span of the request. */
  readonly spanId: string;
  /** Span of the caller. */
  readonly parentId: string | undefined;
  readonly state: string | undefined;
  readonly sampled: boolean;
  /** For requests to other services on behalf of this one. */
  readonly headers: TraceHeaders;
}

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
  readonly stages: StageClock | undefined;
}
