// A band of coefficients as interleaved baseline data (ITU-T T.81, F.1.2) and as the picture at 1/8.

import { band } from "./input";
import {
  C_ACROSS,
  C_CODES,
  C_COEFFICIENTS,
  C_DC_ROWS,
  C_DC_STEP,
  C_DOWN,
  C_HIGH,
  C_MASKS,
  C_PREDICTION,
  C_STRIDE,
  C_WIDE,
  COMPONENT_SIZE,
  COMPONENTS,
  damaged,
} from "./map";

/** Bytes that one block takes at most: 22 bits and 63 times 26, each byte followed by a stuffed one. */
export const BLOCK_OUTPUT: usize = 448;

/** The output: start, next byte, end. The bits not yet in it. */
let start: usize = 0;
let next: usize = 0;
let end: usize = 0;
let pending: u64 = 0;
let pendingBits: i32 = 0;
/** Next MCU of the band. */
let column: i32 = 0;
/** Bytes of the file in front of `start`. */
let before: u64 = 0;
/**
 * Access points of the band, MCUs from one to the next (0: none are recorded), the start of the next one and
 * the position of its entry.
 */
let entries: usize = 0;
let entryStep: i32 = 0;
let nextEntry: usize = 0;
let nextColumn: i32 = 0;

/** Bytes of an entry: position in bits as u64, four DC predictions as i16. */
export const ENTRY_SIZE: usize = 16;

/**
 * From now on, records where MCUs 0, step - 1, 2 step - 1 … of each band begin; the data starts after `head`
 * bytes.
 */
export function noteEntries(at: usize, step: i32, head: u32): void {
  entries = at;
  entryStep = step;
  before = head as u64;
}

/**
 * The place before an MCU: whole bytes that wait for more bits count with the zeros that will be stuffed
 * behind them.
 */
function note(to: usize, bits: u64, held: i32, components: i32): void {
  let at = before + ((to - start) as u64) + ((held >> 3) as u64);
  for (let shift = held - 8; shift >= 0; shift -= 8) if (((bits >> shift) & 0xff) === 0xff) at++;
  store<u64>(nextEntry, (at << 3) | ((held & 7) as u64));
  for (let i: i32 = 0; i < components; i++)
    store<i16>(nextEntry + 8 + 2 * i, load<i32>(COMPONENTS + COMPONENT_SIZE * i, C_PREDICTION) as i16);
  nextEntry += ENTRY_SIZE;
  nextColumn += nextColumn === 0 ? entryStep - 1 : entryStep;
}

export function outputAt(): usize {
  return start;
}

export function outputLength(): usize {
  return next - start;
}

/** Makes room: the host has taken what there was. */
export function outputTaken(): void {
  before += (next - start) as u64;
  next = start;
}

export function beginOutput(at: usize, bytes: usize): void {
  start = at;
  next = at;
  end = at + bytes;
  pending = 0;
  pendingBits = 0;
  column = 0;
  entryStep = 0;
}

/** Writes four bytes, first one highest, with a zero after each FF; returns the next position. */
function stuffed(to: usize, word: u32): usize {
  for (let shift: i32 = 24; shift >= 0; shift -= 8) {
    const byte = (word >> shift) & 0xff;
    store<u8>(to++, byte);
    if (byte === 0xff) store<u8>(to++, 0);
  }
  return to;
}

// @ts-expect-error: decorator
@inline
function written(to: usize, word: u32): usize {
  const inverse = ~word;
  if (((inverse - 0x01010101) & word & 0x80808080) !== 0) return stuffed(to, word);
  store<u32>(to, bswap<u32>(word));
  return to + 4;
}

/** Limits a value to the largest magnitude of `most` bits, which a sound file never exceeds. */
function limited(value: i32, most: i32): i32 {
  damaged();
  return value < 0 ? -most : most;
}

