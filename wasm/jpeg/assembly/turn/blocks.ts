// Recodes the AC coefficients of a block (ITU-T T.81, F.2.2.2 and F.1.2.2) in one pass: at other positions
// with other codes, or with their own codes if only signs change. DC follows later, in the transformed order.
// Both functions are in one file because they share the inlined parts of the bit reader.

import { bigEndian64 } from "../bits";
import { longSymbol } from "../huffman-read";
import { FAST_BITS, T_DC } from "../map";
import { C_DC, C_PREDICTOR, S_BIT, S_CHANGE, S_FLIP, S_PLACE, SPOT, SPOTS, VALUES } from "./map";
import { ENDS, FLIP, MISSING, MOST_BITS, T_MASKS, T_VALUES, valueOf, WIDTH, ZEROS } from "./tables";

/**
 * The bits ahead, the first one highest; their number; the position of the next byte. A walk hands them over
 * for each block.
 */
export let bits: u64 = 0;
export let bitCount: u32 = 0;
export let bitsAt: usize = 0;

/**
 * Set by data that no encoder of 8-bit samples writes: coefficients past the end, too large ones, bits that
 * are no code.
 */
export let unsound: bool = false;

/**
 * More than a block takes when it is written, even an unsound one: 63 codes of 31 bits with their values, and
 * an end.
 */
export const MOST_BYTES: usize = 256;

/** Numbers of coefficients are counted in spots; the last one. */
const LAST: usize = 63 * SPOT;

// @ts-ignore: decorator
@inline
export function setBits(ptr: usize, cnt: u32, buf: u64): void {
  bitsAt = ptr;
  bitCount = cnt;
  bits = buf;
}

export function beginSound(): void {
  unsound = false;
}

/** No sound DC values of 8-bit samples exceed this. */
const MOST: i32 = 1023;

/** Reads the DC value of the next block of a component: its difference from the last one (F.2.2.1). */
// @ts-ignore: decorator
@inline
export function readDc(c: usize): i32 {
  let ptr = bitsAt;
  let cnt = bitCount;
  let buf = bits | (bigEndian64(ptr) >> (cnt as u64));
  ptr += (63 - cnt) >> 3;
  cnt |= 56;
  const table: usize = load<u32>(c, C_DC);
  let dc = load<i32>(c, C_PREDICTOR);
  let entry: u32 = load<u32>(table + (((buf >> (64 - FAST_BITS)) as usize) << 2), T_DC);
  if (entry != 0) {
    buf <<= entry as u64;
    cnt -= entry & 63;
    dc += (entry as i32) >> 16;
  } else {
    entry = load<u16>(table + (((buf >> 54) as usize) << 1));
    if (entry == 0) entry = longSymbol(table, (buf >> 48) as u32);
    const size = entry >> 8;
    buf <<= (entry & 255) as u64;
    dc += extended(buf, size);
    buf <<= size as u64;
    cnt -= (entry & 255) + size;
  }
  if (dc > MOST || dc < -MOST - 1) unsound = true;
  store<i32>(c, dc, C_PREDICTOR);
  setBits(ptr, cnt, buf);
  return dc;
}

/** The value that the first `size` bits stand for (F.2.2.1, EXTEND). */
// @ts-ignore: decorator
@inline
function extended(buf: u64, size: u32): i32 {
  return (((buf >> 1) >> (63 - size)) as i32) + ((~((buf as i64) >> 63) as i32) & ((-1 << size) + 1));
}

/** Natural position of each coefficient in zigzag order, and the other way. */
const NATURAL = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]);
const ZIGZAG = memory.data(64);
for (let k: usize = 0; k < 64; k++) store<u8>(ZIGZAG + (load<u8>(NATURAL + k) as usize), k as u8);

/**
 * Places and signs: from stored to turned, first rows and columns change places (`swap`), then axes run
 * backwards.
 */
