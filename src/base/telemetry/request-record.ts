// The record of an answered request, from which its log line and its spans are written.

import type { StageClock } from "./stage-times.ts";

/**
 * Held until both are written: lines and spans of several requests are written together, which halves their
 * cost. A line waits a tenth of a second, spans a few seconds. Nothing in it is masked.
 */
export interface RequestRecord {
  /** Names the request. */
  readonly id: string;
  readonly method: string;
  /** The path as received. */
  readonly path: string;
  /** Class of the route. */
  readonly route: string;
  /** Pattern of the route's path; undefined: there is none. */
  readonly pattern: string | undefined;
  readonly status: number;
  /** Error code of the response. */
  readonly code: string | undefined;
  /** Bytes of the body. */
  readonly bytes: number;
  /** The client's address, if known. */
  readonly client: string | undefined;
  /** When it came, by `performance.now()`. */
  readonly began: number;
  /** When it was answered, by the same clock. */
  readonly ended: number;
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
  /** Stages of a request for an image. It still grows: stages that end before it is read are included. */
  readonly stages: StageClock | undefined;
  /** The trace that it belongs to: the one whose spans are written, if any are. */
  readonly trace: { readonly traceId: string } | undefined;
}
