// Masters that lie elsewhere and are read over HTTP: what a backend has to do, and what it says when it cannot.

import { ServiceError } from "../errors.ts";
import type { TraceHeaders } from "../lib/telemetry/trace-context.ts";

/** One state of a remote master, as its origin told it. */
export interface RemoteFacts {
  /** Bytes. */
  readonly size: number;
  /** As sent, quotes and `W/` included. */
  readonly etag?: string;
  /** Milliseconds since 1970; absent while the file may change again under the same date. */
  readonly modified?: number;
  /** Whether the origin answers ranges; else every read is of the whole master. */
  readonly ranges: boolean;
}

/** A range of bytes, `length` at least 1. */
export interface RemoteRange {
  readonly offset: number;
  readonly length: number;
}

export type RemoteAnswer =
  /** Bytes from `offset` on: those of the range that was asked for, fewer only at the end. */
  | {
      readonly kind: "part";
      readonly facts: RemoteFacts;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  /** The whole master, asked for as such or from an origin without ranges; its size as announced, else 0. Whoever gets it reads or cancels it. */
  | {
      readonly kind: "whole";
      readonly facts: RemoteFacts;
      readonly length: number | undefined;
      readonly body: ReadableStream<Uint8Array>;
    }
  /** Still the state that was given as known. */
  | { readonly kind: "unchanged" }
  /** No longer the state that was given as known. */
  | { readonly kind: "changed" }
  | { readonly kind: "absent" };

/** Reads masters of one origin. */
export interface Remote {
  /**
   * A range of a master, or all of it in one answer where no range is given. `known`: the state that the caller has. With `purpose` "read" the origin may be told that nothing but
   * this state is of use, with "check" that it need not send what is unchanged. Whether an answer is of the same state is for
   * the caller to compare. `traceHeaders`: headers that go with the request. Throws ServiceError `source`, and `bad-request` for keys that cannot be asked for.
   */
  get(
    key: string,
    range: RemoteRange | undefined,
    known?: { readonly facts: RemoteFacts; readonly purpose: "read" | "check" },
    signal?: AbortSignal,
    traceHeaders?: TraceHeaders,
  ): Promise<RemoteAnswer>;
  /** Whether a key may be asked for; throws ServiceError `bad-request`. */
  checkKey(key: string): void;
  /** Resolves when the origin answers; throws with the reason, in words for the operator, without its address. */
  check(signal: AbortSignal): Promise<void>;
}

/** Whether the origin says by ETag or date which state of a master an answer is of. */
export function hasValidator({ etag, modified }: RemoteFacts): boolean {
  return etag !== undefined || modified !== undefined;
}

/** Whether the origin says that two answers are of one state of a master. */
export function sameState(a: RemoteFacts, b: RemoteFacts): boolean {
  if (a.size !== b.size) return false;
  if (a.etag !== undefined && b.etag !== undefined) return a.etag === b.etag;
  return a.modified !== undefined && a.modified === b.modified;
}

/** Errors of origins, by code; all are of kind `source`. */
export const originErrors = {
  origin_unavailable:
    "The server that holds this image did not answer in time or answered with an error. Try again later.",
  origin_denied:
    "The server that holds this image refuses access to this service. Ask the operator of this service.",
  origin_not_allowed:
    "The address of this image leads to a host that this service may not read from. Ask the operator of this service.",
  origin_not_image: "The server that holds this image answered with a web page instead of an image.",
  origin_too_large:
    "An image that its server sends without ETag and Last-Modified, or without its length, may have at most 64 MiB; this one has more. Let that server send an ETag or Last-Modified, and the length.",
  origin_bad_answer:
    "The server that holds this image gave an answer that does not fit what was asked for. Ask the operator of this service.",
} as const;

/** A ServiceError `source` of one of the codes. */
export function originError(code: keyof typeof originErrors, cause?: unknown): ServiceError {
  return new ServiceError("source", originErrors[code], { code, cause });
}
