// One ranged GET request: its headers, its retries, and the meaning of its response (RFC 9110, sections 13 to
// 15).

import { cancelledError, ServiceError } from "../errors.ts";
import type { TraceHeaders } from "../lib/telemetry/trace-context.ts";
import { pacedBody } from "./paced-body.ts";
import { originError, type RemoteAnswer, type RemoteFacts, type RemoteRange } from "./remote.ts";

/** Sends one GET request with these headers, which include the range. Redirects are not followed. */
export type SendGet = (headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>;

export interface RangeRequest {
  /** Range to request; undefined for the whole master in one response. */
  readonly range: RemoteRange | undefined;
  readonly known?: { readonly facts: RemoteFacts; readonly purpose: "read" | "check" } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Trace headers to send with the request. */
  readonly traceHeaders?: TraceHeaders | undefined;
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
/** Milliseconds to which a longer Retry-After is shortened. */
const longestPauseMs = 5_000;

/** Failure of an attempt that may be temporary. */
class Passing extends Error {
  readonly pauseMs: number | undefined;
  constructor(message: string, options: { cause?: unknown; pauseMs?: number | undefined } = {}) {
    super(message, { cause: options.cause });
    this.pauseMs = options.pauseMs;
  }
}

/**
 * Returns the response to a GET request, which is usually ranged, with retries if they may help. The body of
 * a range is read completely and checked against its announced length. Throws ServiceError `source` and
 * `cancelled`.
 */
export async function getRange(
  send: SendGet,
  request: RangeRequest,
  policy: RetryPolicy = usualRetries,
): Promise<RemoteAnswer> {
  const { signal } = request;
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) throw cancelledError(signal);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error("no answer in time")), policy.attemptMs);
    const leave = () => limit.abort(signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      const answer = await once(send, request, limit.signal);
      if (answer.kind !== "whole") return answer;
      return { ...answer, body: pacedBody(answer.body, policy.attemptMs, signal) };
    } catch (error) {
      if (signal?.aborted) throw cancelledError(signal);
      if (error instanceof ServiceError) throw error;
      if (attempt >= policy.attempts) throw originError("origin_unavailable", error);
      const told = error instanceof Passing ? error.pauseMs : undefined;
      const pause = policy.pauseMs * 2 ** (attempt - 1) * (0.5 + 0.5 * (policy.random ?? Math.random)());
      await sleep(Math.max(pause, Math.min(told ?? 0, longestPauseMs)), signal);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  }
}

async function once(send: SendGet, request: RangeRequest, signal: AbortSignal): Promise<RemoteAnswer> {
  const headers = rangeHeaders(request);
  const response = await send(headers, signal);
  const drop = () => response.body?.cancel().catch(() => {});
  const { status } = response;
  const told = `status ${status} ${response.statusText}`.trimEnd();
  const { range } = request;
  if (status === 206 && range) return part(response, range);
  if (status === 200) return whole(response);
  await drop();
  const conditional = "If-None-Match" in headers || "If-Modified-Since" in headers;
  if (status === 304 && conditional) return { kind: "unchanged" };
  if (status === 404 || status === 410) return { kind: "absent" };
  // Even the first byte of an empty file is out of range; at any other offset, status 416 means that the file
  // has become shorter.
  if (status === 416 && range?.offset === 0 && isOfNothing(response))
    return { kind: "part", facts: factsOf(response, 0, true), offset: 0, bytes: new Uint8Array() };
  if ((status === 416 && range && range.offset > 0) || status === 412) return { kind: "changed" };
  if (status === 401 || status === 403 || status === 407) throw originError("origin_denied", told);
  if (passing.has(status)) throw new Passing(told, { pauseMs: retryAfter(response) });
  throw originError("origin_bad_answer", told);
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
  } else if (etag !== undefined && !etag.startsWith("W/")) headers["If-Range"] = etag; // weak tags are not allowed in If-Range
  return headers;
}

/** True if a 416 response says that the file is empty (RFC 9110, section 14.4). */
const isOfNothing = (response: Response) =>
  /^bytes \*\/0$/.test(response.headers.get("content-range")?.trim() ?? "");

async function part(response: Response, asked: RemoteRange): Promise<RemoteAnswer> {
  const [, first, last, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("content-range")?.trim() ?? "") ?? [];
  const offset = Number(first);
  const size = Number(total);
  const length = Number(last) - offset + 1;
  const expected = Math.min(asked.length, size - asked.offset);
  const fits = Number.isSafeInteger(size) && offset === asked.offset && length >= 1 && length <= expected;
  if (!fits) {
    await response.body?.cancel().catch(() => {});
    throw originError("origin_bad_answer", `content-range ${response.headers.get("content-range")}`);
  }
  await refuseForeign(response);
  const bytes = await bodyOf(response, length);
  return { kind: "part", facts: factsOf(response, size, true), offset, bytes };
}

async function whole(response: Response): Promise<RemoteAnswer> {
  await refuseForeign(response);
  const announced = response.headers.get("content-length");
  const length = announced !== null && /^\d+$/.test(announced) ? Number(announced) : undefined;
  const body = response.body ?? new Blob([]).stream();
  return { kind: "whole", facts: factsOf(response, length ?? 0, false), length, body };
}

/**
 * Throws if the response is a web page, which is an error in disguise, or compressed, so that its bytes
 * differ from those of the file.
 */
async function refuseForeign(response: Response): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  const coding = response.headers.get("content-encoding") ?? "identity";
  const page = /^(text\/html|application\/xhtml)/i.test(type);
  if (!page && /^(identity)?$/i.test(coding)) return;
  await response.body?.cancel().catch(() => {});
  if (page) throw originError("origin_not_image", `content-type ${type}`);
  throw originError("origin_bad_answer", `content-encoding ${coding}`);
}

/**
 * Reads exactly `length` bytes. Throws a temporary error for any other length, since the body was then
 * truncated or corrupted on its way.
 */
async function bodyOf(response: Response, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let at = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || !value) break;
    if (at + value.length > length) {
      await reader?.cancel().catch(() => {});
      throw new Passing(`more than the ${length} bytes that were announced`);
    }
    bytes.set(value, at);
    at += value.length;
  }
  if (at < length) throw new Passing(`${at} of ${length} bytes`);
  return bytes;
}

function factsOf(response: Response, size: number, ranges: boolean): RemoteFacts {
  const etag = response.headers.get("etag") || undefined;
  const modified = Date.parse(response.headers.get("last-modified") ?? "");
  const sent = Date.parse(response.headers.get("date") ?? "");
  // A date identifies a state only after its second is over (RFC 9110, section 8.8.2.2); some servers send
  // the current date with each response.
  const mayChange = etag === undefined && sent - modified < 1000;
  return {
    size,
    ranges,
    ...(etag !== undefined && { etag }),
    ...(!Number.isNaN(modified) && !mayChange && { modified }),
  };
}

/** Returns Retry-After in milliseconds if the header is a number of seconds; undefined otherwise. */
function retryAfter(response: Response): number | undefined {
  const seconds = response.headers.get("retry-after");
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

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