/** Writes MCUs of the band while each fits; 0 when all are written, 1 when the output is full. */
export function encodeBand(components: i32, mcusWide: i32, mcuBytes: usize): i32 {
  let to = next;
  let bits = pending;
  let held = pendingBits;
  let mcu = column;
  const room = end - mcuBytes;
  if (mcu === 0) {
    nextEntry = entries;
    nextColumn = entryStep > 0 ? 0 : i32.MAX_VALUE;
  }
  for (; mcu < mcusWide && to <= room; mcu++) {
    if (mcu === nextColumn) note(to, bits, held, components);
    for (let i: i32 = 0; i < components; i++) {
      const component = COMPONENTS + COMPONENT_SIZE * i;
      const across = load<i32>(component, C_ACROSS);
      const down = load<i32>(component, C_DOWN);
      const wide = load<i32>(component, C_WIDE);
      const high = load<i32>(component, C_HIGH) - band * down;
      const stride = load<i32>(component, C_STRIDE);
      const dcCodes = load<usize>(component, C_CODES);
      const acCodes = dcCodes + 1024;
      const endOfBlock = load<u32>(acCodes);
      const skip16 = load<u32>(acCodes + (0xf0 << 2));
      for (let y: i32 = 0; y < down; y++) {
        for (let x: i32 = 0; x < across; x++) {
          // blocks beyond the picture are as the one before
          let difference: i32 = 0;
          let mask: u64 = 0;
          let block: usize = 0;
          const blockX = mcu * across + x;
          if (blockX < wide && y < high) {
            const number = y * stride + blockX;
            block = load<usize>(component, C_COEFFICIENTS) + (number << 7);
            mask = load<u64>(load<usize>(component, C_MASKS) + (number << 3));
            const prediction = load<i32>(component, C_PREDICTION);
            difference = (load<i16>(block) as i32) - prediction;
            if (difference > 2047 || difference < -2047) {
              difference = limited(difference, 2047);
              store<i16>(block, (prediction + difference) as i16); // the picture at 1/8 is made of the written coefficients
            }
            store<i32>(component, prediction + difference, C_PREDICTION);
          }
          const sign = difference >> 31;
          const size = 32 - clz((difference ^ sign) - sign);
          const dc = load<u32>(dcCodes + (size << 2));
          bits = (((bits << (dc & 31)) | (dc >> 5)) << size) | (((difference + sign) & ((1 << size) - 1)) as u64);
          held += ((dc & 31) as i32) + size;
          if (held >= 32) {
            held -= 32;
            to = written(to, (bits >> held) as u32);
          }
          let last: i32 = 0;
          while (mask !== 0) {
            const k = ctz(mask) as i32;
            mask &= mask - 1;
            let run = k - last - 1;
            last = k;
            while (run > 15) {
              bits = (bits << (skip16 & 31)) | (skip16 >> 5);
              held += (skip16 & 31) as i32;
              if (held >= 32) {
                held -= 32;
                to = written(to, (bits >> held) as u32);
              }
              run -= 16;
            }
            let value: i32 = load<i16>(block + (k << 1));
            if (value > 1023 || value < -1023) value = limited(value, 1023);
            const negative = value >> 31;
            const bitCount = 32 - clz((value ^ negative) - negative);
            const code = load<u32>(acCodes + (((run << 4) | bitCount) << 2));
            bits =
              (((bits << (code & 31)) | (code >> 5)) << bitCount) |
              (((value + negative) & ((1 << bitCount) - 1)) as u64);
            held += ((code & 31) as i32) + bitCount;
            if (held >= 32) {
              held -= 32;
              to = written(to, (bits >> held) as u32);
            }
          }
          if (last !== 63) {
            bits = (bits << (endOfBlock & 31)) | (endOfBlock >> 5);
            held += (endOfBlock & 31) as i32;
            if (held >= 32) {
              held -= 32;
              to = written(to, (bits >> held) as u32);
            }
          }
        }
      }
    }
  }
  next = to;
  pending = bits;
  pendingBits = held;
  column = mcu < mcusWide ? mcu : 0;
  return mcu < mcusWide ? 1 : 0;
}

/** Writes the last bits, filled up with ones, at most 8 bytes; the output has to be taken before. */
export function endOutput(): void {
  while (pendingBits > 0) {
    const missing = max(8 - pendingBits, 0);
    const byte = (((pending << missing) | ((1 << missing) - 1)) >> (pendingBits + missing - 8)) & 0xff;
    store<u8>(next++, byte as u8);
    if (byte === 0xff) store<u8>(next++, 0);
    pendingBits -= 8;
  }
  pendingBits = 0;
}

/**
 * The band of a component at 1/8, rows of C_WIDE samples: the inverse transform of DC alone, at C_DC_ROWS.
 * Values that no sound picture of 8 bits has count as damage, as their differences need not fit a transcode.
 */
export function shrinkBand(component: usize): void {
  const wide = load<i32>(component, C_WIDE);
  const stride = load<i32>(component, C_STRIDE);
  const step = load<i32>(component, C_DC_STEP);
  const coefficients = load<usize>(component, C_COEFFICIENTS);
  const to = load<usize>(component, C_DC_ROWS);
  const rows = load<i32>(component, C_DOWN);
  for (let y: i32 = 0; y < rows; y++) {
    for (let x: i32 = 0; x < wide; x++) {
      const dc: i32 = load<i16>(coefficients + (((y * stride + x) as usize) << 7));
      if (dc < -1024 || dc > 1023) damaged();
      store<u8>(to + y * wide + x, min(max(((dc * step + 4) >> 3) + 128, 0), 255) as u8);
    }
  }
}
