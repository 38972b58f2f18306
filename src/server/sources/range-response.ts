// The meaning of a response to a GET request, which is usually ranged (RFC 9110, sections 13 to 15).

import type { ByteRange } from "../../base/index.ts";
import { isEncoded, isPage } from "./foreign-bytes.ts";
import { originError, type RemoteFacts, type RemoteResponse } from "./remote.ts";

/** Failure of an attempt that may be temporary. */
export class Passing extends Error {
  readonly status: number | undefined;
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    options: { cause?: unknown; status?: number; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A part of a master whose response does not say how long the master is. */
export interface UnsizedPart {
  readonly kind: "unsized";
  readonly facts: RemoteFacts;
  readonly bytes: Uint8Array;
}

/** Ends a response whose body is not read. */
export async function drop(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

/** Reads a 206 response. Throws ServiceError `source` if it is not the range that was asked for. */
export async function partOf(response: Response, asked: ByteRange): Promise<RemoteResponse | UnsizedPart> {
  const contentRange = response.headers.get("content-range");
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(contentRange?.trim() ?? "") ?? [];
  const offset = Number(first);
  const length = Number(last) - offset + 1;
  const size = total === "*" ? undefined : Number(total);
  const maxLength = Math.min(asked.length, (size ?? Number.MAX_SAFE_INTEGER) - asked.offset);
  const fits =
    total !== undefined &&
    (size === undefined || Number.isSafeInteger(size)) &&
    offset === asked.offset &&
    length >= 1 &&
    length <= maxLength;
  if (!fits) {
    await drop(response);
    throw originError("origin_bad_answer", `content-range ${contentRange}`);
  }
  const bytes = await bodyOf(response, length);
  // Later bytes belong to a master whose beginning was looked at.
  if (offset === 0) refuseForeign(response, bytes);
  else refuseEncoded(response, bytes);
  const facts = factsOf(response, size ?? 0, true);
  return size === undefined ? { kind: "unsized", facts, bytes } : { kind: "part", facts, offset, bytes };
}

/** Returns a 200 response as a whole master, once its first bytes have arrived. */
export async function readWholeMaster(
  response: Response,
): Promise<Extract<RemoteResponse, { kind: "whole" }>> {
  const length = lengthOf(response);
  const { first, body } = await readBeginning(response.body ?? new Blob([]).stream());
  try {
    refuseForeign(response, first);
  } catch (error) {
    await body.cancel().catch(() => {});
    throw error;
  }
  return { kind: "whole", facts: factsOf(response, length ?? 0, false), length, body };
}

/** Returns the announced length of a response; undefined if there is none. */
export function lengthOf({ headers }: Response): number | undefined {
  const announced = headers.get("content-length");
  return announced !== null && /^\d+$/.test(announced) ? Number(announced) : undefined;
}

function refuseForeign(response: Response, beginning: Uint8Array): void {
  refuseEncoded(response, beginning);
  const type = response.headers.get("content-type");
  if (isPage(beginning, type)) throw originError("origin_not_image", `a page of content-type ${type}`);
}

function refuseEncoded({ headers }: Response, beginning: Uint8Array): void {
  const coding = headers.get("content-encoding");
  if (isEncoded(coding, beginning)) throw originError("origin_bad_answer", `content-encoding ${coding}`);
}

/** Waits for the first bytes of a stream; returns them, and a stream of all. */
async function readBeginning(
  stream: ReadableStream<Uint8Array>,
): Promise<{ readonly first: Uint8Array; readonly body: ReadableStream<Uint8Array> }> {
  const reader = stream.getReader();
  let next: ReadableStreamReadResult<Uint8Array> | undefined = await reader.read();
  const first = next.value ?? new Uint8Array();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(to) {
        const { done, value } = next ?? (await reader.read());
        next = undefined;
        if (done) to.close();
        else to.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { first, body };
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

/** Returns what a response says of its master. */
export function factsOf(response: Response, size: number, ranges: boolean): RemoteFacts {
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

/**
 * Returns Retry-After in milliseconds, which is a number of seconds or a date (RFC 9110, section 10.2.3);
 * undefined without a usable one.
 */
export function retryAfterMs({ headers }: Response): number | undefined {
  const contentRange = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(contentRange)) return Number(contentRange) * 1000;
  const date = /^[A-Z][a-z]{2,8}, /.test(contentRange) ? Date.parse(contentRange) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
