// Module "jpeg-turn": a cut in another orientation, without loss. Coefficients are read (ITU-T T.81, F.2), put where the
// turned picture has them, and coded anew (F.1.2). Beside it samples whose rows become columns. ../turn.md has the exports.

import { bigEndian64, MARKER, stoppedAt, stoppedFor, unstuff, unstuffedEnd } from "./bits";
import {
  clearOutput,
  countBlock,
  dropTokens,
  flushBits,
  flushWords,
  outputFill,
  prepareRuns,
  prepareValues,
  startBits,
  startTokens,
  writeBlock,
} from "./encode-entropy";
import { BLOCK, CODES, COUNTS, ZIGZAG_BYTES } from "./encode-map";
import { bitCount, bits, bitsAt, orderOf, readCoefficients, setBits } from "./coefficients";
import { buildTable, longSymbol } from "./huffman-read";
import { COEFFICIENTS } from "./map";

/** Huffman tables for reading, four of DC and four of AC, each with room for what huffman-read.ts keeps. */
const TABLES: usize = 0x10000;
const TABLE: usize = 0xc000;
/** 16 counts and up to 256 symbols of the table to be read next. */
const DEFINITION: usize = 0x70000;
/** An order as coefficients.ts has it: to numbers in zigzag order of the turned block. */
const ORDER: usize = 0x70200;
const ORDER_LENGTH: usize = 208;
/** By number in zigzag order of the turned block, i16: -1 where the sign changes. */
const SIGNS: usize = 0x70300;
/** Components, up to four. */
const COMPONENTS: usize = 0x70400;
const COMPONENT: usize = 64;
const REMOVED: usize = 0x70800;
const PIECE: usize = 0x8000;
const ARENA: usize = REMOVED + 8 * PIECE;

const C_ACROSS: usize = 0; // blocks of an MCU, as stored
const C_DOWN: usize = 4;
const C_DC: usize = 8; // pointers of tables
const C_AC: usize = 12;
const C_OUT: usize = 16; // table to write with: 0 luma, 1 chroma
const C_PREDICTOR: usize = 20;
const C_FIRST: usize = 24; // number of the turned block that the stored first one becomes
const C_STEP: usize = 28; // from the number of a block's turned one to that of its right neighbour, and below
const C_ROW: usize = 32;
const C_WIDTH: usize = 36; // blocks in a turned row
const C_BLOCKS: usize = 40; // pointer: 64 i16 for each turned block, in zigzag order
const C_MASKS: usize = 44; // pointer: u64 for each turned block, a bit for each coefficient behind DC that is not 0

const BLOCK_BYTES: usize = 216; // as encode.ts has it
const TAKE: usize = 256 * 1024;
/** No sound coefficients of 8-bit samples exceed what the typical tables can code. */
const MOST: i32 = 1023;

/** Natural position of each coefficient in zigzag order, and the other way. */
const NATURAL = memory.data<u8>([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55,
  62, 63,
]);
const ZIGZAG = memory.data(64);
for (let k: usize = 0; k < 64; k++) store<u8>(ZIGZAG + (load<u8>(NATURAL + k) as usize), k as u8);

// tables come before anything is laid out
memory.grow((((ARENA + 0xffff) >> 16) as i32) - memory.size());

let columns: i32 = 0; // MCUs as stored
let rows: i32 = 0;
let count: i32 = 0; // components
let swapped: bool = false;
let strip: i32 = 0; // row of turned MCUs to be coded next
let input: usize = 0;
let inputRoom: usize = 0;
let data: usize = 0;
let output: usize = 0;

export function definitionAt(): usize {
  return DEFINITION;
}

export function codesAt(): usize {
  return CODES;
}

export function countsAt(): usize {
  return COUNTS;
}

export function inputAt(): usize {
  return input;
}

export function outputAt(): usize {
  return output;
}

export function outputLength(): i32 {
  return outputFill() as i32;
}

export function taken(): void {
  clearOutput();
}

/** Reads the definition as table 0 to 3 of DC (`ac` 0) or AC (1). Returns 1, or 0 where it is none. */
export function readTable(index: i32, ac: i32): i32 {
  return buildTable(TABLES + (((ac << 2) | (index & 3)) as usize) * TABLE, DEFINITION, ac);
}

/** Takes over the four code tables at codesAt. */
export function useCodes(): void {
  prepareValues();
  prepareRuns(0);
  prepareRuns(1);
}

