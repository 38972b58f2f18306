// Writes a crop: copies runs of bits unchanged, codes DC differences again, restores byte stuffing (ITU-T
// T.81, F.1.2).

import { bigEndian64 } from "../bits";
import { C_CROP, HELD, HELD_COUNT, OUTPUT, T_CODES } from "../map";

/** Appends the low `count` bits (0 to 32) of `bits`. */
export function appendBits(bits: u32, count: u32): void {
  let held = (load<u64>(HELD) << count) | (bits as u64);
  let heldCount = load<u32>(HELD_COUNT) + count;
  if (heldCount >= 32) {
    heldCount -= 32;
    const word = (held >> heldCount) as u32;
    let to: usize = load<u32>(OUTPUT);
    const gaps = ~word;
    if (((gaps - 0x01010101) & ~gaps & 0x80808080) == 0) {
      store<u32>(to, bswap<u32>(word));
      to += 4;
    } else {
      for (let shift: i32 = 24; shift >= 0; shift -= 8) {
        const byte = (word >> shift) & 255;
        store<u16>(to, byte as u16);
        to += byte == 255 ? 2 : 1;
      }
    }
    store<u32>(OUTPUT, to as u32);
    held &= ((1 as u64) << heldCount) - 1;
  }
  store<u64>(HELD, held);
  store<u32>(HELD_COUNT, heldCount);
}

/** Appends the bits `from` to `to` (counted from `base`) of bytes without stuffing. */
export function appendRun(base: usize, from: usize, to: usize): void {
  while (from < to) {
    const count = min(to - from, 32) as u32;
    const word = (bigEndian64(base + (from >> 3)) << (from & 7)) >> 32;
    appendBits((word >> (32 - count)) as u32, count);
    from += count;
  }
}

/** Appends the code of a DC value after the component's last one; returns 0 if the table has none for it. */
export function appendDc(table: usize, component: usize, dc: i32): i32 {
  const difference = dc - load<i32>(component, C_CROP);
  const size: u32 = 32 - clz(abs(difference));
  if (size > 15) return 0;
  const entry = load<u32>(table + (size << 2), T_CODES);
  if (entry == 0) return 0;
  appendBits(entry >> 8, entry & 255);
  if (size > 0) appendBits((difference < 0 ? difference + (1 << size) - 1 : difference) as u32, size);
  return 1;
}

/** Pads the last byte with ones and flushes the output. */
export function finishCut(): void {
  appendBits(0x7f, 7);
  let count = load<u32>(HELD_COUNT);
  let to: usize = load<u32>(OUTPUT);
  const held = load<u64>(HELD);
  for (; count >= 8; count -= 8) {
    const byte = ((held >> (count - 8)) as u32) & 255;
    store<u16>(to, byte as u16);
    to += byte == 255 ? 2 : 1;
  }
  store<u32>(OUTPUT, to as u32);
  store<u64>(HELD, 0);
  store<u32>(HELD_COUNT, 0);
}
