// LZW of TIFF 6.0 section 13, with codes from the high bit that widen one code early, and of writers before
// TIFF 5.0, with codes from the low bit that widen as late as possible.

const CLEAR = 256;
const END = 257;
const FIRST = 258;
export const CODES: usize = 4096;

// An entry of the table, 16 bytes: the last bytes of its string, up to 8, then the code of the string without
// them, whose length is a multiple of 8, the length of the whole string, and its first byte.
const PREFIX = 8;
const LENGTH = 10;
const HEAD = 12;

// The state of a block, behind the table of its strings.
export const BITS: usize = 16 * CODES;
export const HELD: usize = BITS + 8;
export const WIDTH: usize = HELD + 4;
export const NEXT: usize = WIDTH + 4;
/** The code before; -1 after a clear. */
export const PREVIOUS: usize = NEXT + 4;
export const LOW_FIRST: usize = PREVIOUS + 4;
export const TAKEN: usize = LOW_FIRST + 4;
export const OVER: usize = TAKEN + 4;
export const STATE_BYTES: usize = OVER + 4;

/**
 * Begins a block. `state` is its memory, {@link STATE_BYTES}; `lowFirst` is 1 if codes begin at the low bit.
 */
export function lzwBegin(state: usize, lowFirst: i32): void {
  for (let i = 0; i < 256; i++) {
    const entry = state + <usize>(16 * i);
    store<u64>(entry, i);
    store<u16>(entry, 1, LENGTH);
    store<u8>(entry, <u8>i, HEAD);
  }
  store<u64>(state, 0, BITS);
  store<i32>(state, 0, HELD);
  store<i32>(state, 9, WIDTH);
  store<i32>(state, FIRST, NEXT);
  store<i32>(state, -1, PREVIOUS);
  store<i32>(state, lowFirst, LOW_FIRST);
  store<i32>(state, 0, OVER);
}

/**
 * Decompresses the bytes of a block from `from` to `end`: all of them, unless the block ends, or `room` bytes
 * or up to 3,840 more were written to `to`. Returns the number of bytes, and changes up to 7 after them.
 */
export function lzwRead(state: usize, from: usize, end: usize, to: usize, room: i32): i32 {
  const lowFirst = load<i32>(state, LOW_FIRST) !== 0;
  const early = lowFirst ? 0 : 1;
  let bits = load<u64>(state, BITS);
  let held = load<i32>(state, HELD);
  let width = load<i32>(state, WIDTH);
  let next = load<i32>(state, NEXT);
  let previous = load<i32>(state, PREVIOUS);
  let over = load<i32>(state, OVER);
  let at = to;
  for (const full = to + <usize>room; at < full && over === 0; ) {
    if (held < width) {
      if (from + 4 <= end) {
        const word = load<u32>(from);
        bits = lowFirst ? bits | ((<u64>word) << held) : (bits << 32) | <u64>bswap<u32>(word);
        from += 4;
        held += 32;
      } else if (from < end) {
        const byte = <u64>load<u8>(from++);
        bits = lowFirst ? bits | (byte << held) : (bits << 8) | byte;
        held += 8;
        continue;
      } else break;
    }
    held -= width;
    const code = <i32>(lowFirst ? bits : bits >> held) & ((1 << width) - 1);
    if (lowFirst) bits >>= width;
    if (code === CLEAR) {
      next = FIRST;
      width = 9;
      previous = -1;
      continue;
    }
    if (code === END) {
      over = 1;
      break;
    }
    if (previous >= 0 && next < <i32>CODES) {
      // The string after next begins like the one before: it is read while it is being written.
      const begin = state + <usize>(16 * (code < next ? code : previous));
      extend(state, previous, next++, load<u8>(begin, HEAD));
      if (next >= (1 << width) - early && width < 12) width++;
    }
    if (code >= next) {
      over = 2;
      break;
    }
    previous = code;
    at = write(state, state + <usize>(16 * code), at);
  }
  store<u64>(state, bits, BITS);
  store<i32>(state, held, HELD);
  store<i32>(state, width, WIDTH);
  store<i32>(state, next, NEXT);
  store<i32>(state, previous, PREVIOUS);
  store<u32>(state, <u32>from, TAKEN);
  store<i32>(state, over, OVER);
  return <i32>(at - to);
}

/** Returns the end of the bytes that the last read took. */
export function lzwTaken(state: usize): usize {
  return <usize>load<u32>(state, TAKEN);
}

/** Returns 0 within a block, 1 after the code that ends it, 2 after an impossible code. */
export function lzwOver(state: usize): i32 {
  return load<i32>(state, OVER);
}

/** Makes the string of code `added`: that of `code` and one more byte. */
// @ts-ignore: decorator
@inline
function extend(state: usize, code: i32, added: i32, byte: u8): void {
  const from = state + <usize>(16 * code);
  const entry = state + <usize>(16 * added);
  const length = <i32>load<u16>(from, LENGTH);
  const inLast = length & 7;
  store<u64>(entry, inLast === 0 ? <u64>byte : load<u64>(from) | ((<u64>byte) << (8 * inLast)));
  store<u16>(entry, inLast === 0 ? <u16>code : load<u16>(from, PREFIX), PREFIX);
  store<u16>(entry, <u16>(length + 1), LENGTH);
  store<u8>(entry, load<u8>(from, HEAD), HEAD);
}

/** Writes the string of an entry, and up to 7 bytes after it. Returns its end. */
// @ts-ignore: decorator
@inline
function write(state: usize, entry: usize, at: usize): usize {
  const length = <usize>load<u16>(entry, LENGTH);
  let offset = (length - 1) & ~7;
  store<u64>(at + offset, load<u64>(entry));
  while (offset > 0) {
    offset -= 8;
    entry = state + 16 * <usize>load<u16>(entry, PREFIX);
    store<u64>(at + offset, load<u64>(entry));
  }
  return at + length;
}
