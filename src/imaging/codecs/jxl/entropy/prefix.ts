// Prefix codes of JPEG XL: those of Brotli (ISO/IEC 18181-1, C.2.4; RFC 7932, 3.4 and 3.5).

import { damagedJxl } from "../../damaged.ts";
import type { BitReader } from "../read-bits.ts";

const maxLength = 15;
/** Order of the lengths of the code for lengths. */
const order = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/** Lengths of the codes with two bits, three and four. */
const lengthCodes: readonly (readonly [bits: number, code: number, length: number])[] = [
  [2, 0, 0],
  [2, 2, 3],
  [2, 1, 4],
  [3, 3, 2],
  [4, 7, 1],
  [4, 15, 5],
];

/** A canonical code: the number of codes of each length, and the symbols by length and value. */
export interface PrefixCode {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/** Returns the next symbol. Throws ImagingError `decode` for bits that are no code. */
export function readSymbol(bits: BitReader, { counts, symbols }: PrefixCode): number {
  if (symbols.length === 1) return symbols[0]!;
  let [code, first, index] = [0, 0, 0];
  for (let length = 1; length <= maxLength; length++) {
    code = code * 2 + bits.take(1);
    const count = counts[length]!;
    if (code - first < count) return symbols[index + code - first]!;
    index += count;
    first = (first + count) * 2;
  }
  throw damagedJxl("a symbol of its prefix code");
}

/** Returns a code for symbols below `size`. Throws ImagingError `decode` for one that is not complete. */
export function readPrefixCode(bits: BitReader, size: number): PrefixCode {
  if (size === 1) return codeOf(Uint8Array.of(1));
  const skipped = bits.take(2);
  return skipped === 1 ? readSimple(bits, size) : readLengths(bits, size, skipped);
}

function codeOf(lengths: Uint8Array): PrefixCode {
  const counts = new Uint16Array(maxLength + 1);
  const symbols: number[] = [];
  for (let length = 1; length <= maxLength; length++)
    for (const [symbol, each] of lengths.entries())
      if (each === length) {
        counts[length]!++;
        symbols.push(symbol);
      }
  return { counts, symbols: Uint16Array.from(symbols) };
}

/** Lengths of the codes of up to four symbols; four of them have one of two forms. */
const simpleLengths = [[1], [1, 1], [1, 2, 2], [2, 2, 2, 2], [1, 2, 3, 3]];

function readSimple(bits: BitReader, size: number): PrefixCode {
  const count = bits.take(2) + 1;
  const width = Math.ceil(Math.log2(size));
  const named = Array.from({ length: count }, () => bits.take(width));
  if (named.some((symbol) => symbol >= size) || new Set(named).size < count)
    throw damagedJxl(`different symbols below ${size}`);
  const form = simpleLengths[count === 4 && bits.flag() ? 4 : count - 1]!;
  const lengths = new Uint8Array(size);
  for (const [i, symbol] of named.entries()) lengths[symbol] = form[i]!;
  return codeOf(lengths);
}

function readLengthCode(bits: BitReader, skipped: number): PrefixCode {
  const lengths = new Uint8Array(order.length);
  let space = 32;
  for (const symbol of order.slice(skipped)) {
    let [value, count] = [0, 0];
    let found: (typeof lengthCodes)[number] | undefined;
    while (!found && count < 4) {
      value |= bits.take(1) << count++;
      found = lengthCodes.find(([width, code]) => width === count && code === value);
    }
    const length = found![2];
    lengths[symbol] = length;
    if (length > 0) space -= 32 >> length;
    if (space <= 0) break;
  }
  const used = lengths.filter((length) => length > 0).length;
  if (used !== 1 && space !== 0) throw damagedJxl("a complete code of lengths");
  return codeOf(lengths);
}

function readLengths(bits: BitReader, size: number, skipped: number): PrefixCode {
  const code = readLengthCode(bits, skipped);
  const lengths = new Uint8Array(size);
  let space = 32_768;
  let [previous, repeated, repeats] = [8, 0, 0];
  for (let at = 0; at < size && space > 0; ) {
    const symbol = readSymbol(bits, code);
    if (symbol < 16) {
      repeats = 0;
      lengths[at++] = symbol;
      if (symbol > 0) {
        previous = symbol;
        space -= 32_768 >> symbol;
      }
      continue;
    }
    const extra = symbol === 16 ? 2 : 3;
    const length = symbol === 16 ? previous : 0;
    if (repeated !== length) repeats = 0;
    repeated = length;
    const before = repeats;
    repeats = (repeats > 0 ? (repeats - 2) * 2 ** extra : 0) + 3 + bits.take(extra);
    const count = repeats - before;
    if (at + count > size) throw damagedJxl(`at most ${size} lengths`);
    lengths.fill(length, at, at + count);
    at += count;
    if (length > 0) space -= (32_768 >> length) * count;
  }
  if (space !== 0) throw damagedJxl("a complete prefix code");
  return codeOf(lengths);
}
