// Histograms as codes of asymmetric numeral systems with 12 bits (ISO/IEC 18181-1, C.3.2): their shares of
// 4096, how they are written, and the tables to encode with.

import { put } from "./bit-writer";
import { ALIASES, HISTOGRAM, K_COUNTS, K_INDICES, K_RECIPROCALS, K_SHARES, K_STARTS, LOGARITHMS, SYMBOLS } from "./map";

/** Bits of a state that choose a symbol. */
const RANGE: u32 = 4096;
/** Alphabets of 64 symbols. */
const LOG_ALPHABET: u32 = 6;
const BUCKET: u32 = RANGE >> LOG_ALPHABET;

/** Codes of the logarithms 0 to 13 of shares, and their lengths (C.3.2.2). */
const LOG_BITS = memory.data<u8>([17, 11, 15, 3, 9, 7, 4, 2, 5, 6, 0, 33, 1, 65]);
const LOG_LENGTHS = memory.data<u8>([5, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 6, 7, 7]);

for (let i: usize = 0; i < 4096; i++) store<f32>(LOGARITHMS + (i << 2), Math.log2((4096 + i) as f64) as f32);

/** n log2 n, to three digits more than any decision needs. */
// @ts-ignore: decorator
@inline
export function entropyOf(n: u32): f32 {
  if (n < 2) return 0;
  const top = 31 - clz(n);
  const scaled = top > 12 ? n >> (top - 12) : n << (12 - top);
  return (n as f32) * ((((top as i32) - 12) as f32) + load<f32>(LOGARITHMS + ((scaled - 4096) << 2)));
}

/** Writes what every code begins with: no repeated strings, and 64 symbols; before it the map of contexts. */
export function writeAlphabet(): void {
  put(0, 1); // numeral systems, no prefix codes
  put(LOG_ALPHABET - 5, 2);
}

/** Writes that values from 16 on take a symbol for the number of their bits and the bit behind the first. */
export function writeIntegers(): void {
  put(4, 3);
  put(1, 3);
  put(0, 2);
}

function putNumber(value: u32): void {
  if (value == 0) {
    put(0, 1);
    return;
  }
  const n = 31 - clz(value);
  put(1, 1);
  put(n, 3);
  put(value - (1 << n), n);
}

/** Bits of a share with this logarithm that are written, all others being zero. */
// @ts-ignore: decorator
@inline
function bitsFor(zeros: i32, shift: i32): i32 {
  return max(0, min(zeros, shift - ((12 - zeros) >> 1)));
}

/** Shares of 4096 in proportion to the counts, at least 1 for each. */
function normalise(code: usize, total: u32): void {
  let rest: i32 = RANGE as i32;
  let most: usize = 0;
  for (let s: usize = 0; s < SYMBOLS; s++) {
    const n: u32 = load<u32>(code + (s << 2), K_COUNTS);
    let share: u32 = 0;
    if (n != 0) share = max<u32>(1, (((n as u64) * (RANGE as u64) + ((total as u64) >> 1)) / (total as u64)) as u32);
    store<u32>(code + (s << 2), share, K_SHARES);
    rest -= share as i32;
    if (n > load<u32>(code + (most << 2), K_COUNTS)) most = s;
  }
  const largest = (load<u32>(code + (most << 2), K_SHARES) as i32) + rest;
  if (largest >= 1) {
    store<u32>(code + (most << 2), largest as u32, K_SHARES);
    return;
  }
  // many rare symbols: others give what is missing
  store<u32>(code + (most << 2), 1, K_SHARES);
  let missing = 1 - largest;
  for (let s: usize = 0; s < SYMBOLS && missing > 0; s++) {
    const share: i32 = load<i32>(code + (s << 2), K_SHARES);
    const given = min(missing, max(0, share - 1));
    store<i32>(code + (s << 2), share - given, K_SHARES);
    missing -= given;
  }
}

/** The share that a share becomes if its logarithm and some of its bits are written. */
// @ts-ignore: decorator
@inline
function rounded(share: u32, shift: i32): u32 {
  if (share < 2) return share;
  const zeros = 31 - (clz(share) as i32);
  const dropped = zeros - bitsFor(zeros, shift);
  if (dropped == 0) return share;
  const half: u32 = 1 << (dropped - 1);
  const near = ((share + half) >> dropped) << dropped;
  return near < RANGE ? near : (share >> dropped) << dropped;
}

/** The symbol whose share is left out: the first with the greatest logarithm. */
function omittedIn(code: usize, shift: i32): usize {
  let most: i32 = -1;
  let omitted: usize = 0;
  for (let s: usize = 0; s < SYMBOLS; s++) {
    const share = rounded(load<u32>(code + (s << 2), K_SHARES), shift);
    const log = share == 0 ? 0 : 32 - (clz(share) as i32);
    if (log > most) {
      most = log;
      omitted = s;
    }
  }
  return omitted;
}

/**
 * Bits of header and data with shares of this precision; infinite if they leave nothing for the omitted one.
 */
function costOf(code: usize, shift: i32, last: usize): f32 {
  const omitted = omittedIn(code, shift);
  let rest: i32 = RANGE as i32;
  let header: i32 = 0;
  let data: f32 = 0;
  for (let s: usize = 0; s <= last; s++) {
    const share = rounded(load<u32>(code + (s << 2), K_SHARES), shift);
    const log: i32 = share == 0 ? 0 : 32 - (clz(share) as i32);
    header += load<u8>(LOG_LENGTHS + log) as i32;
    if (s == omitted) continue;
    if (log > 1) header += bitsFor(log - 1, shift);
    rest -= share as i32;
    const n: u32 = load<u32>(code + (s << 2), K_COUNTS);
    if (n != 0) data += (n as f32) * ((12 as f32) - entropyOf(share) / (share as f32));
  }
  if (rest < 1) return f32.MAX_VALUE;
  const n = load<u32>(code + (omitted << 2), K_COUNTS);
  return (header as f32) + data + (n as f32) * ((12 as f32) - entropyOf(rest as u32) / (rest as f32));
}

