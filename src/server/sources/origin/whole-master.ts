// Reads a master from one response, for origins without ranges and masters that have to be held as a whole.

import { formatSize, ServiceError } from "../../../base/index.ts";
import { isPage } from "../foreign-bytes.ts";
import { originError, type RemoteResponse } from "../remote.ts";

export type WholeResponse = Extract<RemoteResponse, { kind: "whole" }>;

/**
 * Yields the bytes of a whole response in blocks of `blockSize`, the last one shorter. If the consumer ends
 * early, the response is cancelled. Throws ServiceError `source` with the codes origin_too_large above `max`
 * bytes, origin_bad_answer if the response is an error document, origin_not_image if it is a web page, and
 * origin_unavailable if the body breaks off or does not have the announced length.
 */
export async function* wholeBlocks(
  { body, length }: WholeResponse,
  blockSize: number,
  max: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let block = new Uint8Array(blockSize);
  let filled = 0;
  let total = 0;
  let count = 0;
  try {
    if (length !== undefined && length > max) throw tooLarge(length, max);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      total += value.length;
      checkTotal(total, length, max);
      for (let at = 0; at < value.length; ) {
        const part = value.subarray(at, at + blockSize - filled);
        block.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < blockSize) continue;
        if (count++ === 0) refuseDocument(block);
        yield block;
        block = new Uint8Array(blockSize);
        filled = 0;
      }
    }
    if (length !== undefined && total !== length) throw new Error(`${total} of ${length} bytes`);
  } catch (error) {
    throw error instanceof ServiceError ? error : originError("origin_unavailable", error);
  } finally {
    await reader.cancel().catch(() => {});
  }
  if (filled === 0) return;
  const last = block.slice(0, filled);
  if (count === 0) refuseDocument(last);
  yield last;
}

/** Returns the error of a master that has to be held as a whole and is too large for that. */
export const tooLarge = (size: number, max: number) =>
  new ServiceError(
    "source",
    `An image that its server sends without ETag and Last-Modified, or without its length, may have at most ${formatSize(max)}; this one has more. Let that server send an ETag or Last-Modified, and the length, or raise max_held of the source.`,
    { code: "origin_too_large", cause: `${size} bytes` },
  );

/**
 * Throws if a response is an XML error document, since S3 may detect a failure only after it has sent status
 * 200, or a web page.
 */
function refuseDocument(beginning: Uint8Array): void {
  const text = String.fromCharCode(...beginning.subarray(0, 512));
  if (/^\s*(<\?xml[^>]*>\s*)?<Error[\s>]/.test(text))
    throw originError("origin_bad_answer", "an error document with status 200");
  // The first bytes that arrived were too few to show it.
  if (isPage(beginning, null)) throw originError("origin_not_image", "a page");
}

/** Throws if more bytes arrive than were announced, or than are allowed. */
function checkTotal(total: number, length: number | undefined, max: number): void {
  if (length !== undefined && total > length) throw new Error(`more than ${length} bytes`);
  if (total > max) throw tooLarge(total, max);
}
