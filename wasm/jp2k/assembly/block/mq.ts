// The MQ decoder (ITU-T T.800 Annex C) in 64 bits: the integer part of the interval is at bits 47 to 62, and
// the code has as many fraction bits as fit below.
//
// A decision for the more probable symbol that needs no renormalisation is a subtraction and a comparison.
// Callers write it out, with the distance in a local:
//
//   distance -= load<i64>(slot);
//   if (distance >= 0) bit = load<u32>(slot, mpsAt);
//   else { distance = renormalise(slot, distance); bit = decision; }
//
// The distance is what can be subtracted before the code leaves the upper sub-interval or the interval
// becomes too small. `slot` is the address of a context.

/** A context is a copy of a row of the table: the probability at bit 47 as i64, then these. */
export const slotBytes: usize = 16;
const nextMpsAt: usize = 8;
const nextLpsAt: usize = 10;
export const mpsAt: usize = 12;

const states = 47;
/** T.800 table C.2: the probabilities, the next states, and the states in which the symbols change sides. */
const probabilities: StaticArray<i32> = [
  0x5601, 0x3401, 0x1801, 0x0ac1, 0x0521, 0x0221, 0x5601, 0x5401, 0x4801, 0x3801, 0x3001, 0x2401, 0x1c01, 0x1601,
  0x5601, 0x5401, 0x5101, 0x4801, 0x3801, 0x3401, 0x3001, 0x2801, 0x2401, 0x2201, 0x1c01, 0x1801, 0x1601, 0x1401,
  0x1201, 0x1101, 0x0ac1, 0x09c1, 0x08a1, 0x0521, 0x0441, 0x02a1, 0x0221, 0x0141, 0x0111, 0x0085, 0x0049, 0x0025,
  0x0015, 0x0009, 0x0005, 0x0001, 0x5601,
];
const afterMps: StaticArray<u8> = [
  1, 2, 3, 4, 5, 38, 7, 8, 9, 10, 11, 12, 13, 29, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
  32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 45, 46,
];
const afterLps: StaticArray<u8> = [
  1, 6, 9, 12, 29, 33, 6, 14, 14, 14, 17, 18, 20, 21, 14, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 23, 24, 25, 26, 27,
  28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 46,
];
const changesSides = (state: i32): bool => state == 0 || state == 6 || state == 14;

/** A row for each state and more probable symbol: row 2 * state + symbol. */
const rows = memory.data(94 * 16, 16);
for (let state = 0; state < states; state++) {
  for (let mps = 0; mps < 2; mps++) {
    const row = rows + usize(2 * state + mps) * slotBytes;
    store<i64>(row, i64(probabilities[state]) << 47);
    store<u16>(row, u16((2 * i32(afterMps[state]) + mps) << 4), nextMpsAt);
    const other = changesSides(state) ? 1 - mps : mps;
    store<u16>(row, u16((2 * i32(afterLps[state]) + other) << 4), nextLpsAt);
    store<u32>(row, u32(mps), mpsAt);
  }
}

/** The interval and the code, both without the distance. */
let interval: i64 = 0;
let code: i64 = 0;
/** Bit at which the next byte begins. */
let place: i32 = 0;
/** Address of the byte that was taken last. */
let taken: usize = 0;

/** Decision of {@link renormalise}. */
export let decision: u32 = 0;

/** Puts a context into a state of table C.2, with 0 as the more probable symbol. */
export function setContext(slot: usize, state: i32): void {
  v128.store(slot, v128.load(rows + (usize(state) << 5)));
}

/** Begins a segment (C.3.5): bytes from `at` on, followed by two of 0xFF. Returns the distance. */
export function beginSegment(at: usize): i64 {
  taken = at;
  code = i64(load<u8>(at)) << 54;
  place = 46;
  interval = i64(1) << 62;
  refill();
  return renew();
}

/** Makes the decision when the fast path cannot, after the subtraction (C.3.2). Returns the distance. */
export function renormalise(slot: usize, distance: i64): i64 {
  let size = interval + distance;
  let point = code + distance;
  const probability = load<i64>(slot);
  const isBelow = point < 0;
  // The sub-intervals are exchanged if the lower one is larger.
  const isLps = isBelow != size < probability;
  if (isBelow) {
    point += probability;
    size = probability;
  }
  decision = load<u32>(slot, mpsAt) ^ u32(isLps);
  const next = isLps ? load<u16>(slot, nextLpsAt) : load<u16>(slot, nextMpsAt);
  v128.store(slot, v128.load(rows + usize(next)));
  const shift = clz(size) - 1;
  interval = size << shift;
  code = point << shift;
  place += i32(shift);
  if (place > 31) refill();
  return renew();
}

// @ts-ignore: decorator
@inline
function renew(): i64 {
  const distance = min(code, interval - (i64(1) << 62));
  interval -= distance;
  code -= distance;
  return distance;
}

/** Adds bytes until the next one would begin below bit 0 to 31 (C.3.4); behind a marker it adds ones. */
function refill(): void {
  while (place > 23) {
    const last = load<u8>(taken);
    const next = load<u32>(taken + 1);
    const ones = ~next;
    if (last != 0xff && ((ones - 0x01010101) & next & 0x80808080) == 0) {
      code += i64(bswap(next)) << (place - 24);
      taken += 4;
      place -= 32;
      continue;
    }
    const byte = next & 0xff;
    if (last != 0xff) {
      code += i64(byte) << place;
      taken++;
      place -= 8;
    } else if (byte > 0x8f) {
      code += i64(0xff) << place;
      place -= 8;
    } else {
      // The byte after 0xFF has one bit for carries.
      code += i64(byte) << (place + 1);
      taken++;
      place -= 7;
    }
  }
}
