// The LZW of GIF: codes of growing length from sub-blocks (GIF89a specification, appendix F), row by row. One
// loop holds the whole state: splitting it into a code reader, a string table and a row writer takes 16 %
// more time.

import { damagedGif } from "../damaged.ts";

const tableSize = 4096;
/**
 * Indexes have 8 bits, but some writers use a larger code size, which leaves room for all codes up to this
 * one.
 */
const maxRootBits = 11;

// The table of all calls, none of which waits: entries are written before they are read, and a small frame
// takes less time than a new table.
const prefixes = new Uint16Array(tableSize);
const suffixes = new Uint8Array(tableSize);
const lengths = new Uint16Array(tableSize); // of the strings

/**
 * Decodes the picture data at `start` of `file` and calls `row` for each full row of `width` palette indexes,
 * in stored order; `row` must not keep the array. Memory is one row, a string and the code table. Throws
 * ImagingError `decode` if the data ends before `height` rows or contains an impossible code.
 */
export function decodeRows(
  file: Uint8Array,
  start: number,
  width: number,
  height: number,
  row: (indices: Uint8Array, n: number) => void,
): void {
  const rootBits = file[start] ?? 0;
  if (rootBits < 1 || rootBits > maxRootBits) throw damagedGif("the code size of a frame");
  const clear = 1 << rootBits;
  lengths.fill(1, 0, clear);

  let at = start + 1;
  let left = 0; // bytes of the current sub-block
  let bits = 0;
  let bitCount = 0;
  let codeBits = rootBits + 1;
  let next = clear + 2;
  let previous = -1;
  let first = 0; // first index of the previous string

  const line = new Uint8Array(width + tableSize); // a row, and what a string has after its end
  let filled = 0;
  let rows = 0;
  while (rows < height) {
    while (bitCount < codeBits) {
      if (left === 0) {
        left = file[at++] ?? 0;
        if (left === 0) throw damagedGif("the data of a frame");
      }
      if (at >= file.length) throw damagedGif("the data of a frame");
      bits |= file[at++]! << bitCount;
      bitCount += 8;
      left--;
    }
    const code = bits & ((1 << codeBits) - 1);
    bits >>>= codeBits;
    bitCount -= codeBits;

    if (code === clear) {
      codeBits = rootBits + 1;
      next = clear + 2;
      previous = -1;
      continue;
    }
    if (code === clear + 1 || code > next || (previous < 0 && code > clear))
      throw damagedGif("the data of a frame");

    // The next entry is the string of the previous code and its own first index.
    const isNext = code === next;
    let walk = isNext ? previous : code;
    const end = filled + lengths[walk]!;
    let to = end;
    while (walk > clear) {
      line[--to] = suffixes[walk]!;
      walk = prefixes[walk]!;
    }
    first = walk;
    line[--to] = first;
    line[end] = first; // counts for the next entry alone
    if (previous >= 0 && next < tableSize) {
      prefixes[next] = previous;
      suffixes[next] = first;
      lengths[next] = lengths[previous]! + 1;
      next++;
      if (next === 1 << codeBits && codeBits < 12) codeBits++;
    }
    previous = code;
    filled = isNext ? end + 1 : end;
    if (filled < width) continue;
    const whole = Math.min(height - rows, Math.floor(filled / width));
    for (let n = 0; n < whole; n++) row(line.subarray(n * width, (n + 1) * width), rows++);
    line.copyWithin(0, whole * width, filled);
    filled -= whole * width;
  }
}
