// Lanczos-3 resampling of strips of rows: box cells, then columns, then rows. The host lays out the memory
// and computes the weights; see ../README.md for the order of calls and the memory map.

import { blendBytes, blendCells, filterPairs, pairLines } from "./bytes";
import {
  addBytes,
  addFewBytes,
  addWeightedBytes,
  addWeightedWords,
  addWords,
  averageDoubles,
  averageSums,
  averageWords,
  weightedBytesToFloats,
  weightedWordsToFloats,
  wordsToFloats,
} from "./cells";
import { blendFloats, filterQuads, quadLines } from "./floats";

/**
 * Output pixels whose columns are made together, so that they are still in the first cache when they are
 * filtered.
 */
const block = 64;

/** Contents of the ring's rows: the original 8-bit samples, i16 box cells, or f32 cells. */
const bytes = 0;
const words = 1;
const floats = 2;

let kind: i32 = bytes;
let bands: i32 = 0;
let depth: i32 = 0;
let weighted: bool = false;

/** Picture as it comes: samples in a row, rows, box sizes, buffers of staged rows and column sums. */
let width: i32 = 0;
let height: i32 = 0;
let boxX: i32 = 1;
let boxY: i32 = 1;
let staged: usize = 0;
let sums: usize = 0;
/** The next source row that `feed` takes. */
let next: i32 = 0;

let ring: usize = 0;
let ringStride: usize = 0;
let ringRows: i32 = 0;
let samples: i32 = 0;
let rows: i32 = 0;

let xSize: i32 = 0;
let xCount: i32 = 0;
let xStarts: usize = 0;
let xWeights: usize = 0;
let ySize: i32 = 0;
let yCount: i32 = 0;
let yStarts: usize = 0;
let yWeights: usize = 0;

let pointers: usize = 0;
let lines: usize = 0;
let lineStride: usize = 0;
let quads: usize = 0;
let group: usize = 0;
let groupStride: usize = 0;

/** Start of the memory that the host may use. */
export function base(): usize {
  return __heap_base;
}

/**
 * `rowKind` 0: the host writes 8-bit samples into the ring. 1: `feed` makes i16 cells of boxes of at most 257
 * 8-bit samples. 2: it makes f32 cells.
 */
export function format(rowKind: i32, bandCount: i32, bytesPerSample: i32, byAlpha: bool): void {
  kind = rowKind;
  bands = bandCount;
  depth = bytesPerSample;
  weighted = byAlpha;
}

export function source(
  pixelsAcross: i32,
  rowsDown: i32,
  boxAcross: i32,
  boxDown: i32,
  stagedAt: usize,
  sumsAt: usize,
): void {
  width = pixelsAcross;
  height = rowsDown;
  boxX = boxAcross;
  boxY = boxDown;
  staged = stagedAt;
  sums = sumsAt;
  next = 0;
}

/** Sets the cell rows of `samplesInRow` samples; row `k` is in slot `k % slots`. */
export function cells(at: usize, stride: usize, slots: i32, samplesInRow: i32, rowsDown: i32): void {
  ring = at;
  ringStride = stride;
  ringRows = slots;
  samples = samplesInRow;
  rows = rowsDown;
}

export function across(size: i32, count: i32, starts: usize, weights: usize): void {
  xSize = size;
  xCount = count;
  xStarts = starts;
  xWeights = weights;
}

export function down(size: i32, count: i32, starts: usize, weights: usize): void {
  ySize = size;
  yCount = count;
  yStarts = starts;
  yWeights = weights;
}

export function scratch(
  pointersAt: usize,
  linesAt: usize,
  stride: usize,
  quadsAt: usize,
  groupAt: usize,
  strideOfGroup: usize,
): void {
  pointers = pointersAt;
  lines = linesAt;
  lineStride = stride;
  quads = quadsAt;
  group = groupAt;
  groupStride = strideOfGroup;
}

/** The first source row that will be fed; a multiple of the box. */
export function seek(row: i32): void {
  next = row;
}

