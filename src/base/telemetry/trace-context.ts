// The headers `traceparent` and `tracestate` (W3C Trace Context, sections 3.2 and 3.3).

export interface TraceParent {
  /** 32 hexadecimal digits in lower case. */
  readonly traceId: string;
  /** The span that the request belongs to: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

/**
 * Parses the header of a request; undefined if it is missing or malformed. Future versions may append fields.
 */
export function parseTraceparent(header: string | null | undefined): TraceParent | undefined {
  if (!header) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Longer or invalid lists are not passed on; section 3.3.1.5 requires at least 512 characters. */
const stateForm = /^[\x20-\x7e\t]{1,512}$/;

/**
 * Returns `tracestate`, which other tracing systems use; undefined if it is missing or must not be passed on.
 */
export function parseTracestate(header: string | null | undefined): string | undefined {
  return header && stateForm.test(header) ? header : undefined;
}

/** Headers that a request to another service gets, so that its spans belong to the same trace. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** The trace of a request. */
export interface TraceContext {
  readonly traceId: string;
  /** For requests to other services on its behalf; undefined: it is not passed on. */
  readonly headers?: TraceHeaders | undefined;
}

/**
 * Returns the headers that pass on a trace, whose span `spanId` is the parent of the other service's spans.
 */
export function traceHeaders({ traceId, spanId, sampled }: TraceParent, state?: string): TraceHeaders {
  const traceparent = `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