/** Writes a code, whose shares become those that are written, and prepares it for encoding. */
export function writeCode(code: usize): void {
  let total: u32 = 0;
  let kinds = 0;
  let first: usize = 0;
  let last: usize = 0;
  for (let s: usize = 0; s < SYMBOLS; s++) {
    const n: u32 = load<u32>(code + (s << 2), K_COUNTS);
    if (n == 0) continue;
    if (kinds == 0) first = s;
    kinds++;
    last = s;
    total += n;
  }
  if (kinds < 2) {
    memory.fill(code + K_SHARES, 0, HISTOGRAM);
    store<u32>(code + (first << 2), RANGE, K_SHARES);
    put(1, 2);
    putNumber(first as u32);
  } else {
    normalise(code, total);
    if (kinds == 2) {
      put(3, 2);
      putNumber(first as u32);
      putNumber(last as u32);
      put(load<u32>(code + (first << 2), K_SHARES), 12);
    } else writeShares(code, last);
  }
  prepare(code);
}

function writeShares(code: usize, last: usize): void {
  let shift: i32 = 12;
  let least = costOf(code, shift, last);
  for (let each = 10; each >= 0; each -= 2) {
    const cost = costOf(code, each, last);
    if (cost < least) {
      least = cost;
      shift = each;
    }
  }
  const omitted = omittedIn(code, shift);
  let rest: u32 = RANGE;
  put(0, 2);
  // the number of bits of shift + 1, in unary up to 3, then these bits without the first
  const length: u32 = 31 - clz((shift + 1) as u32);
  for (let i: u32 = 0; i < length; i++) put(1, 1);
  if (length < 3) put(0, 1);
  put((shift as u32) + 1 - (1 << length), length);
  putNumber((last as u32) - 2);
  for (let s: usize = 0; s <= last; s++) {
    const share = rounded(load<u32>(code + (s << 2), K_SHARES), shift);
    store<u32>(code + (s << 2), share, K_SHARES);
    const log: usize = share == 0 ? 0 : 32 - clz(share);
    put(load<u8>(LOG_BITS + log), load<u8>(LOG_LENGTHS + log));
  }
  for (let s: usize = 0; s <= last; s++) {
    if (s == omitted) continue;
    const share: u32 = load<u32>(code + (s << 2), K_SHARES);
    rest -= share;
    if (share < 2) continue;
    const zeros = 31 - (clz(share) as i32);
    const n = bitsFor(zeros, shift);
    put((share - (1 << zeros)) >> (zeros - n), n as u32);
  }
  store<u32>(code + (omitted << 2), rest, K_SHARES);
}

/** Builds the alias table of the shares (C.3.2.3), and from it the states by symbol and remainder. */
function prepare(code: usize): void {
  let start: u32 = 0;
  for (let s: usize = 0; s < SYMBOLS; s++) {
    const share = load<u32>(code + (s << 2), K_SHARES);
    store<u32>(code + (s << 2), start, K_STARTS);
    if (share != 0)
      store<u64>(code + (s << 3), (((1 as u64) << 44) + (share as u64) - 1) / (share as u64), K_RECIPROCALS);
    start += share;
    if (share == RANGE) {
      for (let i: usize = 0; i < (RANGE as usize); i++) store<u16>(code + (i << 1), i as u16, K_INDICES);
      return;
    }
  }
  const cutoffs = ALIASES;
  const symbols = ALIASES + HISTOGRAM;
  const offsets = ALIASES + 2 * HISTOGRAM;
  const under = ALIASES + 3 * HISTOGRAM;
  const over = ALIASES + 4 * HISTOGRAM;
  let unders: usize = 0;
  let overs: usize = 0;
  for (let s: usize = 0; s < SYMBOLS; s++) {
    const share = load<u32>(code + (s << 2), K_SHARES);
    store<u32>(cutoffs + (s << 2), share);
    store<u32>(symbols + (s << 2), s as u32);
    store<u32>(offsets + (s << 2), 0);
    if (share < BUCKET) store<u32>(under + (unders++ << 2), s as u32);
    else if (share > BUCKET) store<u32>(over + (overs++ << 2), s as u32);
  }
  while (overs != 0) {
    const o: usize = load<u32>(over + (--overs << 2));
    const u: usize = load<u32>(under + (--unders << 2));
    const by = BUCKET - load<u32>(cutoffs + (u << 2));
    const left = load<u32>(cutoffs + (o << 2)) - by;
    store<u32>(cutoffs + (o << 2), left);
    store<u32>(symbols + (u << 2), o as u32);
    store<u32>(offsets + (u << 2), left);
    if (left < BUCKET) store<u32>(under + (unders++ << 2), o as u32);
    else if (left > BUCKET) store<u32>(over + (overs++ << 2), o as u32);
  }
  for (let i: usize = 0; i < (RANGE as usize); i++) {
    const bucket = i >> (12 - (LOG_ALPHABET as usize));
    const position = (i as u32) & (BUCKET - 1);
    const cutoff = load<u32>(cutoffs + (bucket << 2));
    let symbol = bucket as u32;
    let offset = position;
    if (position >= cutoff) {
      symbol = load<u32>(symbols + (bucket << 2));
      offset = load<u32>(offsets + (bucket << 2)) + position - cutoff;
    }
    const to = load<u32>(code + ((symbol as usize) << 2), K_STARTS) + offset;
    store<u16>(code + ((to as usize) << 1), i as u16, K_INDICES);
  }
}
