// The trace of a request.

import { type TraceContext, type TraceHeaders, type TraceParent, traceHeaders } from "../../base/index.ts";

/**
 * The trace of one request. Ids are made when they are first asked for, which most often is when spans of
 * several are written.
 */
export class RequestTrace implements TraceContext {
  /** `tracestate` as the caller sent it. */
  readonly state: string | undefined;
  readonly #parent: TraceParent | undefined;
  readonly #ratio: number;
  #traceId: string | undefined = undefined;
  #spanId: string | undefined = undefined;

  /**
   * `parent`: the context of the request, whose trace continues; `ratio`: share of other traces that are
   * sampled, 0 to 1.
   */
  constructor(parent: TraceParent | undefined, state: string | undefined, ratio: number) {
    this.state = state;
    this.#parent = parent;
    this.#ratio = ratio;
  }

  get traceId(): string {
    this.#traceId ??= this.#parent?.traceId ?? newTraceId();
    return this.#traceId;
  }

  /** Id of the root span. */
  get spanId(): string {
    this.#spanId ??= newSpanId();
    return this.#spanId;
  }

  /** Span of the caller. */
  get parentId(): string | undefined {
    return this.#parent?.spanId;
  }

  get sampled(): boolean {
    // With a ratio of 1 no id is needed to decide.
    return this.#parent?.sampled ?? (this.#ratio === 1 || isSampled(this.traceId, this.#ratio));
  }

  get headers(): TraceHeaders {
    return traceHeaders(this, this.state);
  }
}

/** The parts of a trace that its spans contain. */
export type SpanTrace = Pick<RequestTrace, "traceId" | "spanId" | "parentId" | "state">;

/** Depends only on the random end of the id, so that services with the same ratio decide alike. */
export function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52;
}

/** Random bytes are asked for in bulk, since each call costs as much as a hundred ids. */
const random = new Uint8Array(4096);

const hex = new TextEncoder().encode("0123456789abcdef");
const zero = hex[0] as number;
const ascii = new TextDecoder();

/**
 * Returns a generator of ids with that many digits, the last of which is 0 if `endsInZero`. Ids are slices of
 * one text, and never all zero (W3C Trace Context, section 3.2.2).
 */
function idMaker(length: number, endsInZero: boolean): () => string {
  const none = "0".repeat(length);
  const codes = new Uint8Array(2 * random.length);
  let digits = "";
  let at = 0;
  const refill = () => {
    crypto.getRandomValues(random);
    for (let i = 0; i < random.length; i++) {
      const byte = random[i] as number;
      codes[2 * i] = hex[byte >> 4] as number;
      codes[2 * i + 1] = hex[byte & 15] as number;
    }
    if (endsInZero) for (let i = length - 1; i < codes.length; i += length) codes[i] = zero;
    digits = ascii.decode(codes);
    at = 0;
  };
  const next = (): string => {
    if (at === digits.length) refill();
    at += length;
    const id = digits.slice(at - length, at);
    return id === none ? next() : id;
  };
  return next;
}

/** 32 digits. */
const newTraceId = idMaker(32, false);

/** 16 digits, the last of which is 0: the spans of its stages have others there. */
const newSpanId = idMaker(16, true);