/** Describes component `i`: blocks in an MCU as stored, tables to read with, and the one to write with. */
export function describe(i: i32, across: i32, down: i32, dc: i32, ac: i32, out: i32): void {
  const c = COMPONENTS + ((i & 3) as usize) * COMPONENT;
  store<i32>(c, across, C_ACROSS);
  store<i32>(c, down, C_DOWN);
  store<u32>(c, (TABLES + ((dc & 3) as usize) * TABLE) as u32, C_DC);
  store<u32>(c, (TABLES + ((4 | (ac & 3)) as usize) * TABLE) as u32, C_AC);
  store<i32>(c, out & 1, C_OUT);
  store<i32>(c, 0, C_PREDICTOR);
}

function preparePlaces(flipX: bool, flipY: bool): void {
  memory.copy(ORDER, orderOf(8), ORDER_LENGTH);
  for (let k: usize = 0; k < 64; k++) {
    const natural: usize = load<u8>(NATURAL + k);
    const x = swapped ? natural >> 3 : natural & 7;
    const y = swapped ? natural & 7 : natural >> 3;
    const turned: usize = load<u8>(ZIGZAG + ((y << 3) | x));
    const odd = (flipX ? x & 1 : 0) ^ (flipY ? y & 1 : 0);
    store<u8>(ORDER + k + 1, (turned << 1) as u8);
    store<i16>(SIGNS + 2 * turned, odd ? -1 : 0);
  }
}

/**
 * Lays out memory for a cut of `columns` by `rows` MCUs in as many components as were described, whose coded data takes
 * `bytes`. From stored to turned: first rows and columns change places (`swap`), then axes run backwards. Returns 1, or 0
 * where there is no memory.
 */
export function begin(c: i32, r: i32, n: i32, swap: i32, flipX: i32, flipY: i32, bytes: i32): i32 {
  columns = c;
  rows = r;
  count = n;
  swapped = swap != 0;
  strip = 0;
  preparePlaces(flipX != 0, flipY != 0);
  let at: usize = ARENA;
  let inRow: usize = 0;
  for (let i = 0; i < n; i++) {
    const component = COMPONENTS + (i as usize) * COMPONENT;
    const wide = c * load<i32>(component, C_ACROSS);
    const high = r * load<i32>(component, C_DOWN);
    const width = swapped ? high : wide;
    const height = swapped ? wide : high;
    const right = flipX ? -1 : 1;
    const below = flipY ? -width : width;
    store<i32>(component, (flipX ? width - 1 : 0) + (flipY ? (height - 1) * width : 0), C_FIRST);
    store<i32>(component, swapped ? below : right, C_STEP);
    store<i32>(component, swapped ? right : below, C_ROW);
    store<i32>(component, width, C_WIDTH);
    store<u32>(component, at as u32, C_BLOCKS);
    at += ((width * height) as usize) << 7;
    store<u32>(component, at as u32, C_MASKS);
    at += ((width * height) as usize) << 3;
    inRow += ((load<i32>(component, C_ACROSS) * load<i32>(component, C_DOWN)) as usize);
  }
  inRow *= (swapped ? r : c) as usize;
  input = at;
  inputRoom = bytes as usize;
  data = at + inputRoom + 64;
  const end = data + inputRoom + PIECE + 4096;
  // what is read is done with before anything is written
  const rawBytes = inRow * BLOCK_BYTES;
  const tokens = input + rawBytes + 64;
  output = tokens + 512;
  const last = max(end, output + TAKE + 2 * rawBytes + 64);
  const missing = ((last + 0xffff) >> 16) as i32 - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) return 0;
  startBits(input, output);
  startTokens(tokens);
  return 1;
}

