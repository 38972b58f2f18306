// Baseline JPEG encoder (ITU T.81, sequential DCT, Huffman coding): one row of MCUs at a time, from RGB, gray
// or YCbCr planes. Headers and tables are the host's; README.md has the exports and the memory map. In one
// file since all exports share the state of one image.

import { convertRow, extendRow, extendRows, halveRows } from "./encode/colour";
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
  tokensEnd,
  writeBlock,
  writeTokens,
} from "./encode/entropy";
import { BLOCK, CODES, COUNTS, DIVISORS, DIVISORS_TABLE, PICTURE, QUANTISATION } from "./encode/map";
import { prepareDivisors, transformBlock } from "./encode/transform";

/** Behind every buffer, for whole vectors at its end. */
const SLACK: usize = 64;
/** The most bytes that a block's codes take: 27 bits for DC and 63 times 26, rounded up with room. */
const BLOCK_BYTES: usize = 216;
const BLOCK_TOKENS: usize = 256;
/** Output is taken by the host at this fill; a strip always fits behind it. */
const TAKE: usize = 256 * 1024;

let width: usize = 0;
let height: usize = 0;
/** Blocks of luma in an MCU, across and down; chroma has one of each. */
let across: usize = 1;
let down: usize = 1;
let components: usize = 0;
let mcus: usize = 0;
/** Index of the strip: the row of MCUs to be coded next. */
let strip: usize = 0;
let strips: usize = 0;
/** Luma blocks that hold samples. Others only complete the last MCUs. */
let blocksAcross: usize = 0;
let blocksDown: usize = 0;

let stride: usize = 0;
let planeY: usize = 0;
let planeCb: usize = 0;
let planeCr: usize = 0;
/** Four full-width rows, two of each chroma, before they are halved. */
let chroma: usize = 0;
let input: usize = 0;
let inputLimit: usize = 0;
let output: usize = 0;
let rawTokens: usize = 0;
let tokens: usize = 0;
let tokensLimit: usize = 0;
let tokensBound: usize = 0;
let complete: bool = false;

let lastY: i32 = 0;
let lastCb: i32 = 0;
let lastCr: i32 = 0;