/** Takes `count` staged source rows; cells that are complete go to the ring. */
export function feed(count: i32): void {
  const stride = <usize>(width * bands * depth);
  let from = staged;
  const end = min(next + count, height);
  while (next < end) {
    const cell = next / boxY;
    const top = cell * boxY;
    const bottom = min(top + boxY, height);
    const part = min(bottom, end) - next;
    const slot = ring + <usize>(cell % ringRows) * ringStride;
    if (boxX === 1 && boxY === 1) {
      if (!weighted) wordsToFloats(from, samples, slot);
      else if (depth === 1) weightedBytesToFloats(from, samples, bands, slot);
      else weightedWordsToFloats(from, samples, bands, slot);
    } else if (kind === words) {
      const length = width * bands;
      if (next === top) memory.fill(sums, 0, (<usize>length) << 1);
      addFewBytes(from, stride, part, length, sums);
      if (next + part === bottom) averageWords(sums, width, bands, boxX, bottom - top, slot);
    } else {
      const length = width * bands;
      const doubles = weighted && depth === 2;
      if (next === top) memory.fill(sums, 0, (<usize>length) << (doubles ? 3 : 2));
      if (doubles) addWeightedWords(from, stride, part, length, bands, sums);
      else if (weighted) addWeightedBytes(from, stride, part, length, bands, sums);
      else if (depth === 2) addWords(from, stride, part, length, sums);
      else addBytes(from, stride, part, length, sums);
      if (next + part === bottom) {
        const down = bottom - top;
        const largest: u32 = depth === 1 && !weighted ? 255 : 65535;
        const most = <i32>max<u32>(1, u32.MAX_VALUE / largest / <u32>down);
        if (doubles) averageDoubles(sums, width, bands, boxX, down, slot);
        else averageSums(sums, width, bands, boxX, down, most, slot);
      }
    }
    from += <usize>part * stride;
    next += part;
  }
}

/** Output rows `first` to `first + count`, packed at `out`. All cell rows that they reach are in the ring. */
export function run(first: i32, count: i32, out: usize): void {
  const rowBytes = <usize>(xSize * bands * depth);
  for (let row = first; row < first + count; row += 4) {
    point(row);
    if (kind === floats) groupOfFloats(row);
    else groupOfIntegers(row);
    const valid = min(4, first + count - row);
    for (let r = 0; r < valid; r++, out += rowBytes) memory.copy(out, group + <usize>r * groupStride, rowBytes);
  }
}

/** Addresses of the cell rows of four output rows; rows that do not exist are the last one, with weight 0. */
function point(row: i32): void {
  let to = pointers;
  for (let r = row; r < row + 4; r++) {
    const start = load<i32>(yStarts + ((<usize>min(r, ySize - 1)) << 2));
    for (let k = start; k < start + yCount; k++, to += 4)
      store<u32>(to, <u32>(ring + <usize>(min(k, rows - 1) % ringRows) * ringStride));
  }
}

// @ts-ignore: decorator
@inline
function startOf(i: i32): i32 {
  return load<i32>(xStarts + ((<usize>i) << 2));
}

function groupOfIntegers(row: i32): void {
  let blended = (startOf(0) * bands) & ~31;
  let paired = blended;
  for (let from = 0; from < xSize; from += block) {
    const to = min(from + block, xSize);
    const need = min((startOf(to - 1) + xCount) * bands, samples);
    // a pair ends in the next pixel
    const columns = min(need + bands + 8, samples);
    for (; blended < columns; blended += 32)
      for (let r = 0; r < 4; r++) {
        const taps = pointers + ((<usize>(r * yCount)) << 2);
        const weights = yWeights + ((<usize>(min(row + r, ySize - 1) * yCount)) << 1);
        const line = lines + <usize>r * lineStride + ((<usize>blended) << 1);
        if (kind === bytes) blendBytes(taps, weights, yCount, blended, line);
        else {
          blendCells(taps, weights, yCount, (<usize>blended) << 1, line);
          blendCells(taps, weights, yCount, ((<usize>blended) << 1) + 32, line + 32);
        }
      }
    if (paired < need) {
      pairLines(lines, lineStride, bands, paired, need, quads);
      paired += (need - paired + 7) & ~7;
    }
    filterPairs(bands, quads, xStarts, xWeights, xCount, from, to, group, groupStride);
  }
}

function groupOfFloats(row: i32): void {
  let blended = (startOf(0) * bands) & ~15;
  let turned = blended;
  for (let from = 0; from < xSize; from += block) {
    const to = min(from + block, xSize);
    const need = min((startOf(to - 1) + xCount) * bands, samples);
    for (; blended < need; blended += 16)
      for (let r = 0; r < 4; r++)
        blendFloats(
          pointers + ((<usize>(r * yCount)) << 2),
          yWeights + ((<usize>(min(row + r, ySize - 1) * yCount)) << 2),
          yCount,
          (<usize>blended) << 2,
          lines + <usize>r * lineStride + ((<usize>blended) << 2),
        );
    if (turned < need) {
      quadLines(lines, lineStride, turned, need, quads);
      turned += (need - turned + 3) & ~3;
    }
    filterQuads(bands, depth, weighted, quads, xStarts, xWeights, xCount, from, to, group, groupStride);
  }
}