/** Reads the `length` bytes at inputAt. Returns 1, or 0 where they are not all that was told, or cannot be coded anew. */
export function read(length: i32): i32 {
  const inputEnd = input + (length as usize);
  if ((length as usize) > inputRoom) return 0;
  let from = input;
  let end = data;
  do {
    unstuff(from, inputEnd, end, PIECE, REMOVED);
    from = stoppedAt;
    end = unstuffedEnd;
  } while (stoppedFor == 0);
  if (stoppedFor != MARKER) return 0;
  memory.fill(end, 0, 4096);

  tooLarge = i16x8.splat(0);
  memory.fill(COEFFICIENTS, 0, 256);
  let ptr: usize = data + 7;
  let cnt: u32 = 56;
  let buf = bigEndian64(data);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      // an MCU takes 2480 bytes at most
      if (ptr > end + 16) return 0;
      for (let i = 0; i < count; i++) {
        const c = COMPONENTS + (i as usize) * COMPONENT;
        const across = load<i32>(c, C_ACROSS);
        const down = load<i32>(c, C_DOWN);
        const dcTable: usize = load<u32>(c, C_DC);
        const acTable: usize = load<u32>(c, C_AC);
        for (let y = 0; y < down; y++) {
          for (let x = 0; x < across; x++) {
            const number =
              load<i32>(c, C_FIRST) +
              (column * across + x) * load<i32>(c, C_STEP) +
              (row * down + y) * load<i32>(c, C_ROW);
            const to = (load<u32>(c, C_BLOCKS) as usize) + ((number as usize) << 7);
            buf |= bigEndian64(ptr) >> (cnt as u64);
            ptr += (63 - cnt) >> 3;
            cnt |= 56;
            let entry: u32 = load<u16>(dcTable + (((buf >> 54) as usize) << 1));
            if (entry == 0) entry = longSymbol(dcTable, (buf >> 48) as u32);
            let size = entry >> 8;
            buf <<= (entry & 255) as u64;
            const dc = load<i32>(c, C_PREDICTOR) + extended(buf, size);
            buf <<= size as u64;
            cnt -= (entry & 255) + size;
            if (dc > MOST || dc < -MOST - 1) return 0;
            store<i32>(c, dc, C_PREDICTOR);

            buf |= bigEndian64(ptr) >> (cnt as u64);
            ptr += (63 - cnt) >> 3;
            cnt |= 56;
            setBits(ptr, cnt, buf);
            readCoefficients(acTable, ORDER, 63);
            ptr = bitsAt;
            cnt = bitCount;
            buf = bits;
            const mask = keepBlock(to);
            store<i16>(to, dc as i16);
            store<u64>((load<u32>(c, C_MASKS) as usize) + ((number as usize) << 3), mask);
          }
        }
      }
    }
  }
  if (v128.any_true(tooLarge)) return 0;
  const used = ((ptr - data) << 3) - (cnt as usize);
  return used <= (end - data) << 3 ? 1 : 0;
}

/** Lanes that are not 0 where a coefficient was larger than can be coded. */
let tooLarge: v128 = i16x8.splat(0);

/** Moves the coefficients that were read to a block, with their signs. The bits of those that are not 0. */
// @ts-ignore: decorator
@inline
function keepBlock(to: usize): u64 {
  let mask: u64 = 0;
  for (let k: usize = 0; k < 64; k += 16) {
    const low = signed(k);
    const high = signed(k + 8);
    v128.store(to + 2 * k, low);
    v128.store(to + 2 * k, high, 16);
    const zeros = i8x16.bitmask(i8x16.eq(i8x16.narrow_i16x8_s(low, high), i8x16.splat(0)));
    mask |= ((~zeros & 0xffff) as u64) << (k as u64);
  }
  return mask;
}

// @ts-ignore: decorator
@inline
function signed(k: usize): v128 {
  const signs = v128.load(SIGNS + 2 * k);
  const values = v128.load(COEFFICIENTS + 2 * k);
  v128.store(COEFFICIENTS + 2 * k, i16x8.splat(0));
  tooLarge = v128.or(tooLarge, i16x8.gt_u(i16x8.abs(values), i16x8.splat(MOST as i16)));
  return i16x8.sub(v128.xor(values, signs), signs);
}

/** The value that the first `size` bits stand for (F.2.2.1, EXTEND). */
// @ts-ignore: decorator
@inline
function extended(buf: u64, size: u32): i32 {
  return (((buf >> 1) >> (63 - size)) as i32) + ((~((buf as i64) >> 63) as i32) & ((-1 << size) + 1));
}

/** Puts a block where encode-entropy.ts reads it. */
// @ts-ignore: decorator
@inline
function present(at: usize, mask: u64): void {
  let saturated = i8x16.splat(0);
  for (let k: usize = 0; k < 64; k += 16) {
    const bytes = i8x16.narrow_i16x8_s(v128.load(at + 2 * k), v128.load(at + 2 * k, 16));
    v128.store(ZIGZAG_BYTES + k, bytes);
    saturated = v128.or(
      saturated,
      v128.or(i8x16.eq(bytes, i8x16.splat(127)), i8x16.eq(bytes, i8x16.splat(-128))),
    );
  }
  if (!v128.any_true(saturated)) return;
  for (let rest = mask; rest; rest &= rest - 1) {
    const k = ctz(rest) as usize;
    store<i16>(BLOCK + ((load<u8>(NATURAL + k) as usize) << 1), load<i16>(at + (k << 1)));
  }
}

