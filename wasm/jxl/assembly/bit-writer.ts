// Bits of a section, the first one lowest (ISO/IEC 18181-1, B.1).

let acc: u64 = 0;
let count: u32 = 0;
let at: usize = 0;

/** Begins to write at `to`. */
export function beginBits(to: usize): void {
  at = to;
  acc = 0;
  count = 0;
}

/** Writes the lowest `n` bits, at most 32, of a value that has no others. */
// @ts-ignore: decorator
@inline
export function put(value: u32, n: u32): void {
  acc |= (value as u64) << (count as u64);
  count += n;
  if (count >= 32) {
    store<u32>(at, acc as u32);
    at += 4;
    acc >>= 32;
    count -= 32;
  }
}

/** Fills the last byte with zeros, and returns the end. */
export function endBits(): usize {
  store<u32>(at, acc as u32);
  at += (count + 7) >> 3;
  return at;
}
