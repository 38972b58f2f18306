// Module "jxl-recode": the coefficients of a crop of a sequential JPEG as the sections of a JPEG XL frame
// (ISO/IEC 18181-1), without loss. ../README.md has the exports. All is in one file since its passes share
// the state of one picture.

import { buildCodes, buildTable } from "../../jpeg/assembly/huffman-read";
import {
  AC_TABLE,
  AC_TABLES,
  C_ACROSS,
  C_AC,
  C_DC,
  C_DOWN,
  COMPONENT_SIZE,
  COMPONENTS,
  DC_TABLE,
  DC_TABLES,
  DEFINITION,
  PIECE,
} from "../../jpeg/assembly/turn/map";
import { buildPairs } from "../../jpeg/assembly/turn/tables";
import { beginBits, endBits, put } from "./bit-writer";
import { MCU_BYTES, N_DC, NOTE, readBlocks, takeData } from "./blocks";
import { makeClusters } from "./clusters";
import { GROUP, makeTokens } from "./groups";
import { writeAlphabet, writeCode, writeIntegers } from "./histograms";
import {
  ARENA,
  CLUSTER_OF,
  CODE,
  CODES,
  CONTEXTS,
  COUNTS,
  GROUP_ENDS,
  HISTOGRAM,
  K_COUNTS,
  LENGTHS,
  MOST_SECTIONS,
  ONLY_CODE,
  P_ACROSS,
  P_DOWN,
  P_NOTES,
  P_WIDTH,
  PLANE,
  PLANES,
  QUANTISATION,
} from "./map";
import { tokenOf, writeStream, zigzagOf } from "./streams";

/** Blocks on a side of a group of DC values. */
const DC_GROUP: u32 = 256;
/** A group's tokens, at most: three planes of 32 by 32 blocks with 64 each. */
const GROUP_TOKENS: usize = 4 * 3 * 1024 * 64;
/** Blocks of an MCU. */
const BLOCKS: i32 = 10;

let columns: i32 = 0; // MCUs
let rows: i32 = 0;
let count: i32 = 0; // components
let wide: u32 = 0; // blocks of luma in the frame, without those that only fill MCUs up
let high: u32 = 0;
let paddedWide: u32 = 0;
let paddedHigh: u32 = 0;
let input: usize = 0;
let inputRoom: usize = 0;
let data: usize = 0;
let values: usize = 0;
let tokens: usize = 0;
let output: usize = 0;
let sections: u32 = 0;

export function definitionAt(): usize {
  return DEFINITION;
}

export function quantisationAt(): usize {
  return QUANTISATION;
}

export function inputAt(): usize {
  return input;
}

export function outputAt(): usize {
  return output;
}

export function lengthsAt(): usize {
  return LENGTHS;
}

export function sectionCount(): u32 {
  return sections;
}

function room(end: usize): bool {
  const missing = (((end + 0xffff) >> 16) as i32) - memory.size();
  return missing <= 0 || memory.grow(missing) >= 0;
}

/** Reads the definition as DC table 0 to 3. Returns 1, or 0 if it is invalid. */
export function readDcTable(index: i32): i32 {
  return buildTable(DC_TABLES + ((index & 3) as usize) * DC_TABLE, DEFINITION, 0);
}

/** Reads the definition as AC table 0 to 3. Returns 1, or 0 if it is invalid. */
export function readAcTable(index: i32): i32 {
  const table = AC_TABLES + ((index & 3) as usize) * AC_TABLE;
  if (!buildCodes(table, DEFINITION, 1)) return 0;
  buildPairs(table, false);
  return 1;
}

/**
 * Describes component `i`: blocks in an MCU, tables to read with, shifts of its blocks against those of luma.
 */
export function describe(i: i32, across: i32, down: i32, dc: i32, ac: i32, shiftX: i32, shiftY: i32): void {
  const c = COMPONENTS + ((i & 3) as usize) * COMPONENT_SIZE;
  store<i32>(c, across, C_ACROSS);
  store<i32>(c, down, C_DOWN);
  store<u32>(c, (DC_TABLES + ((dc & 3) as usize) * DC_TABLE) as u32, C_DC);
  store<u32>(c, (AC_TABLES + ((ac & 3) as usize) * AC_TABLE) as u32, C_AC);
  const plane = PLANES + ((i & 3) as usize) * PLANE;
  store<i32>(plane, shiftX & 1, P_ACROSS);
  store<i32>(plane, shiftY & 1, P_DOWN);
}

