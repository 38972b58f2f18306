// One ranged GET request: its headers, and its retries (RFC 9110, sections 13 and 14).

import { type ByteRange, cancelledError, ServiceError, type TraceHeaders } from "../../base/index.ts";
import { pacedBody } from "./paced-body.ts";
import {
  drop,
  factsOf,
  lengthOf,
  Passing,
  partOf,
  readWholeMaster,
  retryAfterMs,
  type UnsizedPart,
} from "./range-response.ts";
import { originError, type RemoteFacts, type RemoteResponse, sameState } from "./remote.ts";

/** Sends one GET request with these headers, which include the range. Redirects are not followed. */
export type SendGet = (headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>;

export interface RangeRequest {
  /** Range to request; undefined for the whole master in one response. */
  readonly range: ByteRange | undefined;
  readonly known?: { readonly facts: RemoteFacts; readonly purpose: "read" | "check" } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Trace headers to send with the request. */
  readonly traceHeaders?: TraceHeaders | undefined;
  /** Statuses that may refuse the range alone; those of web servers if absent. */
  readonly refusals?: ReadonlySet<number>;
}

export interface RetryPolicy {
  /** Maximum number of attempts. */
  readonly attempts: number;
  /** Milliseconds of one attempt, including its body; for a whole master, of each MiB. */
  readonly attemptMs: number;
  /**
   * Milliseconds of the pause before the second attempt. It doubles with each further attempt, and is
   * shortened by a random part so that clients do not retry simultaneously.
   */
  readonly pauseMs: number;
  readonly random?: () => number;
}

export const usualRetries: RetryPolicy = { attempts: 3, attemptMs: 20_000, pauseMs: 150 };

/** Statuses after which the same request may succeed a little later. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Statuses of servers that have too much to do. */
const overloaded: ReadonlySet<number | undefined> = new Set([429, 503]);
/** Statuses with which web servers refuse a range that they do not want to send. */
const usualRefusals: ReadonlySet<number> = new Set([400, 403, 405, 406, 416, 500, 501]);
/** A request does not wait for longer than this, in milliseconds, if Retry-After demands it. */
const maxPauseMs = 5_000;

/**
 * Returns the response to a GET request, which is usually ranged, with retries if they may help, and without
 * the range if that seems to be what the server refuses. The body of a range is read completely and checked
 * against its announced length. Throws ServiceError `source` and `cancelled`.
 */
export async function getRange(
  send: SendGet,
  request: RangeRequest,
  policy: RetryPolicy = usualRetries,
): Promise<RemoteResponse> {
  const { signal } = request;
  let asked = request;
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw cancelledError(signal);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error("no answer in time")), policy.attemptMs);
    const leave = () => limit.abort(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      const response = await requestOnce(send, asked, limit.signal);
      if (response.kind !== "whole") return response;
      return { ...response, body: pacedBody(response.body, policy.attemptMs, signal) };
    } catch (error) {
      if (signal?.aborted) throw cancelledError(signal);
      const next = afterFailure(error, asked, attempt, policy);
      asked = next.request;
      await sleep(next.pauseMs, signal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  }
}

/** Returns the next attempt after a failed one, or throws its error if there is none. */
function afterFailure(
  error: unknown,
  request: RangeRequest,
  attempt: number,
  { attempts, pauseMs, random = Math.random }: RetryPolicy,
): { readonly request: RangeRequest; readonly pauseMs: number } {
  if (error instanceof ServiceError) throw error;
  const isLast = attempt >= attempts;
  if (error instanceof RangeRefused || (isLast && mayRefuseRanges(request, error)))
    return { request: { ...request, range: undefined }, pauseMs: 0 };
  const askedMs = error instanceof Passing ? (error.retryAfterMs ?? 0) : 0;
  if (isLast || askedMs > maxPauseMs) throw unavailableError(error);
  return { request, pauseMs: Math.max(askedMs, pauseMs * 2 ** (attempt - 1) * (0.5 + 0.5 * random())) };
}

/** Returns the error of a server that does not respond, which keeps the time that an overloaded one names. */
function unavailableError(error: unknown): ServiceError {
  if (!(error instanceof Passing) || !overloaded.has(error.status))
    return originError("origin_unavailable", error);
  return originError("origin_unavailable", error, error.retryAfterMs);
}

/** A refusal that may be one of the range alone. */
class RangeRefused extends Error {}

