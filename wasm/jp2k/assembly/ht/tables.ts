// Tables of the HT cleanup pass (ITU-T T.814, clause 7.3 and Annex C), built once when the module starts.

import { FIRST_CODES, OTHER_CODES } from "./codes";

/**
 * Codes of quads, u32 by context (bits 7 to 9 of the index) and the next 7 VLC bits. Bits 0 to 15 are the row
 * of codes.ts. Bits 16 to 31 are the quad's contribution to the context of its right neighbour, times 512, so
 * that it adds to a byte offset into these tables.
 */
export const FIRST_ROW: usize = memory.data(4096);
export const OTHER_ROWS: usize = memory.data(4096);

/**
 * Modes of {@link PAIRS}: u_off of the first quad plus twice that of the second, in rows other than the
 * first.
 */
export const MODES: u32 = 6;
/** Both have u_off, in the first row of quads, after an event 0 of the MEL coder. */
export const BOTH_SMALL: u32 = 4;
/** Both have u_off, in the first row of quads, after an event 1 of the MEL coder. */
export const BOTH_LARGE: u32 = 5;

/**
 * Exponent residuals u of two quads, u16 by mode (bits 8 to 10 of the index) and the next 8 VLC bits: how
 * many bits they take in bits 0 to 3, the first quad's u in bits 4 to 7, the second's in bits 8 to 11. {@link
 * LONG} if they take more bits than 8, or one is above 15: then {@link readPair} knows.
 */
export const PAIRS: usize = memory.data(3072);
export const LONG: u32 = 0x8000;

/**
 * Masks of four u32 lanes by a pattern of 4 bits. Lanes are the samples of a quad in the order top left, top
 * right, bottom left, bottom right; bits of patterns go down the left column, then down the right one.
 */
export const LANES: usize = memory.data(256, 16);
/** Number of set bits among the first 1, 2, 3 and 4 bits of a pattern, one byte each. */
export const COUNTS: usize = memory.data(64);

/** Highest bit of magnitudes within an exponent bound of 1 to 31, u32. */
export const HALVES: usize = memory.data(128);

/** Expands rows of codes.ts. `first`: contexts are those of the first row of quads. */
function expandCodes(rows: usize, table: usize, first: bool): void {
  for (let context: u32 = 0; context < 8; context++) {
    let slot: u32 = 0;
    while (slot < 128) {
      const row: u32 = load<u16>(rows);
      rows += 2;
      const left = (row >> 4) & 3;
      const right = (row >> 6) & 3;
      const next: u32 = first ? (left != 0 ? 1 : 0) | (right << 1) : right != 0 ? 2 : 0;
      for (let end = slot + (128 >> (row & 7)); slot < end; slot++)
        store<u32>(table + (((context << 7) | reversed7(slot)) << 2), (next << 25) | row);
    }
  }
}

/** The lowest 7 bits in the opposite order: codewords are read from the lowest bit on. */
function reversed7(bits: u32): u32 {
  let result: u32 = 0;
  for (let i: u32 = 0; i < 7; i++) result |= ((bits >> i) & 1) << (6 - i);
  return result;
}

/**
 * Reads u of two quads from the lowest bits on (T.814, Table 3): prefixes, suffixes and extensions, each of
 * the first quad before that of the second. Returns the length in bits 0 to 7, the first u in bits 8 to 15,
 * the second in 16 to 23.
 */
export function readPair(mode: u32, bits: u64): u32 {
  const both = mode >= 3;
  let at: u64 = 0;
  let prefix0: u32 = 0;
  let prefix1: u32 = 0;
  if (both || mode == 1) {
    prefix0 = prefixOf(bits);
    at = prefixLength(prefix0);
  }
  if (mode == BOTH_SMALL && prefix0 > 2) {
    prefix1 = 1 + (((bits >> at) as u32) & 1);
    at++;
  } else if (both || mode == 2) {
    prefix1 = prefixOf(bits >> at);
    at += prefixLength(prefix1);
  }
  const length0 = suffixLength(prefix0);
  const length1 = suffixLength(prefix1);
  const suffix0 = ((bits >> at) as u32) & ((1 << length0) - 1);
  at += length0;
  const suffix1 = ((bits >> at) as u32) & ((1 << length1) - 1);
  at += length1;
  let u0 = prefix0 + suffix0;
  let u1 = prefix1 + suffix1;
  if (suffix0 >= 28) {
    u0 += (((bits >> at) as u32) & 15) << 2;
    at += 4;
  }
  if (suffix1 >= 28) {
    u1 += (((bits >> at) as u32) & 15) << 2;
    at += 4;
  }
  if (mode == BOTH_LARGE) {
    u0 += 2;
    u1 += 2;
  }
  return (at as u32) | (u0 << 8) | (u1 << 16);
}

/** The prefix that bits begin with: 1 for "1", 2 for "01", 3 for "001", 5 for "000". */
function prefixOf(bits: u64): u32 {
  const zeros = ctz((bits as u32) | 8);
  return zeros == 3 ? 5 : zeros + 1;
}

function prefixLength(prefix: u32): u64 {
  return prefix == 5 ? 3 : prefix;
}

function suffixLength(prefix: u32): u32 {
  return prefix == 5 ? 5 : prefix == 3 ? 1 : 0;
}

function buildPairs(): void {
  for (let i: u32 = 0; i < MODES << 8; i++) {
    const pair = readPair(i >> 8, i & 255);
    const length = pair & 255;
    const isLong = length > 8 || ((pair >> 8) & 255) > 15 || pair >> 16 > 15;
    const entry = isLong ? LONG : length | ((pair >> 4) & 0xf0) | ((pair >> 8) & 0xf00);
    store<u16>(PAIRS + (i << 1), entry as u16);
  }
}

function buildPatterns(): void {
  for (let pattern: u32 = 0; pattern < 16; pattern++) {
    const lanes = LANES + (pattern << 4);
    store<i32>(lanes, pattern & 1 ? -1 : 0);
    store<i32>(lanes, pattern & 4 ? -1 : 0, 4);
    store<i32>(lanes, pattern & 2 ? -1 : 0, 8);
    store<i32>(lanes, pattern & 8 ? -1 : 0, 12);
    let counts: u32 = 0;
    for (let i: u32 = 0; i < 4; i++) counts |= popcnt(pattern & ((2 << i) - 1)) << (i << 3);
    store<u32>(COUNTS + (pattern << 2), counts);
  }
}

expandCodes(FIRST_CODES, FIRST_ROW, true);
expandCodes(OTHER_CODES, OTHER_ROWS, false);
buildPairs();
buildPatterns();
for (let bound: u32 = 1; bound < 32; bound++) store<u32>(HALVES + (bound << 2), 1 << (bound - 1));
