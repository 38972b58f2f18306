// Converts coefficients to Huffman codes (ITU T.81, F.1.2), directly or through counted tokens, and bits to
// bytes (F.1.2.3). In one file because everything shares the state of the output.

import { BLOCK, CODES, CODES_TABLE, COUNTS, RUNS, RUNS_TABLE, STUFFING, VALUES, ZIGZAG_BYTES } from "./map";

/** Natural position of each coefficient in zigzag order. */
const NATURAL = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]);

/** Bits that wait for a whole word, right-aligned, and how many: below 32 between calls. */
let bits: u64 = 0;
let held: u32 = 0;

/** Words of 32 bits, first bit highest, in the machine's byte order: from `rawStart` up to `raw`. */
let rawStart: usize = 0;
let raw: usize = 0;

/** Finished bytes of the scan. */
let outStart: usize = 0;
let out: usize = 0;

/** Tokens: component's table << 24 | symbol << 16 | value bits. */
let tokenStart: usize = 0;
let token: usize = 0;
let coded: usize = 0;

export function startBits(rawArea: usize, outArea: usize): void {
  bits = 0;
  held = 0;
  rawStart = raw = rawArea;
  outStart = out = outArea;
}

export function startTokens(area: usize): void {
  tokenStart = token = coded = area;
  memory.fill(COUNTS, 0, 4 * CODES_TABLE);
}

/** First byte behind the tokens. */
export function tokensEnd(): usize {
  return token;
}

/** Forgets the tokens, not the counts. */
export function dropTokens(): void {
  token = tokenStart;
}

/** Bytes of the scan since the output was cleared. */
export function outputFill(): usize {
  return out - outStart;
}

export function clearOutput(): void {
  out = outStart;
}

/** Size and value bits of every coefficient that a byte holds for certain. */
export function prepareValues(): void {
  for (let value = -127; value < 127; value++) {
    const size = 32 - clz(abs(value));
    const low = (value + (value >> 31)) & ((1 << size) - 1);
    store<u32>(VALUES + ((value & 255) << 2), (size << 16) | low);
  }
  store<u32>(VALUES + (127 << 2), 0);
  store<u32>(VALUES + (128 << 2), 0);
}

/**
 * Joins AC codes and value bits of table 0 (luma) or 1 (chroma) for all runs and values that a byte holds.
 */
export function prepareRuns(table: i32): void {
  const codes = CODES + <usize>((table & 1) * 2 + 1) * CODES_TABLE;
  const runs = RUNS + <usize>(table & 1) * RUNS_TABLE;
  for (let run: u32 = 0; run < 16; run++) {
    for (let byte: u32 = 0; byte < 256; byte++) {
      const value = load<u32>(VALUES + (byte << 2));
      const size = value >> 16;
      const code = load<u32>(codes + (((run << 4) | size) << 2));
      const joined =
        size == 0 || code == 0 ? 0 : ((((code >> 5) << size) | (value & 0xffff)) << 5) | ((code & 31) + size);
      store<u32>(runs + (((run << 8) | byte) << 2), joined);
    }
  }
}

/**
 * Writes the codes of the block that transformBlock left. `difference` of its DC coefficient to the one
 * before, `nonzero` as transformBlock gave it; `table` 0 luma, 1 chroma. At most 209 bytes go to the raw
 * area, and a word behind them: a word is stored each time and counts when it is full, which is cheaper than
 * a branch that nothing predicts.
 */
export function writeBlock(table: usize, difference: i32, nonzero: u64): void {
  const codes = CODES + table * (2 * CODES_TABLE);
  const runs = RUNS + table * RUNS_TABLE;
  let acc = bits;
  let n = held;
  let full: u32;
  let p = raw;

  let size: u32 = 32 - clz(abs(difference));
  let code = load<u32>(codes + (size << 2));
  let length = (code & 31) + size;
  acc = (acc << length) | ((code >> 5) << size) | ((difference + (difference >> 31)) & ((1 << size) - 1));
  n += length;
  full = n & 32;
  n &= 31;
  store<u32>(p, <u32>(acc >> n));
  p += full >> 3;

  let rest = nonzero & ~(<u64>1);
  let last: u32 = 0;
  while (rest) {
    const k = <u32>ctz(rest);
    rest &= rest - 1;
    let run = k - last - 1;
    last = k;
    while (run > 15) {
      code = load<u32>(codes + CODES_TABLE + (0xf0 << 2));
      length = code & 31;
      acc = (acc << length) | (code >> 5);
      n += length;
      full = n & 32;
      n &= 31;
      store<u32>(p, <u32>(acc >> n));
      p += full >> 3;
      run -= 16;
    }
    code = load<u32>(runs + (((run << 8) | <u32>load<u8>(ZIGZAG_BYTES + k)) << 2));
    length = code & 31;
    if (code == 0) {
      // the byte is saturated: take the coefficient itself
      const value = <i32>load<i16>(BLOCK + ((<usize>load<u8>(NATURAL + k)) << 1));
      size = 32 - clz(abs(value));
      code = load<u32>(codes + CODES_TABLE + (((run << 4) | size) << 2));
      length = (code & 31) + size;
      code = (((code >> 5) << size) | ((value + (value >> 31)) & ((1 << size) - 1))) << 5;
    }
    acc = (acc << length) | (code >> 5);
    n += length;
    full = n & 32;
    n &= 31;
    store<u32>(p, <u32>(acc >> n));
    p += full >> 3;
  }
  if (last != 63) {
    code = load<u32>(codes + CODES_TABLE);
    length = code & 31;
    acc = (acc << length) | (code >> 5);
    n += length;
    full = n & 32;
    n &= 31;
    store<u32>(p, <u32>(acc >> n));
    p += full >> 3;
  }
  bits = acc;
  held = n;
  raw = p;
}

