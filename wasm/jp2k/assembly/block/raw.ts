// Bits that bypass the MQ decoder (ITU-T T.800 D.6): eight of a byte, seven after 0xFF, ones behind a marker.

let taken: usize = 0;
let byte: u32 = 0;
let left: i32 = 0;

/** Begins a segment: bytes from `at` on, followed by two of 0xFF. */
export function beginRaw(at: usize): void {
  taken = at;
  byte = 0;
  left = 0;
}

/** The next bit. */
export function rawBit(): u32 {
  if (left == 0) {
    const next = u32(load<u8>(taken));
    if (byte == 0xff && next > 0x8f) left = 8;
    else {
      left = byte == 0xff ? 7 : 8;
      byte = next;
      taken++;
    }
  }
  left--;
  return (byte >> left) & 1;
}
