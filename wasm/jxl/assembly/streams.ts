// Tokens and their streams. A token is an u32: context from bit 22, symbol from bit 16, bits behind the
// symbol below. A stream is encoded from its last token to its first, and written the other way round.

import { put } from "./bit-writer";
import { K_INDICES, K_RECIPROCALS, K_SHARES, K_STARTS } from "./map";

/** The state that a decoder has to end with (ISO/IEC 18181-1, C.3.3). */
const LAST_STATE: u32 = 0x130000;

/** Returns the symbol of a value and the bits behind it, without a context (C.3.4, as writeIntegers says). */
// @ts-ignore: decorator
@inline
export function tokenOf(value: u32): u32 {
  if (value < 16) return value << 16;
  const n = 31 - clz(value);
  const symbol = 16 + ((n - 4) << 1) + ((value >> (n - 1)) & 1);
  return (symbol << 16) | (value & ((1 << (n - 1)) - 1));
}

/** Returns a signed value as one that is not: 0, -1, 1, -2 and so on. */
// @ts-ignore: decorator
@inline
export function zigzagOf(value: i32): u32 {
  return ((value << 1) ^ (value >> 31)) as u32;
}

/**
 * Writes the tokens from `from` up to `end`. `codeAt` + 4 * context: pointer of the code. `items`: room for 8
 * bytes for each token.
 */
export function writeStream(from: usize, end: usize, codeAt: usize, items: usize): void {
  let state = LAST_STATE;
  let item = items;
  for (let at = end; at > from; ) {
    at -= 4;
    const token = load<u32>(at);
    const symbol: usize = (token >> 16) & 63;
    if (symbol >= 16) {
      store<u32>(item, ((token & 0xffff) << 5) | (3 + (((symbol - 16) >> 1) as u32)));
      item += 4;
    }
    const code: usize = load<u32>(codeAt + ((token >> 22) << 2));
    const share: u32 = load<u32>(code + (symbol << 2), K_SHARES);
    if (state >> 20 >= share) {
      store<u32>(item, ((state & 0xffff) << 5) | 16);
      item += 4;
      state >>= 16;
    }
    const quotient = (((state as u64) * load<u64>(code + (symbol << 3), K_RECIPROCALS)) >> 44) as u32;
    const remainder = state - quotient * share;
    const index: usize = load<u32>(code + (symbol << 2), K_STARTS) + remainder;
    state = (quotient << 12) | (load<u16>(code + (index << 1), K_INDICES) as u32);
  }
  put(state, 32);
  while (item > items) {
    item -= 4;
    const each = load<u32>(item);
    put(each >> 5, each & 31);
  }
}