/**
 * Lays out memory for a crop of `c` by `r` MCUs in `n` components, 1 or 3, of `w` by `h` pixels, whose coded
 * data takes `bytes`. Returns 1, or 0 if there is no memory or there are too many groups.
 */
export function begin(c: i32, r: i32, n: i32, w: i32, h: i32, bytes: i32): i32 {
  columns = c;
  rows = r;
  count = n;
  wide = ((w + 7) >> 3) as u32;
  high = ((h + 7) >> 3) as u32;
  let shiftX: u32 = 0;
  let shiftY: u32 = 0;
  let at: usize = ARENA;
  let blocks = 0;
  if (n == 1)
    for (let i: usize = 1; i < 3; i++) {
      store<i32>(PLANES + i * PLANE, 0, P_ACROSS);
      store<i32>(PLANES + i * PLANE, 0, P_DOWN);
    }
  for (let i: usize = 0; i < (n as usize); i++) {
    const component = COMPONENTS + i * COMPONENT_SIZE;
    const plane = PLANES + i * PLANE;
    const across = load<i32>(component, C_ACROSS);
    const down = load<i32>(component, C_DOWN);
    blocks += across * down;
    shiftX |= load<u32>(plane, P_ACROSS);
    shiftY |= load<u32>(plane, P_DOWN);
    store<u32>(plane, at as u32, P_NOTES);
    store<i32>(plane, c * across, P_WIDTH);
    at += NOTE * (c as usize) * (r as usize) * ((across * down) as usize);
  }
  if (blocks > BLOCKS) return 0;
  paddedWide = ((wide + shiftX) >> shiftX) << shiftX;
  paddedHigh = ((high + shiftY) >> shiftY) << shiftY;
  sections = 2 + dcGroups() + groupsWide() * groupsHigh();
  if (sections > (MOST_SECTIONS as u32)) return 0;
  input = at;
  inputRoom = bytes as usize;
  data = input + inputRoom + 64;
  values = data + inputRoom + PIECE + MCU_BYTES + 64;
  tokens = (values + 8 * inputRoom + 64) & ~3;
  return room(tokens) ? 1 : 0;
}

// @ts-ignore: decorator
@inline
function groupsWide(): u32 {
  return (wide + GROUP - 1) / GROUP;
}

// @ts-ignore: decorator
@inline
function groupsHigh(): u32 {
  return (high + GROUP - 1) / GROUP;
}

function dcGroups(): u32 {
  return ((wide + DC_GROUP - 1) / DC_GROUP) * ((high + DC_GROUP - 1) / DC_GROUP);
}

/**
 * Recodes the `length` bytes at inputAt, which end with a marker. Returns 1, or 0 for data that no encoder of
 * 8-bit samples writes, and if there is no memory.
 */
export function recode(length: i32): i32 {
  if ((length as usize) > inputRoom || !takeData(input, input + (length as usize), data)) return 0;
  if (!readBlocks(columns, rows, count, values)) return 0;
  memory.fill(COUNTS, 0, CONTEXTS * HISTOGRAM);
  let end = tokens;
  let group: usize = 0;
  let largest: usize = 0;
  for (let y: u32 = 0; y < high; y += GROUP)
    for (let x: u32 = 0; x < wide; x += GROUP) {
      if (!room(end + GROUP_TOKENS)) return 0;
      const from = end;
      end = makeTokens(x, y, min(GROUP, paddedWide - x), min(GROUP, paddedHigh - y), count, end);
      largest = max(largest, end - from);
      store<u32>(GROUP_ENDS + (group++ << 2), end as u32);
    }
  return writeSections(end, largest) ? 1 : 0;
}

let codeList: usize = 0; // pointer of the code of each context, u32
let items: usize = 0;
let scratch: usize = 0; // tokens of one context
let at: usize = 0; // end of the output
let section: usize = 0;

function writeSections(end: usize, largest: usize): bool {
  const dcTokens: usize = 4 * 3 * (DC_GROUP as usize) * (DC_GROUP as usize);
  const spare = max(min(dcTokens, 4 * 3 * (paddedWide as usize) * (paddedHigh as usize)), 4 * CONTEXTS + 1024);
  codeList = end;
  scratch = codeList + 4 * CONTEXTS;
  items = scratch + spare;
  output = items + 2 * max(largest, spare) + 64;
  at = output;
  section = 0;
  if (!room(output + 0x10000)) return false;
  writeGlobal();
  for (let y: u32 = 0; y < high; y += DC_GROUP)
    for (let x: u32 = 0; x < wide; x += DC_GROUP) {
      if (!room(at + 8 * spare + 0x10000)) return false;
      writeDcGroup(x, y);
    }
  if (!room(at + 0x40000)) return false;
  writeCodes();
  let from = tokens;
  const groups = groupsWide() * groupsHigh();
  for (let group: u32 = 0; group < groups; group++) {
    const to: usize = load<u32>(GROUP_ENDS + ((group as usize) << 2));
    if (!room(at + 2 * (to - from) + 0x10000)) return false;
    beginBits(at);
    writeStream(from, to, codeList, items);
    endSection();
    from = to;
  }
  return true;
}