// @ts-ignore: decorator
@inline
function codeRow(turnedRow: i32, counting: bool): void {
  const inRow = swapped ? rows : columns;
  for (let column = 0; column < inRow; column++) {
    for (let i = 0; i < count; i++) {
      const c = COMPONENTS + (i as usize) * COMPONENT;
      const across = swapped ? load<i32>(c, C_DOWN) : load<i32>(c, C_ACROSS);
      const down = swapped ? load<i32>(c, C_ACROSS) : load<i32>(c, C_DOWN);
      const table: usize = load<i32>(c, C_OUT);
      let last = load<i32>(c, C_PREDICTOR);
      for (let y = 0; y < down; y++) {
        let number = (turnedRow * down + y) * load<i32>(c, C_WIDTH) + column * across;
        for (let x = 0; x < across; x++, number++) {
          const at = (load<u32>(c, C_BLOCKS) as usize) + ((number as usize) << 7);
          const mask = load<u64>((load<u32>(c, C_MASKS) as usize) + ((number as usize) << 3));
          const dc: i32 = load<i16>(at);
          present(at, mask);
          if (counting) {
            countBlock(table, dc - last, mask);
            dropTokens();
          } else writeBlock(table, dc - last, mask);
          last = dc;
        }
      }
      store<i32>(c, last, C_PREDICTOR);
    }
  }
}

function forgetPredictors(): void {
  for (let i = 0; i < count; i++) store<i32>(COMPONENTS + (i as usize) * COMPONENT, 0, C_PREDICTOR);
}

/** Counts the symbols of the whole turned cut at countsAt. */
export function countSymbols(): void {
  prepareValues(); // there may have been no codes yet
  forgetPredictors();
  const turnedRows = swapped ? columns : rows;
  for (let row = 0; row < turnedRows; row++) codeRow(row, true);
}

/** Codes the next row of MCUs. Returns 1, or 0 where the host has to take the output first; 2 where all is coded. */
export function codeStrip(): i32 {
  if (strip == (swapped ? columns : rows)) {
    flushBits();
    return 2;
  }
  if (outputFill() > TAKE) return 0;
  if (strip == 0) forgetPredictors();
  codeRow(strip++, false);
  flushWords();
  return 1;
}

/** Memory for `bytes` from {@link arenaAt} on; 0 where there is none. Nothing else is laid out then. */
export function reserve(bytes: i32): i32 {
  const missing = ((ARENA + (bytes as usize) + 0xffff) >> 16) as i32 - memory.size();
  return missing > 0 && memory.grow(missing) < 0 ? 0 : 1;
}

export function arenaAt(): usize {
  return ARENA;
}

/**
 * Rows of samples become columns: `rows` of `columns` from `from`, `step` bytes apart, to `to`, `toStep` bytes apart; both
 * steps may be negative. In both directions up to 7 samples more are read and written.
 */
export function transpose(from: usize, step: i32, columns: i32, rows: i32, to: usize, toStep: i32): void {
  for (let row = 0; row < rows; row += 8) {
    let source = from + row * step;
    let target = to + row;
    for (let column = 0; column < columns; column += 8) {
      transpose8(source, step, target, toStep);
      source += 8;
      target += 8 * toStep;
    }
  }
}

// @ts-ignore: decorator
@inline
function pairOfRows(at: usize, step: i32): v128 {
  const a = v128.load64_zero(at);
  const b = v128.load64_zero(at + step);
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-ignore: decorator
@inline
function transpose8(from: usize, step: i32, to: usize, toStep: i32): void {
  const a = pairOfRows(from, step);
  const b = pairOfRows(from + 2 * step, step);
  const c = pairOfRows(from + 4 * step, step);
  const d = pairOfRows(from + 6 * step, step);
  const left1 = i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  const left2 = i16x8.shuffle(c, d, 0, 8, 1, 9, 2, 10, 3, 11);
  const right1 = i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  const right2 = i16x8.shuffle(c, d, 4, 12, 5, 13, 6, 14, 7, 15);
  storePair(to, toStep, i32x4.shuffle(left1, left2, 0, 4, 1, 5));
  storePair(to + 2 * toStep, toStep, i32x4.shuffle(left1, left2, 2, 6, 3, 7));
  storePair(to + 4 * toStep, toStep, i32x4.shuffle(right1, right2, 0, 4, 1, 5));
  storePair(to + 6 * toStep, toStep, i32x4.shuffle(right1, right2, 2, 6, 3, 7));
}

// @ts-ignore: decorator
@inline
function storePair(to: usize, toStep: i32, both: v128): void {
  v128.store64_lane(to, both, 0);
  v128.store64_lane(to + toStep, both, 1);
}
