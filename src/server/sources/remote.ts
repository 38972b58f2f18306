// Remote masters that are read over HTTP: the interface of a backend, and its errors.

import { type ByteRange, ServiceError, type TraceHeaders } from "../../base/index.ts";

/** One state of a remote master, as reported by its origin. */
export interface RemoteFacts {
  /** Size in bytes. */
  readonly size: number;
  /** Entity tag as sent, including quotes and `W/`. */
  readonly etag?: string;
  /**
   * Time of the last change in milliseconds since 1970; absent while the file may change again under the same
   * date.
   */
  readonly modified?: number;
  /** True if the origin supports ranges; otherwise every read fetches the whole master. */
  readonly ranges: boolean;
}

export type RemoteResponse =
  /** Bytes from `offset` on: the requested range, shorter only at the end of the master. */
  | {
      readonly kind: "part";
      readonly facts: RemoteFacts;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  /**
   * The whole master, requested as such or from an origin without ranges. `facts.size` is its announced
   * length, or 0. The receiver reads or cancels the body.
   */
  | {
      readonly kind: "whole";
      readonly facts: RemoteFacts;
      readonly length: number | undefined;
      readonly body: ReadableStream<Uint8Array>;
    }
  /** The master still has the known state. */
  | { readonly kind: "unchanged" }
  /** The master does not have the known state any more. */
  | { readonly kind: "changed" }
  | { readonly kind: "absent" };

/** Reads masters of one origin. */
export interface Remote {
  /**
   * Requests a range of a master, or all of it in one response if `range` is undefined. `known`: the caller's
   * state; with `purpose` "read" the request may require this state, with "check" it may decline an unchanged
   * body. The caller has to compare states. `traceHeaders`: additional headers of the request. Throws
   * ServiceError `source`, and `bad-request` for impossible keys.
   */
  get(
    key: string,
    range: ByteRange | undefined,
    known?: { readonly facts: RemoteFacts; readonly purpose: "read" | "check" },
    signal?: AbortSignal,
    traceHeaders?: TraceHeaders,
  ): Promise<RemoteResponse>;
  /** Throws ServiceError `bad-request` if a key cannot be requested. */
  checkKey(key: string): void;
  /**
   * Resolves if the origin responds; throws the reason otherwise, in words for the operator and without its
   * address.
   */
  check(signal: AbortSignal): Promise<void>;
}

/** True if the origin identifies the state of a master by ETag or date. */
export function hasValidator({ etag, modified }: RemoteFacts): boolean {
  return etag !== undefined || modified !== undefined;
}

/** True if two responses are known to have the same state of a master. */
export function sameState(a: RemoteFacts, b: RemoteFacts): boolean {
  if (a.size !== b.size) return false;
  if (a.etag !== undefined && b.etag !== undefined) return a.etag === b.etag;
  return a.modified !== undefined && a.modified === b.modified;
}

/** Messages of the errors of origins, by code; all are of kind `source`. */
export const originErrors = {
  origin_unavailable:
    "The server that holds this image did not answer in time or answered with an error. Try again later.",
  origin_denied:
    "The server that holds this image refuses access to this service. Ask the operator of this service.",
  origin_not_allowed:
    "The address of this image leads to a host that this service may not read from. Ask the operator of this service.",
  origin_not_image: "The server that holds this image answered with a web page instead of an image.",
  origin_bad_answer:
    "The server that holds this image sent a response that does not match the request. Ask the operator of this service.",
} as const;

/**
 * Returns the ServiceError `source` with a code of {@link originErrors}. `retryAfterMs`: time after which the
 * server wants to be asked again.
 */
export function originError(
  code: keyof typeof originErrors,
  cause?: unknown,
  retryAfterMs?: number,
): ServiceError {
  const retryAfter = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
  return new ServiceError("source", originErrors[code], { code, cause, retryAfter });
}
