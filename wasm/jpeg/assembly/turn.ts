// Module "jpeg-turn": a crop in another orientation, without loss. Blocks are decoded and coded again one by
// one as the file has them, then joined in the order of the transformed image. ../turn.md has the exports.
// All is in one file since its passes share the state of one crop.

import { bigEndian64, MARKER, stoppedAt, stoppedFor, unstuff, unstuffedEnd } from "./bits";
import { clearOutput, flushBits, flushWords, outputFill, startBits, writeCoded } from "./encode/entropy";
import { CODES, CODES_TABLE, COUNTS } from "./encode/map";
import { buildCodes, buildTable } from "./huffman-read";
import {
  beginSound,
  bitCount,
  bitsAt,
  copyBlock,
  countBlock,
  MOST_BYTES,
  prepareSpots,
  readDc,
  recodeBlock,
  setBits,
  unsound,
} from "./turn/blocks";
import {
  AC_TABLE,
  AC_TABLES,
  ARENA,
  B_COMPONENT,
  B_NOTE,
  B_STEP,
  BLOCK_SIZE,
  C_ACROSS,
  C_AC,
  C_BELOW,
  C_DC,
  C_DOWN,
  C_FIRST,
  C_NOTES,
  C_OUT,
  C_PREDICTOR,
  C_RIGHT,
  C_WIDTH,
  COMPONENT_SIZE,
  COMPONENTS,
  DC_TABLE,
  DC_TABLES,
  DEFINITION,
  JOINED,
  JOINED_TABLE,
  PIECE,
  READ_BLOCKS,
  REMOVED,
  WRITE_BLOCKS,
} from "./turn/map";
import { buildPairs } from "./turn/tables";

export { transpose } from "./turn/transpose";

/** Bytes of a block's note: position of its AC codes, u32; their number of bits, u16; DC, i16. */
const NOTE: i32 = 8;
/** Output that waits to be taken. */
const TAKE: usize = 256 * 1024;
/** More than any MCU takes, of at most 10 blocks. */
const MCU_BYTES: usize = 2560;
/** Blocks of an MCU. */
const BLOCKS: i32 = 10;

// tables come before anything is laid out
reserve(0);

let columns: i32 = 0; // MCUs as stored
let rows: i32 = 0;
let count: i32 = 0; // components
let readEnd: usize = 0; // behind the blocks of an MCU
let writeEnd: usize = 0;
let swapped: bool = false;
let strip: i32 = 0; // row of turned MCUs to be joined next
let input: usize = 0;
let inputRoom: usize = 0;
let data: usize = 0;
let dataEnd: usize = 0;
let strings: usize = 0; // codes of blocks lie below this
let stringsEnd: usize = 0; // and above this
let rowBytes: usize = 0; // the most that a stored row of MCUs takes there
let raw: usize = 0;
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

/** Reserves `bytes` from {@link arenaAt} on; returns 0 if there is no memory. */
export function reserve(bytes: i32): i32 {
  return room(ARENA + (bytes as usize)) ? 1 : 0;
}

export function arenaAt(): usize {
  return ARENA;
}

function room(end: usize): bool {
  const missing = (((end + 0xffff) >> 16) as i32) - memory.size();
  return missing <= 0 || memory.grow(missing) >= 0;
}

// @ts-ignore: decorator
@inline
function dcTable(index: i32): usize {
  return DC_TABLES + ((index & 3) as usize) * DC_TABLE;
}

// @ts-ignore: decorator
@inline
function acTable(index: i32): usize {
  return AC_TABLES + ((index & 3) as usize) * AC_TABLE;
}

// @ts-ignore: decorator
@inline
function component(i: i32): usize {
  return COMPONENTS + (i as usize) * COMPONENT_SIZE;
}

/** Reads the definition as DC table 0 to 3. Returns 1, or 0 if it is invalid. */
export function readDcTable(index: i32): i32 {
  return buildTable(dcTable(index), DEFINITION, 0);
}

/** The same for AC. */
export function readAcTable(index: i32): i32 {
  const table = acTable(index);
  if (!buildCodes(table, DEFINITION, 1)) return 0;
  buildPairs(table, false);
  buildPairs(table, true);
  return 1;
}

/** Takes over the four code tables at codesAt. */
export function useCodes(): void {
  // AC by run << 5 | sign << 4 | size
  for (let i: usize = 0; i < 2 * 512; i++) {
    const size = (i & 15) as u32;
    const symbol = ((i & 0x1e0) >> 1) | (i & 15);
    const code = load<u32>(CODES + (2 * (i >> 9) + 1) * CODES_TABLE + (symbol << 2));
    const value = ((code >> 5) + ((i >> 4) as u32 & 1)) << size;
    store<u32>(JOINED + (i << 2), (value << 6) | ((code & 31) + size));
  }
}