export function prepareSpots(swap: bool, flipX: bool, flipY: bool): void {
  for (let k: usize = 0; k < 256; k++) {
    const spot = SPOTS + SPOT * k;
    const natural: usize = k < 64 ? load<u8>(NATURAL + k) : 0;
    const x = swap ? natural >> 3 : natural & 7;
    const y = swap ? natural & 7 : natural >> 3;
    const turned: usize = k < 64 ? load<u8>(ZIGZAG + ((y << 3) | x)) : 64;
    const changes = (flipX ? x & 1 : 0) ^ (flipY ? y & 1 : 0);
    store<u64>(spot, k < 64 ? (1 as u64) << (turned as u64) : 0, S_BIT);
    store<u8>(spot, (2 * turned) as u8, S_PLACE);
    store<u16>(spot, (changes ? FLIP : 0) as u16, S_FLIP);
    store<u32>(spot, changes ? 0xffff0000 : 0, S_CHANGE);
  }
}

// @ts-ignore: decorator
@inline
function firstOf(pair: u64): usize {
  return ((pair >> 4) as usize) & 0xff0;
}

// @ts-ignore: decorator
@inline
function secondOf(pair: u64): usize {
  return ((pair >> 36) as usize) & 0xff0;
}

// @ts-ignore: decorator
@inline
function pairAt(table: usize, buf: u64): usize {
  return table + (((buf >> (64 - WIDTH)) as usize) << 3);
}

/** Keeps a value in its place with its sign; the bit for it. */
// @ts-ignore: decorator
@inline
function keep(k: usize, value: u32): u64 {
  store<u16>(load<u8>(k, SPOTS + S_PLACE) as usize, (value ^ (load<u16>(k, SPOTS + S_FLIP) as u32)) as u16, VALUES);
  return load<u64>(k, SPOTS + S_BIT);
}

/** Reads the coefficients of a block to VALUES; a bit for each that there is. */
// @ts-ignore: decorator
@inline
export function readValues(table: usize): u64 {
  let buf = bits;
  let cnt = bitCount;
  let ptr = bitsAt;
  let next = bigEndian64(ptr);
  let k: usize = 0;
  let mask: u64 = 0;
  let pair: u64 = 0;
  while (true) {
    buf |= next >> (cnt as u64);
    ptr += (63 - cnt) >> 3;
    cnt |= 56;
    next = bigEndian64(ptr);
    pair = load<u64>(pairAt(table, buf), T_VALUES);
    k += firstOf(pair);
    mask |= keep(k, (pair >> 16) as u32);
    k += secondOf(pair);
    mask |= keep(k, (pair >> 48) as u32);
    buf <<= pair;
    cnt -= (pair as u32) & 63;
    if (k < LAST) {
      pair = load<u64>(pairAt(table, buf), T_VALUES);
      k += firstOf(pair);
      mask |= keep(k, (pair >> 16) as u32);
      k += secondOf(pair);
      mask |= keep(k, (pair >> 48) as u32);
      buf <<= pair;
      cnt -= (pair as u32) & 63;
      if (k < LAST) {
        pair = load<u64>(pairAt(table, buf), T_VALUES);
        k += firstOf(pair);
        mask |= keep(k, (pair >> 16) as u32);
        k += secondOf(pair);
        mask |= keep(k, (pair >> 48) as u32);
        buf <<= pair;
        cnt -= (pair as u32) & 63;
        if (k < LAST) {
          pair = load<u64>(pairAt(table, buf), T_VALUES);
          k += firstOf(pair);
          mask |= keep(k, (pair >> 16) as u32);
          k += secondOf(pair);
          mask |= keep(k, (pair >> 48) as u32);
          buf <<= pair;
          cnt -= (pair as u32) & 63;
          if (k < LAST) continue;
        }
      }
    }
    if ((pair & 63) != 0) break;
    // a code that the table does not hold
    k -= (MISSING as usize) * SPOT;
    buf |= next >> (cnt as u64);
    ptr += (63 - cnt) >> 3;
    cnt |= 56;
    next = bigEndian64(ptr);
    const symbol = nextSymbol(table, buf);
    const size = (symbol >> 8) & 15;
    buf <<= (symbol & 255) as u64;
    k += coefficientsOf(symbol);
    if (size > 0) mask |= keep(k, valueOf(((buf >> 1) >> ((63 - size) as u64)) as u32, size));
    buf <<= size as u64;
    cnt -= (symbol & 255) + size;
    if (k >= LAST) break;
  }
  endBlock(k, pair, ptr, cnt, buf);
  return mask;
}

