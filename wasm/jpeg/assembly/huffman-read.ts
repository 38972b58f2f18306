// Huffman tables for reading (ITU-T T.81, annex C and F.2.2.3): by 10 bits one symbol, by 13 bits as many as fit.

import { SKIP_BITS, T_CODES, T_LONG, T_OFFSETS, T_SKIP, T_VALUES } from "./map";

/**
 * The symbol that 16 bits begin with, for codes of more than 10 bits: symbol << 8 | length. Bits that are no code
 * count as 17 bits and symbol 0, as libjpeg takes them.
 */
export function longSymbol(table: usize, bits: u32): u32 {
  for (let length: usize = 1; length <= 16; length++) {
    if (bits < load<u32>(table + (length << 2), T_LONG)) {
      const index = (bits >> (16 - (length as u32))) + load<u32>(table + (length << 2), T_OFFSETS);
      return ((load<u8>(table + (index & 255), T_VALUES) as u32) << 8) | (length as u32);
    }
  }
  return 17;
}

/**
 * Builds the table at `table` from 16 counts and the symbols behind them at `source`. `ac`: 1 with the table over
 * several symbols, 0 with the codes by symbol for coding DC differences. Returns 1, or 0 for counts that are no code
 * or a DC symbol above 15.
 */
export function buildTable(table: usize, source: usize, ac: i32): i32 {
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
  if (ac) buildSkip(table);
  return 1;
}

/**
 * By 13 bits: whole codes with their extra bits, as many as fit. Bits 0 to 3 how many bits that is, from bit 4 how
 * many coefficients, plus 128 where the last code ends the block; 1024 coefficients where not even one code fits.
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
    if (used == 0) passed = 1024;
    store<u16>(table + (i << 1), ((passed << 4) | used) as u16, T_SKIP);
  }
}
