// Bit streams of HT segments without their stuffing bits (ITU-T T.814, clause 7.1), as bits from the lowest
// on.

import { BACKWARD_ROOM, FORWARD_ROOM } from "./map";

const HIGH: u64 = 0x8080808080808080;
const LOW: u64 = 0x0101010101010101;

/**
 * Unstuffs the bytes from `from` to `end`: the byte after FF has 7 bits. Stops after {@link FORWARD_ROOM}
 * bytes. What follows the bits written at `to` is `filler`, 0 or all ones. Returns the number of bits. Reads
 * up to 7 bytes behind `end`.
 */
export function unstuffForward(from: usize, end: usize, to: usize, filler: u64): u32 {
  const first = to;
  const limit = to + FORWARD_ROOM;
  let carry: u64 = 0;
  let bits: u64 = 0;
  let count: u64 = 0;
  while (from < end && to < limit) {
    const last = (min(end - from, 7) << 3) - 1;
    const bytes = load<u64>(from);
    const full = ((bytes & ~HIGH) + LOW) & bytes & HIGH;
    const stuffed = (full << 8) | carry;
    const stop = ctz(stuffed | ((1 as u64) << last));
    const drop = (stuffed >> stop) & 1;
    carry = ((full >> stop) & 1) << 7;
    from += ((stop + 1) >> 3) as usize;
    const taken = stop + 1 - drop;
    bits |= (bytes & (((1 as u64) << taken) - 1)) << count;
    store<u64>(to, bits);
    count += taken;
    to += (count >> 3) as usize;
    bits >>= count & 0x38;
    count &= 7;
  }
  return finish(first, to, bits, count, filler);
}

/**
 * Unstuffs the bytes from `from` down to `first`: a byte after one above 8F has 7 bits if these are ones.
 * `bits` and `count`, at most 7, are written before them; `carry` is 0x80 if the byte before the first one
 * was above 8F, otherwise 0. Zeros follow the bits written at `to`. Returns the number of bits. Reads up to 7
 * bytes before `first`.
 */
export function unstuffBackward(from: usize, first: usize, to: usize, bits: u64, count: u64, carry: u64): u32 {
  const start = to;
  const limit = to + BACKWARD_ROOM;
  while (from >= first && to < limit) {
    const last = (min(from - first + 1, 7) << 3) - 1;
    const bytes = reversedBytes(from - 7);
    const above = bytes & ((bytes << 1) | (bytes << 2) | (bytes << 3)) & HIGH;
    const stuffed = ((bytes & ~HIGH) + LOW) & HIGH & ((above << 8) | carry);
    const stop = ctz(stuffed | ((1 as u64) << last));
    const drop = (stuffed >> stop) & 1;
    carry = ((above >> stop) & 1) << 7;
    from -= ((stop + 1) >> 3) as usize;
    const taken = stop + 1 - drop;
    bits |= (bytes & (((1 as u64) << taken) - 1)) << count;
    store<u64>(to, bits);
    count += taken;
    to += (count >> 3) as usize;
    bits >>= count & 0x38;
    count &= 7;
  }
  return finish(start, to, bits, count, 0);
}

/** Pads the bits. Returns how many there are. */
// @ts-ignore: decorator
@inline
function finish(first: usize, to: usize, bits: u64, count: u64, filler: u64): u32 {
  store<u64>(to, bits | (filler << count));
  v128.store(to + 8, i64x2.splat(filler));
  v128.store(to + 24, i64x2.splat(filler));
  return (((to - first) << 3) as u32) + (count as u32);
}

/** The 8 bytes at `at` in the opposite order. */
// @ts-ignore: decorator
@inline
function reversedBytes(at: usize): u64 {
  const v = v128.load64_zero(at);
  return i64x2.extract_lane(i8x16.swizzle(v, i8x16(7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1)), 0) as u64;
}
