// A master that comes in one answer, from origins without ranges and for what has to be held as a whole.

import { ServiceError } from "../../errors.ts";
import { originError, type RemoteAnswer } from "../remote.ts";

export type Whole = Extract<RemoteAnswer, { kind: "whole" }>;

/**
 * The bytes of a whole answer in blocks of `blockSize`, the last one shorter. Leaving the loop early cancels the answer. Throws
 * ServiceError `source`: origin_too_large above `most` bytes, origin_bad_answer where an error document stands in place of the master,
 * origin_unavailable where the body breaks off or has not the length that was announced.
 */
export async function* wholeBlocks(
  { body, length }: Whole,
  blockSize: number,
  most: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let block = new Uint8Array(blockSize);
  let filled = 0;
  let total = 0;
  let count = 0;
  try {
    if (length !== undefined && length > most) throw tooLarge(length);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      total += value.length;
      checkTotal(total, length, most);
      for (let at = 0; at < value.length; ) {
        const part = value.subarray(at, at + blockSize - filled);
        block.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < blockSize) continue;
        if (count++ === 0) refuseErrorDocument(block);
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
  if (count === 0) refuseErrorDocument(last);
  yield last;
}

/** The error of a master that has to be held as a whole and is too large for that. */
export const tooLarge = (size: number) => originError("origin_too_large", `${size} bytes`);

/** S3 may find out that a request failed after it has sent status 200: the body is then an XML document with the error. */
function refuseErrorDocument(beginning: Uint8Array): void {
  const text = String.fromCharCode(...beginning.subarray(0, 512));
  if (/^\s*(<\?xml[^>]*>\s*)?<Error[\s>]/.test(text))
    throw originError("origin_bad_answer", "an error document with status 200");
}

/** Throws where more came than was announced, or than may come. */
function checkTotal(total: number, length: number | undefined, most: number): void {
  if (length !== undefined && total > length) throw new Error(`more than ${length} bytes`);
  if (total > most) throw tooLarge(total);
}
