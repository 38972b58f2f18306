// Huffman tables for decoding (ITU-T T.81, C.2 and F.2.2.3): codes of up to 10 bits by one lookup, longer
// ones by their limits.

import { layOut, TABLE_IN } from "./map";

/** u16 by the next 10 bits: length << 8 | symbol, 0 if the code is longer. */
export const LOOK_BITS: i32 = 10;
const LIMITS: usize = 2048; // u32 by length: first 16-bit prefix beyond the codes of this length
const OFFSETS: usize = LIMITS + 4 * 17; // i32 by length: from the code to its symbol's place
const SYMBOLS: usize = OFFSETS + 4 * 17;
const TABLE_SIZE: usize = SYMBOLS + 256;

/**
 * Builds the table at TABLE_IN; returns its pointer, or 0 if the counts form no prefix code or a symbol is
 * above `largest`.
 */
export function buildTable(largest: i32): usize {
  const table = layOut(TABLE_SIZE);
  if (table === 0) return 0;
  let code: u32 = 0;
  let place: i32 = 0;
  for (let length: i32 = 1; length <= 16; length++) {
    const count: i32 = load<u8>(TABLE_IN + length - 1);
    if (place + count > 256 || code + count > (<u32>1) << length) return 0;
    store<i32>(table + OFFSETS + 4 * length, place - (code as i32));
    for (let i: i32 = 0; i < count; i++, place++, code++) {
      const symbol = load<u8>(TABLE_IN + 16 + place);
      if ((symbol as i32) > largest) return 0;
      store<u8>(table + SYMBOLS + place, symbol);
      if (length > LOOK_BITS) continue;
      const first = code << (LOOK_BITS - length);
      const entries: u32 = (<u32>1) << (LOOK_BITS - length);
      for (let entry: u32 = 0; entry < entries; entry++)
        store<u16>(table + 2 * (first + entry), ((length << 8) | (symbol as i32)) as u16);
    }
    store<u32>(table + LIMITS + 4 * length, code << (16 - length));
    code <<= 1;
  }
  return table;
}

/**
 * Returns length << 8 | symbol of a code of more than 10 bits, from the next 16 bits; 17 bits and symbol 0 if
 * there is none.
 */
export function longCode(table: usize, bits: u32): i32 {
  for (let length: i32 = LOOK_BITS + 1; length <= 16; length++) {
    if (bits < load<u32>(table + LIMITS + 4 * length)) {
      const place = load<i32>(table + OFFSETS + 4 * length) + ((bits >> (16 - length)) as i32);
      return (length << 8) | (load<u8>(table + SYMBOLS + place) as i32);
    }
  }
  return 17 << 8;
}
