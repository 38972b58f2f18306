// LZW with codes from the high bit and the early change of width: TIFF 6.0 section 13.

import { damaged } from "./ifd.ts";

const CLEAR = 256;
const END = 257;
const FIRST = 258;

/** The first `length` decompressed bytes. Throws ServiceError `decode` on an impossible code or when there are fewer. */
export function lzw(data: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  // A string is a stretch of the output already written: where it begins and how long it is.
  const starts = new Uint32Array(4097);
  const lengths = new Uint32Array(4097);
  let next = FIRST;
  let width = 9;
  let bits = 0;
  let held = 0;
  let at = 0;
  let filled = 0;
  let previous = -1; // where the string of the code before begins; -1 after a clear
  let previousLength = 0;
  while (filled < length) {
    while (held < width && at < data.length) {
      bits = ((bits << 8) | (data[at++] as number)) & 0xffffff;
      held += 8;
    }
    if (held < width) break;
    held -= width;
    const code = (bits >> held) & ((1 << width) - 1);
    if (code === END) break;
    if (code === CLEAR) {
      next = FIRST;
      width = 9;
      previous = -1;
      continue;
    }
    const begin = filled;
    let run = 1;
    if (code < CLEAR) out[filled] = code;
    else {
      // The string after next is the one before plus its own first byte; it is being written as it is read.
      const known = code < next;
      if (previous < 0 || code > next || (!known && next > 4095))
        throw damaged("known codes in an LZW block", `code ${code} where ${next - 1} is the last`);
      const from = known ? (starts[code] as number) : previous;
      run = known ? (lengths[code] as number) : previousLength + 1;
      const end = Math.min(run, length - filled);
      for (let i = 0; i < end; i++) out[filled + i] = out[from + i] as number;
    }
    filled += run;
    if (previous >= 0 && next < 4096) {
      starts[next] = previous;
      lengths[next] = previousLength + 1;
      next++;
      if (next >= (1 << width) - 1 && width < 12) width++;
    }
    previous = begin;
    previousLength = run;
  }
  if (filled < length) throw damaged(`${length} bytes in an LZW block`, `${filled}`);
  return out;
}
