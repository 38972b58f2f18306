// Huffman tables for turning blocks: by 11 bits one or two codes with their values, or with masks of their
// value bits.

import { longSymbol } from "../huffman-read";

/** Bits that the tables are looked up by. */
export const WIDTH: u64 = 11;
/**
 * Offset within a table of AC codes of u64 by 11 bits: from bit 0 the number of bits of one or two codes,
 * from bit 8 the number of coefficients that the first one advances ({@link ENDS} if it ends the block), from
 * bit 16 its value, from bit 32 its bits alone; from bit 40 and bit 48 the same of the second, or no
 * coefficients and the first's value if there is no second. No bits and {@link MISSING} coefficients if not
 * even one fits, for runs of 16 zeros, and for codes of damaged data.
 *
 * Values are i16 with their size in bits 0 to 3, the sign in bit 4, and from bit 5 the sum of a code and its
 * value bits: those of positive values, those less 1 << size of negative ones. So signs change by {@link
 * FLIP}.
 */
export const T_VALUES: usize = 0xc00;
/** Values with masks in the high bits of the 16: the value bits among the bits that were looked up. */
export const T_MASKS: usize = 0x8c00;

export const FLIP: u32 = 0xfff0;
/** Coefficients of codes that lead past every other. */
export const ENDS: u32 = 128;
export const MISSING: u32 = 192;
/** Runs of 16 zeros. */
export const ZEROS: u32 = 0xf0;
/** Coefficients of 8-bit samples have no more value bits than this. */
export const MOST_BITS: u32 = 10;

/**
 * Builds the entries at {@link T_VALUES}, or with `masks` at {@link T_MASKS}, from the codes in the table.
 */
export function buildPairs(table: usize, masks: bool): void {
  const width = WIDTH as u32;
  const to = table + (masks ? T_MASKS : T_VALUES);
  for (let i: u32 = 0; i < 1 << width; i++) {
    const bits = i << (16 - width);
    const first = codeIn(table, bits, width, masks);
    let entry: u64 = MISSING << 8;
    if (first != 0) {
      const length = first & 63;
      let second: u32 = 0;
      if (((first >> 8) & 255) != ENDS) second = codeIn(table, (bits << length) & 0xffff, width - length, masks);
      entry = (first as u64) | ((length as u64) << 32);
      if (second != 0) entry = (entry + (second & 63)) | (((second >> 8) as u64) << 40);
      else entry |= ((first >> 16) as u64) << 48;
    }
    store<u64>(to + (i << 3), entry);
  }
}

/**
 * A code and its value bits within the first `room` of 16 bits: value << 16 | coefficients << 8 | bits, or 0.
 */
function codeIn(table: usize, bits: u32, room: u32, masks: bool): u32 {
  let code: u32 = load<u16>(table + ((bits >> 6) << 1));
  if (code == 0) code = longSymbol(table, bits);
  const symbol = code >> 8;
  const size = symbol & 15;
  const length = (code & 255) + size;
  if (length > room || size > MOST_BITS || (symbol == ZEROS && !masks)) return 0;
  if (size == 0 && symbol != ZEROS) return (ENDS << 8) | length;
  const ones: u32 = (1 << size) - 1;
  const value = masks ? ones << (room - length + 16 - (WIDTH as u32)) : valueOf((bits >> (16 - length)) & ones, size);
  return (value << 16) | (((symbol >> 4) + 1) << 8) | length;
}

/** The form that values have here of their bits. */
// @ts-ignore: decorator
@inline
export function valueOf(bits: u32, size: u32): u32 {
  return bits >> (size - 1) ? (bits << 5) | size : (((bits - (1 << size)) << 5) & 0xffff) | 16 | size;
}
