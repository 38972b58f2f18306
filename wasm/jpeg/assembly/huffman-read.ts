// Huffman tables for reading (ITU-T T.81, annex C and F.2.2): by 10 bits one symbol, by 11 bits values with
// their codes, by 13 bits as many codes as fit.

import { FAST_BITS, SKIP_BITS, T_CODES, T_DC, T_FAST, T_LONG, T_OFFSETS, T_SKIP, T_VALUES } from "./map";

/** The run of a code that ends the block: leads past every coefficient. */
const ENDS: u32 = 128;

/**
 * The symbol that 16 bits begin with, for codes of more than 10 bits: symbol << 8 | length. Bits that are no
 * code count as 17 bits and symbol 0, as libjpeg takes them.
 */
export function longSymbol(table: usize, bits: u32): u32 {
  for (let length: usize = 11; length <= 16; length++) {
    if (bits < load<u32>(table + (length << 2), T_LONG)) {
      const index = (bits >> (16 - (length as u32))) + load<u32>(table + (length << 2), T_OFFSETS);
      return ((load<u8>(table + (index & 255), T_VALUES) as u32) << 8) | (length as u32);
    }
  }
  return 17;
}

/**
 * Builds the table at `table` from 16 counts and the symbols behind them at `source`. `ac`: 1 with the table
 * over several symbols, 0 with the codes by symbol for coding DC differences. Returns 1, or 0 for counts that
 * are no code or a DC symbol above 15.
 */
export function buildTable(table: usize, source: usize, ac: i32): i32 {
  if (!buildCodes(table, source, ac)) return 0;
  if (!ac) buildDc(table);
  else {
    buildFast(table);
    buildSkip(table);
  }
  return 1;
}

/** Builds a table without the parts that look up codes together with their values. */
export function buildCodes(table: usize, source: usize, ac: i32): i32 {
  memory.fill(table, 0, T_SKIP);
  let code: u32 = 0;
  let index: u32 = 0;
  for (let length: u32 = 1; length <= 16; length++) {
    const count: u32 = load<u8>(source + length - 1);
    store<u32>(table + (length << 2), index - code, T_OFFSETS);
    for (let i: u32 = 0; i < count; i++, code++, index++) {
      if (index > 255 || code >= 1 << length) return 0;
      const symbol: u32 = load<u8>(source + 16 + index);
      store<u8>(table + index, symbol as u8, T_VALUES);
      if (!ac) {
        if (symbol > 15) return 0;
        store<u32>(table + (symbol << 2), (code << 8) | length, T_CODES);
      }
      if (length <= 10) {
        const first = code << (10 - length);
        for (let j: u32 = 0; j < 1 << (10 - length); j++)
          store<u16>(table + ((first + j) << 1), ((symbol << 8) | length) as u16);
      }
    }
    store<u32>(table + (length << 2), code << (16 - length), T_LONG);
    code <<= 1;
  }
  return 1;
}

/**
 * Builds the table that skips codes, by 13 bits: as many whole codes with their extra bits as fit. Bits 0 to
 * 5: the number of these bits; from bit 6: the number of coefficients, plus 128 if the last code ends the
 * block; 512 coefficients if not even one code fits.
 */
function buildSkip(table: usize): void {
  const width = SKIP_BITS as u32;
  for (let i: u32 = 0; i < 1 << width; i++) {
    let used: u32 = 0;
    let passed: u32 = 0;
    while (passed < 64) {
      const rest = (i << (used + 16 - width)) & 0xffff;
      let entry: u32 = load<u16>(table + ((rest >> 6) << 1));
      if (entry == 0) {
        entry = longSymbol(table, rest);
      }
      const symbol = entry >> 8;
      const size = symbol & 15;
      const length = (entry & 255) + size;
      if (used + length > width) break;
      used += length;
      if (size == 0 && symbol != 0xf0) {
        passed += 128;
        break;
      }
      passed += (symbol >> 4) + 1;
    }
    if (used == 0) passed = 512;
    store<u16>(table + (i << 1), ((passed << 6) | used) as u16, T_SKIP);
  }
}

/**
 * Builds the fast table, by 11 bits: one code with its extra bits, or two if both fit. From bit 0 the number
 * of these bits, from bit 8 the number of coefficients that the first one advances ({@link ENDS} if it ends
 * the block), from bit 16 its value, from bit 32 its bits alone; the second's coefficients from bit 40 and
 * its value from bit 48, or 0 and the first's value if there is no second. 0 if not even one fits, and for
 * runs of 16 zeros.
 */
function buildFast(table: usize): void {
  const width = FAST_BITS as u32;
  for (let i: u32 = 0; i < 1 << width; i++) {
    const bits = i << (16 - width);
    const first = symbolIn(table, bits, width);
    const length = first & 63;
    let entry: u64 = 0;
    if (first != 0) {
      let second: u32 = 0;
      if (first >> 8 != ENDS) second = symbolIn(table, (bits << length) & 0xffff, width - length);
      entry = (first as u64) | ((length as u64) << 32);
      if (second == 0) entry |= ((first >> 16) as u64) << 48;
      else entry = (entry + (second & 63)) | (((second >> 8) as u64) << 40);
    }
    store<u64>(table + (i << 3), entry, T_FAST);
  }
}

/**
 * A code and its extra bits within the first `room` of 16 bits: value << 16 | coefficients << 8 | bits, or 0.
 */
function symbolIn(table: usize, bits: u32, room: u32): u32 {
  let code: u32 = load<u16>(table + ((bits >> 6) << 1));
  if (code == 0) code = longSymbol(table, bits);
  const size = (code >> 8) & 15;
  const length = (code & 255) + size;
  if (length > room || code >> 8 == 0xf0) return 0;
  if (size == 0) return (ENDS << 8) | length;
  return (extended(bits, size, length) << 16) | (((code >> 12) + 1) << 8) | length;
}

/**
 * Builds the DC table, by 11 bits: a code with its difference if both fit, difference << 16 | bits; else 0.
 */
function buildDc(table: usize): void {
  const width = FAST_BITS as u32;
  for (let i: u32 = 0; i < 1 << width; i++) {
    const bits = i << (16 - width);
    let code: u32 = load<u16>(table + ((bits >> 6) << 1));
    if (code == 0) code = longSymbol(table, bits);
    const size = code >> 8;
    const length = (code & 255) + size;
    store<u32>(table + (i << 2), length > width ? 0 : (extended(bits, size, length) << 16) | length, T_DC);
  }
}

/**
 * The value that `size` bits stand for, the last of the first `length` of 16 (ITU-T T.81, F.2.2.1, EXTEND).
 */
function extended(bits: u32, size: u32, length: u32): i32 {
  if (size == 0) return 0;
  const extra = (bits >> (16 - length)) & ((1 << size) - 1);
  return extra >> (size - 1) ? extra : extra + 1 - (1 << size);
}
