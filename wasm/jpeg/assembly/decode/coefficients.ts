// The AC coefficients of a block (ITU-T T.81, F.2.2.2), as far as the block's size needs them.

import { bigEndian64 } from "../bits";
import { longSymbol } from "../huffman-read";
import { COEFFICIENTS, DAMAGE, FAST_BITS, T_FAST } from "../map";

/** Entries of an order. */
const ORDER: usize = 208;

/**
 * Place of a coefficient in bytes, by one more than its number in zigzag order. Behind the 64 come runs that
 * lead past the end, which go to the last one, and ends of blocks, which go behind the block.
 */
const order8 = memory.data<u8>([
  0, 0, 2, 16, 32, 18, 4, 6, 20, 34, 48, 64, 50, 36, 22, 8, 10, 24, 38, 52, 66, 80, 96, 82, 68, 54, 40, 26, 12, 14, 28,
  42, 56, 70, 84, 98, 112, 114, 100, 86, 72, 58, 44, 30, 46, 60, 74, 88, 102, 116, 118, 104, 90, 76, 62, 78, 92, 106,
  120, 122, 108, 94, 110, 124, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 126, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
  128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
]);

/**
 * Orders for the lowest 4x4 and 2x2 coefficients alone, one behind the other; other coefficients go behind
 * the block as well.
 */
const order4 = memory.data(208);
const order2 = memory.data(208);
/** Behind the block: no coefficient of 4x4 or 2x2 has this place. */
const ELSEWHERE: usize = 192;

function fillOrder(order: usize, edge: usize): void {
  for (let k: usize = 0; k < ORDER; k++) {
    const place: usize = load<u8>(order8 + k);
    const row = place >> 4;
    const column = (place >> 1) & 7;
    const inside = row < edge && column < edge;
    store<u8>(order + k, place > 127 ? place : inside ? (row * edge + column) << 1 : ELSEWHERE);
  }
}

fillOrder(order4, 4);
fillOrder(order2, 2);

/** The samples' order for blocks of this edge. */
export function orderOf(edge: i32): usize {
  return edge == 8 ? order8 : edge == 4 ? order4 : order2;
}

/**
 * The bits ahead, the first one highest; their number; the position of the next byte. A walk hands them over
 * for each block.
 */
export let bits: u64 = 0;
export let bitCount: u32 = 0;
export let bitsAt: usize = 0;

// @ts-ignore: decorator
@inline
export function setBits(ptr: usize, cnt: u32, buf: u64): void {
  bitsAt = ptr;
  bitCount = cnt;
  bits = buf;
}

/** Like `longSymbol`, but counts bits that are no code as damage, as libjpeg warns of them. */
export function rareSymbol(table: usize, bits: u32): u32 {
  const entry = longSymbol(table, bits);
  if ((entry & 255) > 16) store<u32>(DAMAGE, load<u32>(DAMAGE) + 1);
  return entry;
}

/** Result of {@link readCoefficients} if the block ends before its first coefficient. */
export const NO_COEFFICIENT: u32 = 129;

/**
 * Stores coefficients from the first up to at least number `limit` in zigzag order, at the positions that
 * `order` lists. Needs at least 44 bits. Returns the position of the last one in `order`, past 64 if the
 * block has ended.
 */