/** True if the server has not shown yet that it sends ranges of this master. */
const isRangeDoubtful = ({ range, known }: RangeRequest) => range !== undefined && !known?.facts.ranges;

/** Some servers fail if they are asked for a range; usually, the same status is a failure that passes. */
const mayRefuseRanges = (request: RangeRequest, error: unknown) =>
  isRangeDoubtful(request) &&
  error instanceof Passing &&
  error.status === 500 &&
  (request.refusals ?? usualRefusals).has(500);

async function requestOnce(
  send: SendGet,
  request: RangeRequest,
  signal: AbortSignal,
): Promise<RemoteResponse> {
  const headers = rangeHeaders(request);
  const response = await send(headers, signal);
  const { status } = response;
  const askedMs = `status ${status} ${response.statusText}`.trimEnd();
  const { range, refusals = usualRefusals } = request;
  if (status === 206 && range) {
    const part = await partOf(response, range);
    return part.kind === "unsized" ? completeSize(part, range, send, request, signal) : part;
  }
  if (status === 200) return readWholeMaster(response);
  await drop(response);
  const conditional = "If-None-Match" in headers || "If-Modified-Since" in headers;
  if (status === 304 && conditional) return { kind: "unchanged" };
  if (status === 404 || status === 410) return { kind: "absent" };
  // Even the first byte of an empty file is out of range; at any other offset, status 416 means that the file
  // has become shorter.
  if (status === 416 && range?.offset === 0 && isOfNothing(response))
    return { kind: "part", facts: factsOf(response, 0, true), offset: 0, bytes: new Uint8Array() };
  if (status !== 500 && refusals.has(status) && isRangeDoubtful(request)) throw new RangeRefused(askedMs);
  if ((status === 416 && range && range.offset > 0) || status === 412) return { kind: "changed" };
  if (status === 401 || status === 403 || status === 407) throw originError("origin_denied", askedMs);
  if (passing.has(status)) throw new Passing(askedMs, { status, retryAfterMs: retryAfterMs(response) });
  throw originError("origin_bad_answer", askedMs);
}

/**
 * Completes a part whose response does not tell the size of the master: by the known state if it is the same,
 * else by a request for the whole, whose body is read only if its length is not announced either.
 */
async function completeSize(
  { facts, bytes }: UnsizedPart,
  range: ByteRange,
  send: SendGet,
  request: RangeRequest,
  signal: AbortSignal,
): Promise<RemoteResponse> {
  const part = (size: number): RemoteResponse => {
    if (bytes.length !== Math.min(range.length, size - range.offset))
      throw originError("origin_bad_answer", `${bytes.length} bytes of ${size} from ${range.offset}`);
    return { kind: "part", facts: { ...facts, size }, offset: range.offset, bytes };
  };
  const knownSize = request.known?.facts.size ?? 0;
  if (request.known && sameState({ ...facts, size: knownSize }, request.known.facts)) return part(knownSize);
  const response = await send(rangeHeaders({ ...request, range: undefined, known: undefined }), signal);
  const size = lengthOf(response);
  if (response.status !== 200) {
    await drop(response);
    throw originError("origin_bad_answer", `status ${response.status} without a range`);
  }
  const whole = size === undefined ? undefined : factsOf(response, size, true);
  if (!whole || !sameState({ ...facts, size: whole.size }, whole)) return readWholeMaster(response);
  await drop(response);
  return part(whole.size);
}

/** Returns the headers of a request. Compression is refused, since ranges count the bytes of the file. */
function rangeHeaders({ range, known, traceHeaders }: RangeRequest): Record<string, string> {
  const headers: Record<string, string> = {
    ...traceHeaders,
    "Accept-Encoding": "identity",
    ...(range && { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` }),
  };
  if (!known) return headers;
  const { etag, modified } = known.facts;
  if (known.purpose === "check") {
    if (etag !== undefined) headers["If-None-Match"] = etag;
    else if (modified !== undefined) headers["If-Modified-Since"] = new Date(modified).toUTCString();
  } else if (range && etag !== undefined && !etag.startsWith("W/")) headers["If-Range"] = etag; // no weak tags
  return headers;
}

/** True if a 416 response says that the file is empty (RFC 9110, section 14.4). */
const isOfNothing = (response: Response) =>
  /^bytes \*\/0$/i.test(response.headers.get("content-range")?.trim() ?? "");

/** Waits for `ms` milliseconds; ends early if the signal aborts. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