export function quantisationAt(): usize {
  return QUANTISATION;
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

/** Takes over the two quantisation tables at quantisationAt. */
export function useQuantisation(): void {
  prepareDivisors(0);
  prepareDivisors(1);
}

/** Takes over the four code tables at codesAt. */
export function useCodes(): void {
  prepareValues();
  prepareRuns(0);
  prepareRuns(1);
}

/** Grows the memory up to this address; false if the engine refuses. */
function reach(end: usize): bool {
  const pages = <i32>((end + 0xffff) >> 16);
  const more = pages - memory.size();
  return more <= 0 || memory.grow(more) >= 0;
}

/**
 * Lays out memory for one picture and forgets the previous one. `h` and `v`: luma blocks in an MCU across and
 * down (1 or 2); `count`: components, 1 or 3; `inputBytes`: room at inputAt for the rows of one strip;
 * `tokenBytes`: maximum of stored tokens, 0 if none will be counted. Returns 1, or 0 if a value is out of
 * range or memory is refused.
 */
export function begin(w: i32, h0: i32, h: i32, v: i32, count: i32, inputBytes: i32, tokenBytes: i32): i32 {
  if (w < 1 || h0 < 1 || w > 0xffff || h0 > 0xffff) return 0;
  if (h < 1 || h > 2 || v < 1 || v > h || (count != 1 && count != 3) || (count == 1 && h != 1)) return 0;
  if (inputBytes < 0 || inputBytes > 0x8000000 || tokenBytes < 0 || tokenBytes > 0x8000000) return 0;
  width = w;
  height = h0;
  across = h;
  down = v;
  components = count;
  mcus = (width + 8 * across - 1) / (8 * across);
  strips = (height + 8 * down - 1) / (8 * down);
  blocksAcross = (width + 7) >> 3;
  blocksDown = (height + 7) >> 3;
  const blocks = mcus * (count == 1 ? 1 : across * down + 2);

  // never a multiple of 4096, at which the rows of a block would fight for the same place in the cache
  stride = ((width + 15) & ~15) + SLACK;
  planeY = PICTURE;
  planeCb = planeY + 8 * down * stride + SLACK;
  planeCr = planeCb + (count == 3 ? 8 * stride + SLACK : 0);
  chroma = planeCr + (count == 3 ? 8 * stride + SLACK : 0);
  input = chroma + (count == 3 && across == 2 ? 4 * stride + SLACK : 0);
  inputLimit = input + inputBytes;
  const rawArea = (inputLimit + SLACK + 15) & ~15;
  const rawBytes = blocks * BLOCK_BYTES;
  rawTokens = rawBytes >> 2;
  output = rawArea + rawBytes + SLACK;
  const outputBytes = TAKE + 2 * rawBytes + SLACK;
  tokens = (output + outputBytes + 15) & ~15;
  tokensBound = tokens + tokenBytes;
  tokensLimit = tokens + (tokenBytes > 0 ? blocks * BLOCK_TOKENS : 0);
  if (!reach(tokensLimit + SLACK)) return 0;
  startBits(rawArea, output);
  startTokens(tokens);
  complete = true;
  restart();
  return 1;
}

/** Back to the first strip, with the tables as they are now. */
export function restart(): void {
  strip = 0;
  lastY = lastCb = lastCr = 0;
}

/** Rows of the picture in the strip to come. */
// @ts-ignore: decorator
@inline
function stripRows(): usize {
  return strip < strips ? min<usize>(8 * down, height - strip * 8 * down) : 0;
}

/**
 * Takes the strip's rows of interleaved RGB from inputAt, `pitch` bytes apart. Returns 1, or 0 if they do not
 * fit.
 */
export function takePixels(pitch: i32): i32 {
  const rows = stripRows();
  const step = <usize>pitch;
  if (rows == 0 || components != 3 || step < width * 3 || step > 0x1000000) return 0;
  if (input + (rows - 1) * step + width * 3 > inputLimit) return 0;
  if (across == 1) {
    const padded = blocksAcross << 3;
    for (let row: usize = 0; row < rows; row++) {
      const at = row * stride;
      convertRow(input + row * step, planeY + at, planeCb + at, planeCr + at, width);
      extendRow(planeY + at, width, padded);
      extendRow(planeCb + at, width, padded);
      extendRow(planeCr + at, width, padded);
    }
    extendRows(planeY, stride, padded, rows, 8);
    extendRows(planeCb, stride, padded, rows, 8);
    extendRows(planeCr, stride, padded, rows, 8);
    return 1;
  }
  if (down == 1) return 0;
  const padded = mcus << 4;
  const cb1 = chroma + stride;
  const cr0 = cb1 + stride;
  const cr1 = cr0 + stride;
  for (let row: usize = 0; row < rows; row += 2) {
    const from = input + row * step;
    const y = planeY + row * stride;
    convertRow(from, y, chroma, cr0, width);
    extendRow(y, width, blocksAcross << 3);
    extendRow(chroma, width, padded);
    extendRow(cr0, width, padded);
    let cbBelow = chroma;
    let crBelow = cr0;
    if (row + 1 < rows) {
      convertRow(from + step, y + stride, cb1, cr1, width);
      extendRow(y + stride, width, blocksAcross << 3);
      extendRow(cb1, width, padded);
      extendRow(cr1, width, padded);
      cbBelow = cb1;
      crBelow = cr1;
    }
    const at = (row >> 1) * stride;
    halveRows(chroma, cbBelow, planeCb + at, padded >> 1);
    halveRows(cr0, crBelow, planeCr + at, padded >> 1);
  }
  extendRows(planeY, stride, blocksAcross << 3, rows, 16);
  extendRows(planeCb, stride, padded >> 1, (rows + 1) >> 1, 8);
  extendRows(planeCr, stride, padded >> 1, (rows + 1) >> 1, 8);
  return 1;
}

/**
 * Takes the strip's rows of one component from inputAt, `pitch` bytes apart: as many samples as the component
 * has, or, with `full` in 4:2:0, chroma at the size of luma, which is halved here. Returns 1, or 0 if they do
 * not fit.
 */
export function takePlane(component: i32, pitch: i32, full: i32): i32 {
  const all = stripRows();
  const step = <usize>pitch;
  if (all == 0 || component < 0 || <usize>component >= components || step > 0x1000000) return 0;
  const halve = component > 0 && full != 0 && across == 2 && down == 2;
  const small = component > 0 && !halve;
  const columns = small ? (width + across - 1) / across : width;
  const rows = small ? (all + down - 1) / down : all;
  if (step < columns || input + (rows - 1) * step + columns > inputLimit) return 0;
  const plane = component == 0 ? planeY : component == 1 ? planeCb : planeCr;
  if (halve) {
    const padded = mcus << 4;
    for (let row: usize = 0; row < rows; row += 2) {
      memory.copy(chroma, input + row * step, columns);
      extendRow(chroma, columns, padded);
      let below = chroma;
      if (row + 1 < rows) {
        below = chroma + stride;
        memory.copy(below, input + (row + 1) * step, columns);
        extendRow(below, columns, padded);
      }
      halveRows(chroma, below, plane + (row >> 1) * stride, padded >> 1);
    }
    extendRows(plane, stride, padded >> 1, (rows + 1) >> 1, 8);
    return 1;
  }
  const padded = ((columns + 7) >> 3) << 3;
  for (let row: usize = 0; row < rows; row++) {
    const to = plane + row * stride;
    memory.copy(to, input + row * step, columns);
    extendRow(to, columns, padded);
  }
  extendRows(plane, stride, padded, rows, component == 0 ? 8 * down : 8);
  return 1;
}

/** Codes one block of samples and returns its DC coefficient. */
// @ts-ignore: decorator
@inline
function codeBlock(at: usize, table: usize, last: i32, count: bool): i32 {
  const nonzero = transformBlock(at, stride, DIVISORS + table * DIVISORS_TABLE);
  const dc = <i32>load<i16>(BLOCK);
  if (count) countBlock(table, dc - last, nonzero);
  else writeBlock(table, dc - last, nonzero);
  return dc;
}

// @ts-ignore: decorator
@inline
function codeMcus(count: bool): void {
  for (let mcu: usize = 0; mcu < mcus; mcu++) {
    for (let v: usize = 0; v < down; v++) {
      for (let h: usize = 0; h < across; h++) {
        const x = mcu * across + h;
        if (x < blocksAcross && strip * down + v < blocksDown) {
          lastY = codeBlock(planeY + 8 * (v * stride + x), 0, lastY, count);
        } else if (count) countBlock(0, 0, 0);
        else writeBlock(0, 0, 0);
      }
    }
    if (components == 3) {
      lastCb = codeBlock(planeCb + 8 * mcu, 1, lastCb, count);
      lastCr = codeBlock(planeCr + 8 * mcu, 1, lastCr, count);
    }
  }
  strip++;
}

/** Codes the current strip. Returns 1, or 0 if the host has to take the output first. */
export function codeStrip(): i32 {
  if (strip >= strips || outputFill() > TAKE) return 0;
  codeMcus(false);
  flushWords();
  return 1;
}

/**
 * Counts the symbols of the current strip, and stores them while they fit. Returns 1 as long as all are
 * stored, 0 if the rows have to be passed in a second time.
 */
export function countStrip(): i32 {
  if (strip >= strips || tokensLimit == tokens) return 0;
  const room = mcus * (components == 1 ? 1 : across * down + 2) * BLOCK_TOKENS;
  if (!complete) dropTokens();
  else if (tokensEnd() + room > tokensLimit) {
    const wanted = tokensEnd() + room + (tokensLimit - tokens);
    if (wanted <= tokensBound && reach(wanted + SLACK)) tokensLimit = wanted;
    else {
      complete = false;
      dropTokens();
    }
  }
  codeMcus(true);
  return complete ? 1 : 0;
}

/**
 * Codes as many stored tokens as fit. Returns the number left, or -1 if the host has to take the output
 * first.
 */
export function codeTokens(): i32 {
  if (!complete || outputFill() > TAKE) return -1;
  const left = writeTokens(rawTokens);
  flushWords();
  return <i32>left;
}

/** Completes the last byte of the scan. */
export function finish(): void {
  flushBits();
}

/** Bytes at outputAt. */
export function outputLength(): i32 {
  return <i32>outputFill();
}

/** Says that the host has the output: the next bytes come to its start. */
export function taken(): void {
  clearOutput();
}