export function readCoefficients(table: usize, order: usize, limit: u32): usize {
  let buf = bits;
  let cnt = bitCount;
  let ptr = bitsAt;
  const last = order + (limit as usize);
  let at = order + 1;
  let pair: u64 = 0;
  while (at <= last) {
    pair = load<u64>(table + (((buf >> (64 - FAST_BITS)) as usize) << 3), T_FAST);
    if (pair != 0) {
      at += ((pair >> 8) as usize) & 255;
      store<i16>(COEFFICIENTS + (load<u8>(at) as usize), (pair >> 16) as i16);
      at += ((pair >> 40) as usize) & 255;
      store<i16>(COEFFICIENTS + (load<u8>(at) as usize), (pair >> 48) as i16);
      buf <<= pair;
      cnt -= (pair as u32) & 63;
      if (at > last) break;
      pair = load<u64>(table + (((buf >> (64 - FAST_BITS)) as usize) << 3), T_FAST);
      if (pair != 0) {
        at += ((pair >> 8) as usize) & 255;
        store<i16>(COEFFICIENTS + (load<u8>(at) as usize), (pair >> 16) as i16);
        at += ((pair >> 40) as usize) & 255;
        store<i16>(COEFFICIENTS + (load<u8>(at) as usize), (pair >> 48) as i16);
        buf <<= pair;
        cnt -= (pair as u32) & 63;
        if (at > last) break;
        pair = load<u64>(table + (((buf >> (64 - FAST_BITS)) as usize) << 3), T_FAST);
        if (pair != 0) {
          at += ((pair >> 8) as usize) & 255;
          store<i16>(COEFFICIENTS + (load<u8>(at) as usize), (pair >> 16) as i16);
          at += ((pair >> 40) as usize) & 255;
          store<i16>(COEFFICIENTS + (load<u8>(at) as usize), (pair >> 48) as i16);
          buf <<= pair;
          cnt -= (pair as u32) & 63;
          if (at > last) break;
          pair = load<u64>(table + (((buf >> (64 - FAST_BITS)) as usize) << 3), T_FAST);
          if (pair != 0) {
            at += ((pair >> 8) as usize) & 255;
            store<i16>(COEFFICIENTS + (load<u8>(at) as usize), (pair >> 16) as i16);
            at += ((pair >> 40) as usize) & 255;
            store<i16>(COEFFICIENTS + (load<u8>(at) as usize), (pair >> 48) as i16);
            buf <<= pair;
            cnt -= (pair as u32) & 63;
            if (at > last) break;
            buf |= bigEndian64(ptr) >> (cnt as u64);
            ptr += (63 - cnt) >> 3;
            cnt |= 56;
            continue;
          }
        }
      }
    }
    // a code that the table does not hold
    if (cnt < 32) {
      buf |= bigEndian64(ptr) >> (cnt as u64);
      ptr += (63 - cnt) >> 3;
      cnt |= 56;
    }
    let entry: u32 = load<u16>(table + (((buf >> 54) as usize) << 1));
    if (entry == 0) entry = rareSymbol(table, (buf >> 48) as u32);
    buf <<= (entry & 255) as u64;
    cnt -= entry & 255;
    const size = (entry >> 8) & 15;
    if (size == 0) {
      if (entry >> 8 != 0xf0) {
        at = order + 64 + (at == order + 1 ? 65 : 0);
        break;
      }
      at += 16;
      buf |= bigEndian64(ptr) >> (cnt as u64);
      ptr += (63 - cnt) >> 3;
      cnt |= 56;
      continue;
    }
    at += (entry >> 12) + 1;
    const value = (((buf >> 1) >> (63 - size)) as i32) + ((~((buf as i64) >> 63) as i32) & ((-1 << size) + 1));
    buf <<= size as u64;
    cnt -= size;
    buf |= bigEndian64(ptr) >> (cnt as u64);
    ptr += (63 - cnt) >> 3;
    cnt |= 56;
    store<i16>(COEFFICIENTS + (load<u8>(at) as usize), value as i16);
  }
  const first = at - (((pair >> 40) as usize) & 255);
  if (first > order + 63 && first < at) {
    // the last coefficient's bits were taken together with some of the next block's
    store<i16>(COEFFICIENTS + (load<u8>(first) as usize), (pair >> 16) as i16);
    const behind = (ptr << 3) - cnt - (((pair as u32) & 63) - ((pair >> 32) as u32 & 63));
    ptr = (behind >> 3) + 7;
    cnt = 56 - ((behind & 7) as u32);
    buf = bigEndian64(ptr - 7) << ((behind & 7) as u64);
  }
  bits = buf;
  bitCount = cnt;
  bitsAt = ptr;
  return at;
}