/** Describes component `i`: blocks in an MCU as stored, tables to read with, and the one to write with. */
export function describe(i: i32, across: i32, down: i32, dc: i32, ac: i32, out: i32): void {
  const c = component(i & 3);
  store<i32>(c, across, C_ACROSS);
  store<i32>(c, down, C_DOWN);
  store<u32>(c, dcTable(dc) as u32, C_DC);
  store<u32>(c, acTable(ac) as u32, C_AC);
  store<i32>(c, out & 1, C_OUT);
}

/**
 * Lays out memory for a crop of `c` by `r` MCUs in all described components, whose coded data takes `bytes`.
 * From stored to turned: first rows and columns change places (`swap`), then axes are reversed. Returns 1, or
 * 0 if there is no memory.
 */
export function begin(c: i32, r: i32, n: i32, swap: i32, flipX: i32, flipY: i32, bytes: i32): i32 {
  columns = c;
  rows = r;
  count = n;
  swapped = swap != 0;
  strip = 0;
  prepareSpots(swapped, flipX != 0, flipY != 0);
  let at: usize = ARENA;
  let blocks = 0;
  for (let i = 0; i < n; i++) {
    const to = component(i);
    const across = load<i32>(to, C_ACROSS);
    const down = load<i32>(to, C_DOWN);
    const width = swapped ? r * down : c * across;
    const height = swapped ? c * across : r * down;
    const right = flipX ? -NOTE : NOTE;
    const below = flipY ? -NOTE * width : NOTE * width;
    store<u32>(to, at as u32, C_NOTES);
    store<i32>(to, width, C_WIDTH);
    store<i32>(to, NOTE * ((flipX ? width - 1 : 0) + (flipY ? (height - 1) * width : 0)), C_FIRST);
    store<i32>(to, swapped ? below : right, C_RIGHT);
    store<i32>(to, swapped ? right : below, C_BELOW);
    at += (NOTE * width * height) as usize;
    for (let j = 0; j < across * down; j++, blocks++) {
      if (blocks == BLOCKS) return 0;
      const b = (blocks as usize) * BLOCK_SIZE;
      store<u32>(READ_BLOCKS + b, to as u32, B_COMPONENT);
      store<i32>(READ_BLOCKS + b, across * load<i32>(to, C_RIGHT), B_STEP);
      store<u32>(WRITE_BLOCKS + b, to as u32, B_COMPONENT);
      store<i32>(WRITE_BLOCKS + b, (swapped ? down : across) * NOTE, B_STEP);
    }
  }
  readEnd = READ_BLOCKS + (blocks as usize) * BLOCK_SIZE;
  writeEnd = WRITE_BLOCKS + (blocks as usize) * BLOCK_SIZE;
  input = at;
  inputRoom = bytes as usize;
  data = at + inputRoom + 64;
  // the input is no longer needed when the output is written
  raw = input;
  const words = ((swapped ? r : c) as usize) * (blocks as usize) * (MOST_BYTES + 8);
  output = raw + words;
  stringsEnd = max(data + inputRoom + PIECE + MCU_BYTES + 64, output + TAKE + 2 * words + 64);
  // twice as much as the file has, what blocks without coefficients take, and the most for a row
  rowBytes = MOST_BYTES * (c as usize) * (blocks as usize);
  strings = stringsEnd + 2 * inputRoom + 2 * (at - ARENA) + rowBytes;
  return room(strings) ? 1 : 0;
}

/** Takes in the `length` bytes at inputAt. Returns 1, or 0 if they do not end with an end-of-image marker. */
export function take(length: i32): i32 {
  if ((length as usize) > inputRoom) return 0;
  const end = input + (length as usize);
  let from = input;
  dataEnd = data;
  do {
    unstuff(from, end, dataEnd, PIECE, REMOVED);
    from = stoppedAt;
    dataEnd = unstuffedEnd;
  } while (stoppedFor == 0);
  memory.fill(dataEnd, 0, MCU_BYTES + 64);
  return stoppedFor == MARKER ? 1 : 0;
}

function forgetPredictors(): void {
  for (let i = 0; i < count; i++) store<i32>(component(i), 0, C_PREDICTOR);
}

const COUNT = 0;
const RECODE = 1;
const COPY = 2;

/** Notes of the blocks of a stored row's first MCU. */
function beginStored(row: i32): void {
  let b = READ_BLOCKS;
  for (let i = 0; i < count; i++) {
    const c = component(i);
    const across = load<i32>(c, C_ACROSS);
    const down = load<i32>(c, C_DOWN);
    for (let y = 0; y < down; y++) {
      const first = load<i32>(c, C_NOTES) + load<i32>(c, C_FIRST) + (row * down + y) * load<i32>(c, C_BELOW);
      for (let x = 0; x < across; x++, b += BLOCK_SIZE) store<i32>(b, first + x * load<i32>(c, C_RIGHT), B_NOTE);
    }
  }
}