/** The code at the beginning of some bits: symbol << 8 | length. */
// @ts-ignore: decorator
@inline
function nextSymbol(table: usize, buf: u64): u32 {
  const entry: u32 = load<u16>(table + (((buf >> 54) as usize) << 1));
  return entry != 0 ? entry : longCode(table, (buf >> 48) as u32);
}

function longCode(table: usize, next: u32): u32 {
  const entry = longSymbol(table, next);
  if ((entry & 255) > 16) unsound = true;
  return entry;
}

/** Number of positions that a symbol advances. */
// @ts-ignore: decorator
@inline
function coefficientsOf(symbol: u32): usize {
  const size = (symbol >> 8) & 15;
  if (size > MOST_BITS) unsound = true;
  return ((size == 0 && symbol >> 8 != ZEROS ? ENDS : (symbol >> 12) + 1) as usize) * SPOT;
}

/** Bits of a pair's second code that belong to the next block, the first one having been the last of this. */
// @ts-ignore: decorator
@inline
function overread(k: usize, pair: u64): u32 {
  const second = secondOf(pair);
  return second != 0 && k - second == LAST ? ((pair as u32) & 63) - (((pair >> 32) as u32) & 63) : 0;
}

/** Records where the next block begins. */
// @ts-ignore: decorator
@inline
function endBlock(k: usize, pair: u64, ptr: usize, cnt: u32, buf: u64): void {
  const over = overread(k, pair);
  if (over != 0) {
    const behind = (ptr << 3) - cnt - over;
    ptr = (behind >> 3) + 7;
    cnt = 56 - ((behind & 7) as u32);
    buf = bigEndian64(ptr - 7) << ((behind & 7) as u64);
  } else if (k > LAST && (k < (ENDS as usize) * SPOT || k > (ENDS as usize) * SPOT + LAST)) unsound = true;
  setBits(ptr, cnt, buf);
}

/**
 * Puts a block's coefficients into their places and codes them with a table of JOINED. How many bits lie
 * below `to`, the first one highest in the last byte: so words of any length are stored as they are.
 */
export function recodeBlock(table: usize, codes: usize, to: usize): u32 {
  let rest = readValues(table);
  let last: usize = 0;
  let acc: u64 = 0;
  let n: u32 = 0;
  let p = to;
  while (rest) {
    let k = ctz(rest) as usize;
    rest &= rest - 1;
    let value: i32 = load<i16>(k << 1, VALUES);
    let run = k - last - 1;
    if (run > 15) {
      const zeros = load<u32>(codes, ZEROS << 3);
      do {
        acc = (acc << (zeros as u64)) | ((zeros >> 6) as u64);
        n += zeros;
        store<u64>(p - 8, acc << ((0 - n) as u64));
        p -= (n >> 3) & 7;
        n &= 7;
        run -= 16;
      } while (run > 15);
    }
    let code = load<u32>(codes + (((run << 5) | ((value & 31) as usize)) << 2));
    acc = (acc << (code as u64)) | (((code >> 6) + (value >> 5)) as u64);
    n += code;
    last = k;
    k = ctz(rest) as usize;
    run = k - last - 1;
    if (rest != 0 && run < 16) {
      rest &= rest - 1;
      value = load<i16>(k << 1, VALUES);
      code = load<u32>(codes + (((run << 5) | ((value & 31) as usize)) << 2));
      acc = (acc << (code as u64)) | (((code >> 6) + (value >> 5)) as u64);
      n += code;
      last = k;
    }
    store<u64>(p - 8, acc << ((0 - n) as u64));
    p -= (n >> 3) & 7;
    n &= 7;
  }
  if (last != 63) {
    const code = load<u32>(codes);
    acc = (acc << (code as u64)) | ((code >> 6) as u64);
    n = (n + code) & 63;
    store<u64>(p - 8, acc << ((0 - n) as u64));
  }
  return (((to - p) << 3) as u32) + n;
}

