// The trace of a request.

import { type TraceContext, type TraceHeaders, type TraceParent, traceHeaders } from "../../base/index.ts";
import { newSpanId, newTraceId } from "./ids.ts";

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