/** Notes of the blocks of a turned row's first MCU. */
function beginTurned(row: i32): void {
  let b = WRITE_BLOCKS;
  for (let i = 0; i < count; i++) {
    const c = component(i);
    const across = swapped ? load<i32>(c, C_DOWN) : load<i32>(c, C_ACROSS);
    const down = swapped ? load<i32>(c, C_ACROSS) : load<i32>(c, C_DOWN);
    for (let y = 0; y < down; y++) {
      const first = load<i32>(c, C_NOTES) + (row * down + y) * NOTE * load<i32>(c, C_WIDTH);
      for (let x = 0; x < across; x++, b += BLOCK_SIZE) store<i32>(b, first + x * NOTE, B_NOTE);
    }
  }
}

/**
 * Reads all blocks and notes their DC values; what becomes of the rest is the mode's. False for unsound data.
 */
// @ts-ignore: decorator
@inline
function walk(mode: i32): bool {
  beginSound();
  forgetPredictors();
  let string = strings;
  const least = stringsEnd + rowBytes;
  setBits(data + 7, 56, bigEndian64(data));
  for (let row = 0; row < rows; row++) {
    if (string < least) return false;
    beginStored(row);
    for (let column = 0; column < columns; column++) {
      if (bitsAt > dataEnd + 16) return false;
      for (let b = READ_BLOCKS; b < readEnd; b += BLOCK_SIZE) {
        const c: usize = load<u32>(b, B_COMPONENT);
        const note: usize = load<u32>(b, B_NOTE);
        const ac: usize = load<u32>(c, C_AC);
        store<u32>(b, (note as u32) + load<u32>(b, B_STEP), B_NOTE);
        const dc = readDc(c);

        let length: u32 = 0;
        if (mode == COUNT) countBlock(ac, COUNTS + (2 * load<u32>(c, C_OUT) + 1) * CODES_TABLE);
        else if (mode == RECODE)
          length = recodeBlock(ac, JOINED + (load<u32>(c, C_OUT) as usize) * JOINED_TABLE, string);
        else length = copyBlock(ac, string);
        store<u64>(note, ((dc as u64) << 48) | ((length as u64) << 32) | (string as u64));
        string -= (length + 7) >> 3;
      }
    }
    if (unsound) return false;
  }
  return ((bitsAt - data) << 3) - (bitCount as usize) <= (dataEnd - data) << 3;
}

/**
 * Counts the symbols of the whole transformed crop at countsAt. Returns 1, or 0 for data that cannot be coded
 * again.
 */
export function countSymbols(): i32 {
  memory.fill(COUNTS, 0, 4 * CODES_TABLE);
  if (!walk(COUNT)) return 0;
  forgetPredictors();
  const turnedRows = swapped ? columns : rows;
  for (let row = 0; row < turnedRows; row++) joinRow(row, true);
  return 1;
}

/** Codes all blocks with the tables of useCodes. Returns 1, or 0 for data that cannot be coded again. */
export function recode(): i32 {
  return begun(walk(RECODE));
}

/** Keeps the AC codes of all blocks: nothing but signs has changed. Returns as {@link recode} does. */
export function copy(): i32 {
  return begun(walk(COPY));
}

function begun(sound: bool): i32 {
  startBits(raw, output);
  forgetPredictors();
  return sound ? 1 : 0;
}

// @ts-ignore: decorator
@inline
function joinRow(row: i32, counting: bool): void {
  const inRow = swapped ? rows : columns;
  beginTurned(row);
  for (let column = 0; column < inRow; column++) {
    for (let b = WRITE_BLOCKS; b < writeEnd; b += BLOCK_SIZE) {
      const c: usize = load<u32>(b, B_COMPONENT);
      const at: usize = load<u32>(b, B_NOTE);
      store<u32>(b, (at as u32) + load<u32>(b, B_STEP), B_NOTE);
      const note = load<u64>(at);
      const dc = ((note as i64) >> 48) as i32;
      const difference = dc - load<i32>(c, C_PREDICTOR);
      store<i32>(c, dc, C_PREDICTOR);
      if (counting) {
        const to = COUNTS + 2 * load<u32>(c, C_OUT) * CODES_TABLE + ((32 - clz(abs(difference))) << 2);
        store<u32>(to, load<u32>(to) + 1);
      } else writeCoded(load<u32>(c, C_OUT), difference, note as u32 as usize, ((note >> 32) as u32) & 0xffff);
    }
  }
}

/**
 * Joins the next row of MCUs. Returns 1, 0 if the host has to take the output first, or 2 if everything is
 * joined.
 */
export function codeStrip(): i32 {
  if (strip == (swapped ? columns : rows)) {
    flushBits();
    return 2;
  }
  if (outputFill() > TAKE) return 0;
  joinRow(strip++, false);
  flushWords();
  return 1;
}
