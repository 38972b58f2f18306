// LZW of TIFF 6.0 section 13, with codes from the high bit that widen one code early, and of writers before
// TIFF 5.0.

import { damagedError } from "../directory/ifd.ts";
import type { BlockReader, StoredBlock } from "./block.ts";

const CLEAR = 256;
const END = 257;
const FIRST = 258;
const CODES = 4096;

/**
 * True if codes begin at the low bit and grow wider as late as possible, as in GIF. A block begins with the
 * code that clears the table, 256 in 9 bits, so its first bytes decide.
 */
const isOldStyle = (data: Uint8Array) => data[0] === 0 && ((data[1] ?? 0) & 1) === 1;

/**
 * Decompresses a block. Reading throws ImagingError `decode` on an impossible code or when the block has
 * fewer bytes.
 */
export function lzw({ data, length }: StoredBlock): BlockReader {
  const lowFirst = isOldStyle(data);
  const early = lowFirst ? 0 : 1;
  // A string is that of another code and one more byte; its first byte and its length are stored too.
  const prefixes = new Uint16Array(CODES);
  const lasts = Uint8Array.from({ length: CODES }, (_, i) => i);
  const firsts = lasts.slice();
  const lengths = new Uint16Array(CODES).fill(1, 0, CLEAR);
  /** The end of a string that exceeded the requested length. */
  const rest = new Uint8Array(CODES);
  let restAt = CODES;
  let next = FIRST;
  let width = 9;
  let bits = 0;
  let held = 0;
  let at = 0;
  let total = 0;
  let previous = -1; // the previous code; -1 after a clear

  const write = (code: number, into: Uint8Array, end: number): void => {
    let from = code;
    for (let i = end - 1, first = end - (lengths[code] as number); i >= first; i--) {
      into[i] = lasts[from] as number;
      from = prefixes[from] as number;
    }
  };

  /** Adds the string made by the previous code and this one, if there is room. */
  const learn = (code: number): void => {
    prefixes[next] = previous;
    firsts[next] = firsts[previous] as number;
    // The string after next begins like the one before: it is read while it is being written.
    lasts[next] = firsts[code < next ? code : previous] as number;
    lengths[next] = (lengths[previous] as number) + 1;
    next++;
    if (next >= (1 << width) - early && width < 12) width++;
  };

  /** Returns the next code; the end code at the end of the data. */
  const take = (): number => {
    while (held < width && at < data.length) {
      const byte = data[at++] as number;
      bits = lowFirst ? bits | (byte << held) : ((bits << 8) | byte) & 0xffffff;
      held += 8;
    }
    if (held < width) return END;
    held -= width;
    const code = (lowFirst ? bits : bits >> held) & ((1 << width) - 1);
    if (lowFirst) bits >>= width;
    return code;
  };

  return {
    read(into) {
      let filled = Math.min(CODES - restAt, into.length);
      into.set(rest.subarray(restAt, restAt + filled));
      restAt += filled;
      while (filled < into.length) {
        const code = take();
        if (code === END) throw damagedError(`${length} bytes in an LZW block`, `${total + filled}`);
        if (code === CLEAR) {
          next = FIRST;
          width = 9;
          previous = -1;
          continue;
        }
        const known = next;
        if (previous >= 0 && next < CODES) learn(code);
        if (code >= next)
          throw damagedError("known codes in an LZW block", `code ${code} where ${known - 1} is the last`);
        const run = lengths[code] as number;
        previous = code;
        if (filled + run <= into.length) {
          if (run === 1) into[filled] = code;
          else write(code, into, filled + run);
          filled += run;
          continue;
        }
        write(code, rest, CODES);
        restAt = CODES - run + into.length - filled;
        into.set(rest.subarray(CODES - run, restAt), filled);
        filled = into.length;
      }
      total += filled;
    },
  };
}