/**
 * Writes the code of a DC difference with table 0 luma or 1 chroma, then `length` bits that lie below `from`,
 * the first one highest in the last byte. Those bits go to the raw area, and two words behind them.
 */
export function writeCoded(table: usize, difference: i32, from: usize, length: u32): void {
  const size: u32 = 32 - clz(abs(difference));
  const code = load<u32>(CODES + table * (2 * CODES_TABLE) + (size << 2));
  const before = (code & 31) + size;
  let acc = (bits << before) | ((code >> 5) << size) | ((difference + (difference >> 31)) & ((1 << size) - 1));
  let n = held + before;
  let p = raw;
  store<u32>(p, <u32>(acc >> (n & 31)));
  p += (n & 32) >> 3;
  n &= 31;
  for (; length > 31; length -= 32, p += 4) {
    from -= 4;
    acc = (acc << 32) | <u64>load<u32>(from);
    store<u32>(p, <u32>(acc >> n));
  }
  acc = (acc << length) | (<u64>load<u32>(from - 4) >> (32 - length));
  n += length;
  store<u32>(p, <u32>(acc >> (n & 31)));
  p += (n & 32) >> 3;
  bits = acc;
  held = n & 31;
  raw = p;
}

/** Like writeBlock, but counts the symbols and keeps them as at most 64 tokens (256 bytes). */
export function countBlock(table: usize, difference: i32, nonzero: u64): void {
  const dc = (<u32>table) << 25;
  const ac = dc | (1 << 24);
  let p = token;

  let size: u32 = 32 - clz(abs(difference));
  let next = dc | (size << 16) | ((difference + (difference >> 31)) & ((1 << size) - 1));
  store<u32>(p, next);
  p += 4;
  let count = COUNTS + ((next >> 16) << 2);
  store<u32>(count, load<u32>(count) + 1);

  let rest = nonzero & ~(<u64>1);
  let last: u32 = 0;
  while (rest) {
    const k = <u32>ctz(rest);
    rest &= rest - 1;
    let run = k - last - 1;
    last = k;
    while (run > 15) {
      next = ac | (0xf0 << 16);
      store<u32>(p, next);
      p += 4;
      count = COUNTS + ((next >> 16) << 2);
      store<u32>(count, load<u32>(count) + 1);
      run -= 16;
    }
    let value = load<u32>(VALUES + ((<u32>load<u8>(ZIGZAG_BYTES + k)) << 2));
    if (value == 0) {
      const exact = <i32>load<i16>(BLOCK + ((<usize>load<u8>(NATURAL + k)) << 1));
      size = 32 - clz(abs(exact));
      value = (size << 16) | ((exact + (exact >> 31)) & ((1 << size) - 1));
    }
    next = ac | (run << 20) | value;
    store<u32>(p, next);
    p += 4;
    count = COUNTS + ((next >> 16) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  if (last != 63) {
    store<u32>(p, ac);
    p += 4;
    count = COUNTS + ((ac >> 16) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  token = p;
}

/** Writes the codes of up to `most` tokens; how many are left. At most 4 bytes each go to the raw area. */
export function writeTokens(most: usize): usize {
  let acc = bits;
  let n = held;
  let full: u32;
  let p = raw;
  let at = coded;
  const end = min(token, at + (most << 2));
  for (; at < end; at += 4) {
    const next = load<u32>(at);
    const symbol = next >> 16;
    const code = load<u32>(CODES + (symbol << 2));
    const size = symbol & 15;
    const length = (code & 31) + size;
    acc = (acc << length) | ((code >> 5) << size) | (next & 0xffff);
    n += length;
    full = n & 32;
    n &= 31;
    store<u32>(p, <u32>(acc >> n));
    p += full >> 3;
  }
  bits = acc;
  held = n;
  raw = p;
  coded = at;
  return (token - at) >> 2;
}

/** A byte of the scan and the zero that keeps 0xFF from being read as a marker. */
// @ts-ignore: decorator
@inline
function put(byte: u32): void {
  store<u8>(out, byte);
  out++;
  if (byte == 0xff) {
    store<u8>(out, 0);
    out++;
  }
}

/** Moves the whole words to the output: up to twice their bytes, and 16 of slack. */
export function flushWords(): void {
  const ones = i8x16.splat(-1);
  let to = out;
  for (let from = rawStart; from < raw; from += 16) {
    const v = i8x16.swizzle(v128.load(from), i8x16(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    const count = min<usize>(16, raw - from);
    if (count == 16 && !v128.any_true(i8x16.eq(v, ones))) {
      v128.store(to, v);
      to += 16;
      continue;
    }
    v128.store(STUFFING, v);
    for (let i: usize = 0; i < count; i++) {
      const byte = <u32>load<u8>(STUFFING + i);
      store<u8>(to, byte);
      to++;
      if (byte == 0xff) {
        store<u8>(to, 0);
        to++;
      }
    }
  }
  out = to;
  raw = rawStart;
}

/** Fills the last byte with ones and moves it and what else is held to the output: at most 8 bytes. */
export function flushBits(): void {
  const pad = (8 - (held & 7)) & 7;
  bits = (bits << pad) | ((1 << pad) - 1);
  held += pad;
  while (held >= 8) {
    held -= 8;
    put(<u32>(bits >> held) & 0xff);
  }
  bits = 0;
}
