// The header `traceparent` (W3C Trace Context, section 3.2).

export interface TraceParent {
  /** 32 hexadecimal digits in lower case. */
  readonly traceId: string;
  /** The span that the request belongs to: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

/** What the header of a request says; undefined where it is missing or not well-formed. Versions to come may append fields. */
export function parseTraceparent(header: string | null | undefined): TraceParent | undefined {
  const [, version, traceId = "", spanId = "", flags = "", rest = ""] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
