// The bytes of masters for as long as a client takes to read them.

import { type ByteRange, sourceChangedError } from "../../base/index.ts";
import type { Caller } from "../access/access.ts";
import type { GrantedMaster } from "../images/describe.ts";
import { type OpenParts, withMaster } from "../images/open.ts";
import { bytesFrom, type Section } from "./pieces.ts";

/** Bytes that are read together. */
const readBytes = 256 * 1024;

/** Yields what `read` makes of a master, which stays open meanwhile. Throws what both throw. */
export async function* fromMaster<T>(
  parts: OpenParts,
  caller: Caller,
  read: (master: GrantedMaster) => AsyncIterable<T>,
): AsyncGenerator<T> {
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  let held: Promise<void> | undefined;
  const master = await new Promise<GrantedMaster>((resolve, reject) => {
    held = withMaster(parts, caller, (opened) => {
      resolve(opened);
      return closed;
    });
    held.catch(reject);
  });
  try {
    yield* read(master);
  } finally {
    close();
    await held;
  }
}

/** What is taken of a master. */
interface Taken {
  readonly ranges: readonly ByteRange[];
  /** Returns a function that all bytes have to pass in their order. */
  readonly blank?: (() => (part: Uint8Array) => Uint8Array) | undefined;
}

/**
 * Returns ranges of a master as a section of a file. Its reader throws `changed` if the master has another
 * validator by then, ends early, or was replaced before its last bytes are passed on.
 */
export function sectionOf(
  parts: OpenParts,
  caller: Caller,
  validator: string,
  { ranges, blank }: Taken,
): Section {
  const read = (from: number) =>
    fromMaster(parts, caller, async function* ({ validator: now, image }) {
      if (now !== validator) throw sourceChangedError();
      let start = 0;
      const end = (ranges.at(-1)?.offset ?? 0) + (ranges.at(-1)?.length ?? 0);
      for (const { offset, length } of ranges) {
        for (let at = Math.max(0, from - start); at < length; ) {
          const wanted = Math.min(readBytes, length - at);
          const bytes = await image.bytes.read(offset + at, wanted, caller.signal);
          at += bytes.length;
          // What was sent may be of two files.
          const isLast = offset + at === end;
          if (bytes.length === 0 || (isLast && (await image.hasChanged?.()) === true))
            throw sourceChangedError();
          yield bytes;
        }
        start += length;
      }
    });
  return {
    length: ranges.reduce((sum, { length }) => sum + length, 0),
    // What is cleared follows from all bytes before.
    read: (from) => (blank ? bytesFrom(from, eachPart(read(0), blank())) : read(from)),
  };
}

async function* eachPart(
  parts: AsyncIterable<Uint8Array>,
  change: (part: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield change(part);
}