function endSection(): void {
  const end = endBits();
  store<u32>(LENGTHS + (section++ << 2), (end - at) as u32);
  at = end;
}

/** A power of two of a quantisation value as half float: value * 2^exponent. */
function putHalf(value: u32, exponent: i32): void {
  if (value == 0) {
    put(0, 16);
    return;
  }
  const top = 31 - (clz(value) as i32);
  const mantissa = top > 10 ? value >> (top - 10) : value << (10 - top);
  put((((top + exponent + 15) as u32) << 10) | (mantissa & 1023), 16);
}

// @ts-ignore: decorator
@inline
function quantisation(plane: usize, k: usize): u32 {
  return load<u16>(QUANTISATION + ((plane << 6) << 1) + (k << 1));
}

/** Planes in the order of the codestream: Cb, Y, Cr. */
// @ts-ignore: decorator
@inline
function stored(i: usize): usize {
  return i == 0 ? 1 : i == 1 ? 0 : 2;
}

function writeGlobal(): void {
  beginBits(at);
  put(0, 1); // steps of DC: those of the file
  for (let i: usize = 0; i < 3; i++) putHalf(quantisation(stored(i), 0), -4);
  put(3, 2); // global scale 65280
  put(65280 - 8193, 16);
  put(1, 2); // DC scale 1
  put(0, 5);
  put(0, 1); // contexts of blocks: no thresholds
  put(0, 16);
  put(1, 1); // a simple map of one bit: luma 0, chroma 1
  put(1, 2);
  put(0, 13);
  put(0x3ffffff, 26);
  put(0, 1); // no prediction of chroma from luma
  put(0, 2);
  put(0, 16);
  put(0, 16);
  put(128, 8);
  put(128, 8);
  put(0, 1); // no tree for all
  endSection();
}

/** Writes what a stream of samples begins with: an own tree of one leaf with this predictor. */
function putTree(predictor: u32): void {
  put(0, 1); // own tree
  put(1, 1); // default weights
  put(0, 2); // no transforms
  put(0, 1); // no repeated strings
  put(1, 1); // six contexts in one
  put(0, 2);
  put(1, 1); // prefix code
  put(15, 4); // whole values
  if (predictor == 0) {
    put(0, 1); // of one symbol
    return;
  }
  put(1, 1); // an alphabet of 6
  put(2, 4);
  put(1, 2);
  put(1, 2); // a simple code
  put(1, 2); // of two symbols
  put(0, 3);
  put(predictor, 3);
  put(2, 5); // decision none, predictor, no offset, multiplier 1
}

