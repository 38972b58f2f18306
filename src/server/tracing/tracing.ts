// Traces of requests: begun with the context that a request comes with, and sent to a collector when it is
// answered.

import {
  type Counts,
  indexOfStage,
  type Log,
  type Platform,
  parseTraceparent,
  parseTracestate,
  type RequestRecord,
  secretOf,
} from "../../base/index.ts";
import { Exporter } from "./exporter.ts";
import type { TracingOptions } from "./options.ts";
import { exportFrame } from "./spans.ts";
import { RequestTrace } from "./trace.ts";

export interface Tracing {
  /** Begins the trace of a request, or continues that of its caller. */
  begin(traceparent: string | null, tracestate: string | null): RequestTrace;
  /** The request was answered: its spans are sent in time. Never throws, and never waits. */
  end(trace: RequestTrace, request: RequestRecord): void;
  /** Sends what waits, within three seconds; later traces are dropped. */
  close(): Promise<void>;
}

export interface TracingParts {
  readonly platform: Pick<Platform, "env" | "keepAlive" | "name" | "sentOnce" | "version">;
  readonly version: string;
  readonly log: Pick<Log, "warn">;
  /** Traces that the collector took, and those that it did not get. */
  readonly counts: Counts<"sent" | "dropped">;
}

/**
 * Creates tracing by its options, whose endpoint is not empty. Throws an Error if the variable of the token
 * is not set.
 */
export function createTracing(options: TracingOptions, parts: TracingParts): Tracing {
  const { platform, version, log, counts } = parts;
  const token = options.token_env === "" ? undefined : secretOf(options.token_env, platform.env);
  const exporter = new Exporter({
    url: tracesUrl(options.otlp_endpoint),
    token,
    log,
    counts,
    keepAlive: platform.keepAlive,
    sentOnce: platform.sentOnce,
    frame: exportFrame({
      "service.name": "smalti",
      "service.version": version,
      "process.runtime.name": platform.name,
      "process.runtime.version": platform.version,
    }),
  });
  return {
    begin(traceparent, tracestate) {
      const parent = parseTraceparent(traceparent);
      // Without the one header the other means nothing (W3C Trace Context, section 3.3).
      return new RequestTrace(parent, parent && parseTracestate(tracestate), options.sample_ratio);
    },
    end(trace, request) {
      if (!trace.sampled || !exporter.add(trace, request)) return;
      const { stages } = request;
      if (stages && stages.ms[indexOfStage.store] === undefined)
        stages.whenStored(() => exporter.addStore(trace, request));
    },
    close: () => exporter.close(),
  };
}

/** Returns the address to which a collector expects traces (OTLP, section "OTLP/HTTP Request"). */
function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, "");
  return base.endsWith("/v1/traces") ? base : `${base}/v1/traces`;
}