// @ts-ignore: decorator
@inline
function count(counts: usize, symbol: u32): void {
  const at = counts + (symbol << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Counts the symbols that {@link recodeBlock} would write. */
export function countBlock(table: usize, counts: usize): void {
  let rest = readValues(table);
  let last: u32 = 0;
  while (rest) {
    const k = ctz(rest) as u32;
    rest &= rest - 1;
    let run = k - last - 1;
    last = k;
    for (; run > 15; run -= 16) count(counts, ZEROS);
    count(counts, (run << 4) | (load<u16>(VALUES + ((k as usize) << 1)) & 15));
  }
  if (last != 63) count(counts, 0);
}

/** Signs to change in a pair's values, in the highest of the bits that were looked up. */
// @ts-ignore: decorator
@inline
function changesOf(pair: u64, first: usize, second: usize): u64 {
  const changes =
    ((pair as u32) & load<u32>(first, SPOTS + S_CHANGE)) |
    (((pair >> 32) as u32) & load<u32>(second, SPOTS + S_CHANGE));
  return (changes as u64) << 32;
}

/**
 * Copies a block's codes, with the value bits complemented where signs change. Returns the same as {@link
 * recodeBlock}.
 */
export function copyBlock(table: usize, to: usize): u32 {
  let buf = bits;
  let cnt = bitCount;
  let ptr = bitsAt;
  let next = bigEndian64(ptr);
  let k: usize = 0;
  let pair: u64 = 0;
  let acc: u64 = 0;
  let n: u32 = 0;
  let p = to;
  while (true) {
    buf |= next >> (cnt as u64);
    ptr += (63 - cnt) >> 3;
    cnt |= 56;
    next = bigEndian64(ptr);
    let word = buf;
    pair = load<u64>(pairAt(table, buf), T_MASKS);
    let first = k + firstOf(pair);
    k = first + secondOf(pair);
    word ^= changesOf(pair, first, k);
    buf <<= pair;
    let used = (pair as u32) & 63;
    if (k < LAST) {
      pair = load<u64>(pairAt(table, buf), T_MASKS);
      first = k + firstOf(pair);
      k = first + secondOf(pair);
      word ^= changesOf(pair, first, k) >> (used as u64);
      buf <<= pair;
      used += (pair as u32) & 63;
      if (k < LAST) {
        pair = load<u64>(pairAt(table, buf), T_MASKS);
        first = k + firstOf(pair);
        k = first + secondOf(pair);
        word ^= changesOf(pair, first, k) >> (used as u64);
        buf <<= pair;
        used += (pair as u32) & 63;
        if (k < LAST) {
          pair = load<u64>(pairAt(table, buf), T_MASKS);
          first = k + firstOf(pair);
          k = first + secondOf(pair);
          word ^= changesOf(pair, first, k) >> (used as u64);
          buf <<= pair;
          used += (pair as u32) & 63;
        }
      }
    }
    cnt -= used;
    acc = (acc << (used as u64)) | ((word >> 1) >> ((63 - used) as u64));
    n += used;
    if (k >= LAST && (pair & 63) != 0) break;
    store<u64>(p - 8, acc << ((0 - n) as u64));
    p -= n >> 3;
    n &= 7;
    if (k < LAST) continue;
    // a code that the table does not hold
    k -= (MISSING as usize) * SPOT;
    buf |= next >> (cnt as u64);
    ptr += (63 - cnt) >> 3;
    cnt |= 56;
    next = bigEndian64(ptr);
    const symbol = nextSymbol(table, buf);
    const size = (symbol >> 8) & 15;
    const length = (symbol & 255) + size;
    k += coefficientsOf(symbol);
    const change: u32 = load<u16>(k, SPOTS + S_FLIP) ? (1 << size) - 1 : 0;
    acc = (acc << (length as u64)) | ((((buf >> ((64 - length) as u64)) as u32) ^ change) as u64);
    buf <<= length as u64;
    cnt -= length;
    n += length;
    if (k >= LAST) break;
    store<u64>(p - 8, acc << ((0 - n) as u64));
    p -= n >> 3;
    n &= 7;
  }
  const over = overread(k, pair);
  n -= over;
  store<u64>(p - 8, (acc >> (over as u64)) << ((0 - n) as u64));
  endBlock(k, pair, ptr, cnt, buf);
  return (((to - p) << 3) as u32) + n;
}