/** Writes the tokens of one context from `from` up to `end` with a code of their own. */
function putOwnStream(from: usize, end: usize): void {
  put(0, 1); // no repeated strings
  writeAlphabet();
  writeIntegers();
  memory.fill(ONLY_CODE + K_COUNTS, 0, HISTOGRAM);
  for (let token = from; token < end; token += 4) {
    const count = ONLY_CODE + K_COUNTS + ((((load<u32>(token) >> 16) & 63) as usize) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  writeCode(ONLY_CODE);
  store<u32>(codeList, ONLY_CODE as u32);
  writeStream(from, end, codeList, items);
}

/** The prediction from the samples left, above and between, within the range of the first two. */
// @ts-ignore: decorator
@inline
function gradient(left: i32, above: i32, corner: i32): i32 {
  return max(min(left, above), min(max(left, above), left + above - corner));
}

function writeDcGroup(left: u32, top: u32): void {
  beginBits(at);
  put(0, 2); // no extra precision
  putTree(5);
  let token = scratch;
  const groupWide = min(DC_GROUP, paddedWide - left);
  const groupHigh = min(DC_GROUP, paddedHigh - top);
  for (let c: usize = 0; c < 3; c++) {
    const plane = PLANES + c * PLANE;
    const across = load<u32>(plane, P_ACROSS);
    const down = load<u32>(plane, P_DOWN);
    const planeWide = groupWide >> across;
    const planeHigh = groupHigh >> down;
    if ((c as i32) >= count) {
      for (let i: u32 = 0; i < planeWide * planeHigh; i++, token += 4) store<u32>(token, 0);
      continue;
    }
    const step: usize = NOTE * (load<u32>(plane, P_WIDTH) as usize);
    let line: usize =
      (load<u32>(plane, P_NOTES) as usize) + step * ((top >> down) as usize) + NOTE * ((left >> across) as usize);
    for (let y: u32 = 0; y < planeHigh; y++, line += step) {
      let note = line;
      for (let x: u32 = 0; x < planeWide; x++, note += NOTE, token += 4) {
        const before = x > 0 ? load<i32>(note - NOTE, N_DC) : y > 0 ? load<i32>(note - step, N_DC) : 0;
        const above = y > 0 ? load<i32>(note - step, N_DC) : before;
        const corner = x > 0 && y > 0 ? load<i32>(note - step - NOTE, N_DC) : before;
        store<u32>(token, tokenOf(zigzagOf(load<i32>(note, N_DC) - gradient(before, above, corner))));
      }
    }
  }
  putOwnStream(scratch, token);
  // blocks of 8 by 8 without prediction of chroma and sharpness: zeros
  const blocks = groupWide * groupHigh;
  put(blocks - 1, blocks > 1 ? 32 - clz(blocks - 1) : 0);
  putTree(0);
  put(0, 1);
  put(1, 1);
  put(15, 4);
  put(0, 1);
  endSection();
}

/** Writes the quantisation tables and the codes of all groups; {@link codeList} has them by context. */
function writeCodes(): void {
  const clusters = makeClusters();
  beginBits(at);
  put(0, 1); // own tables, of which the first is written out
  put(7, 3);
  putHalf(1, -14); // the second pass adds nothing, but has decoders see eight times the coefficients
  putTree(5);
  let token = scratch;
  for (let i: usize = 0; i < 3; i++)
    for (let k: usize = 0; k < 64; k++, token += 4) {
      const plane = stored(i);
      const before = k & 7 ? quantisation(plane, k - 1) : k >= 8 ? quantisation(plane, k - 8) : 0;
      const above = k >= 8 ? quantisation(plane, k - 8) : before;
      const corner = k & 7 && k >= 8 ? quantisation(plane, k - 9) : before;
      const guess = gradient(before, above, corner);
      store<u32>(token, tokenOf(zigzagOf((quantisation(plane, k) as i32) - guess)));
    }
  putOwnStream(scratch, token);
  for (let i = 0; i < 16; i++) put(0, 3); // tables that no block uses
  const groups = groupsWide() * groupsHigh();
  if (groups > 1) put(0, 32 - clz(groups - 1)); // one set of codes
  // first pass
  put(2, 2); // natural order
  put(0, 1); // no repeated strings
  if (clusters > 1) writeMap();
  else {
    put(1, 1);
    put(0, 2);
  }
  writeAlphabet();
  for (let k: u32 = 0; k < clusters; k++) writeIntegers();
  for (let k: u32 = 0; k < clusters; k++) writeCode(CODES + (k as usize) * CODE);
  for (let context: usize = 0; context < CONTEXTS; context++)
    store<u32>(codeList + (context << 2), (CODES + (load<u8>(CLUSTER_OF + context) as usize) * CODE) as u32);
  // second pass: every block has 0 coefficients, with a code of no bits
  put(2, 2);
  put(0, 1);
  put(1, 1);
  put(0, 2);
  put(1, 1);
  put(15, 4);
  put(0, 1);
  endSection();
}

/** Writes the cluster of each context: its position in a list of the latest ones. */
function writeMap(): void {
  const latest = scratch;
  for (let i: usize = 0; i < 64; i++) store<u8>(latest + i, i as u8);
  const from = scratch + 64;
  let token = from;
  for (let context: usize = 0; context < CONTEXTS; context++, token += 4) {
    const cluster = load<u8>(CLUSTER_OF + context);
    let position: usize = 0;
    while (load<u8>(latest + position) != cluster) position++;
    store<u32>(token, tokenOf(position as u32));
    for (; position > 0; position--) store<u8>(latest + position, load<u8>(latest + position - 1));
    store<u8>(latest, cluster);
  }
  put(0, 1); // no simple map
  put(1, 1); // positions in the list
  putOwnStream(from, token);
}
