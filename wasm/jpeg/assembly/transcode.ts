// Module "jpeg-transcode": converts progressive and other multi-scan JPEG to interleaved baseline, one row of
// MCUs at a time. Each scan has a separate cursor; all of them advance in lockstep, so that only one band of
// coefficients is held.

import { overran, setBand } from "./transcode/input";
import {
  B_AC_TABLE,
  B_COMPONENT,
  B_DC_TABLE,
  B_OFFSET,
  B_PREDICTION,
  B_STEP,
  BLOCK_BYTES,
  BLOCK_SIZE,
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
  CODES,
  COMPONENT_SIZE,
  COMPONENTS,
  DATA_BYTES,
  forgetDamages,
  layOut,
  layOutAnew,
  MAX_BLOCKS,
  MAX_COMPONENTS,
  PADDING,
  S_BLOCK_LIST,
  S_BLOCKS,
  S_COLUMN,
  S_COLUMNS,
  S_DATA,
  S_DATA_END,
  S_END,
  S_INTERVAL,
  S_KIND,
  S_LOW,
  S_NEED,
  S_PREDICTIONS,
  S_RAW,
  S_RAW_AT,
  S_RAW_END,
  S_RAW_SIZE,
  S_ROW,
  S_SINGLE,
  S_START,
  S_TO_GO,
  SCAN_SIZE,
  TABLE_IN,
} from "./transcode/map";
import { BLOCK_OUTPUT, beginOutput, ENTRY_SIZE, encodeBand, noteEntries, shrinkBand } from "./transcode/output";
import { acFirst, acRefine, dcFirst, dcRefine, sequential } from "./transcode/scans";
import { buildTable } from "./transcode/table";

export { fed, feedAt, feedRoom } from "./transcode/input";
export { damages } from "./transcode/map";
export { endOutput, outputAt, outputLength, outputTaken } from "./transcode/output";

let components: i32 = 0;
let mcusWide: i32 = 0;
let blocksPerMcu: i32 = 0;

/**
 * Starts a picture of `count` components, `wide` MCUs in a row, with `outputBytes` of output buffer; 0 or an
 * error.
 */
export function begin(count: i32, wide: i32, outputBytes: i32): i32 {
  if (count < 1 || count > MAX_COMPONENTS || wide < 1 || wide > 8192 || outputBytes < 8192) return 1;
  layOutAnew();
  forgetDamages();
  components = count;
  mcusWide = wide;
  blocksPerMcu = 0;
  const output = layOut(outputBytes);
  if (output === 0) return 2;
  beginOutput(output, outputBytes);
  memory.fill(COMPONENTS, 0, COMPONENT_SIZE * MAX_COMPONENTS);
  return 0;
}

/**
 * Component `index`: its sampling factors, its size in blocks that hold picture, the quantisation value of
 * DC, and whether it is written with the tables of luma (0) or chroma (1). 0 or an error.
 */
export function component(index: i32, across: i32, down: i32, wide: i32, high: i32, step: i32, codes: i32): i32 {
  if (index < 0 || index >= components || across < 1 || across > 4 || down < 1 || down > 4) return 1;
  const stride = mcusWide * across;
  if (wide < 1 || wide > stride || high < 1) return 1;
  blocksPerMcu += across * down;
  const at = COMPONENTS + COMPONENT_SIZE * index;
  const blocks = stride * down;
  store<i32>(at, across, C_ACROSS);
  store<i32>(at, down, C_DOWN);
  store<i32>(at, wide, C_WIDE);
  store<i32>(at, high, C_HIGH);
  store<i32>(at, stride, C_STRIDE);
  store<i32>(at, step, C_DC_STEP);
  store<usize>(at, CODES + (codes === 0 ? 0 : 2048), C_CODES);
  store<i32>(at, 0, C_PREDICTION);
  const coefficients = layOut((blocks as usize) << 7);
  const masks = layOut((blocks as usize) << 3);
  const rows = layOut((wide * down) as usize);
  store<usize>(at, coefficients, C_COEFFICIENTS);
  store<usize>(at, masks, C_MASKS);
  store<usize>(at, rows, C_DC_ROWS);
  return coefficients === 0 || masks === 0 || rows === 0 ? 2 : 0;
}

export function tableIn(): usize {
  return TABLE_IN;
}

export function codesAt(): usize {
  return CODES;
}

/** Builds a Huffman table from `tableIn`; returns its pointer, or 0 if it is invalid. */
export function table(largest: i32): usize {
  return buildTable(largest);
}

/**
 * A scan: kind 0 DC first, 1 DC later, 2 AC first, 3 AC later, 4 sequential; Ss, Se, Al, restart interval,
 * bytes of its window of the file. Its pointer or 0.
 */
export function scan(kind: i32, first: i32, last: i32, low: i32, interval: i32, window: i32): usize {
  if (kind < 0 || kind > 4 || first < 0 || last < first || last > 63 || low < 0 || low > 13) return 0;
  if (interval < 0 || window < 1024) return 0;
  const at = layOut(SCAN_SIZE);
  const raw = layOut(window);
  const data = layOut(DATA_BYTES + PADDING);
  if (at === 0 || raw === 0 || data === 0) return 0;
  store<i32>(at, kind, S_KIND);
  store<i32>(at, first, S_START);
  store<i32>(at, last, S_END);
  store<i32>(at, low, S_LOW);
  store<i32>(at, interval, S_INTERVAL);
  store<i32>(at, interval, S_TO_GO);
  store<i32>(at, mcusWide, S_COLUMNS);
  store<usize>(at, raw, S_RAW);
  store<usize>(at, raw, S_RAW_AT);
  store<usize>(at, raw, S_RAW_END);
  store<usize>(at, window, S_RAW_SIZE);
  store<usize>(at, data, S_DATA);
  store<usize>(at, data, S_DATA_END);
  store<usize>(at, BLOCK_BYTES, S_NEED);
  return at;
}

/**
 * Adds component `index` to a scan, with pointers of its tables (0 if the kind needs none). `interleaved` is
 * 0 for the only component of a scan, whose MCU is one block. Returns 0 or an error.
 */
export function scanComponent(at: usize, index: i32, dcTable: usize, acTable: usize, interleaved: i32): i32 {
  if (index < 0 || index >= components) return 1;
  const kind = load<i32>(at, S_KIND);
  if ((dcTable === 0 && (kind === 0 || kind === 4)) || (acTable === 0 && kind >= 2)) return 1;
  const own = COMPONENTS + COMPONENT_SIZE * index;
  const across = interleaved !== 0 ? load<i32>(own, C_ACROSS) : 1;
  const down = interleaved !== 0 ? load<i32>(own, C_DOWN) : 1;
  let count = load<i32>(at, S_BLOCKS);
  if (count + across * down > MAX_BLOCKS || (interleaved === 0 && count > 0)) return 1;
  for (let y: i32 = 0; y < down; y++) {
    for (let x: i32 = 0; x < across; x++, count++) {
      const block = at + S_BLOCK_LIST + BLOCK_SIZE * count;
      store<usize>(block, own, B_COMPONENT);
      store<i32>(block, y * load<i32>(own, C_STRIDE) + x, B_OFFSET);
      store<i32>(block, across, B_STEP);
      store<usize>(block, at + S_PREDICTIONS + 4 * index, B_PREDICTION);
      store<usize>(block, dcTable, B_DC_TABLE);
      store<usize>(block, acTable, B_AC_TABLE);
    }
  }
  store<i32>(at, count, S_BLOCKS);
  store<usize>(at, BLOCK_BYTES * count, S_NEED);
  if (interleaved === 0) {
    store<usize>(at, own, S_SINGLE);
    store<i32>(at, load<i32>(own, C_WIDE), S_COLUMNS);
  }
  return 0;
}

/**
 * Records access points for each band, at MCU 0 and at every `step` k - 1; `head`: bytes of the file in front
 * of the data. Pointer to the entries of the band, (1 + MCUs / step) of them, or 0.
 */
export function index(step: i32, head: u32): usize {
  if (step < 2) return 0;
  const at = layOut(ENTRY_SIZE * (1 + mcusWide / step));
  if (at !== 0) noteEntries(at, step, head);
  return at;
}

/** Clears the coefficients for row `number` of MCUs; scans begin at its start. */
export function startBand(number: i32): void {
  setBand(number);
  for (let i: i32 = 0; i < components; i++) {
    const own = COMPONENTS + COMPONENT_SIZE * i;
    const blocks: usize = load<i32>(own, C_STRIDE) * load<i32>(own, C_DOWN);
    memory.fill(load<usize>(own, C_COEFFICIENTS), 0, blocks << 7);
    memory.fill(load<usize>(own, C_MASKS), 0, blocks << 3);
  }
}

/** Reads a scan's part of the band; 0 when it is done, 1 when its window has to be filled first. */
export function advance(at: usize): i32 {
  const kind = load<i32>(at, S_KIND);
  const state =
    kind === 0
      ? dcFirst(at)
      : kind === 1
        ? dcRefine(at)
        : kind === 2
          ? acFirst(at)
          : kind === 3
            ? acRefine(at)
            : sequential(at);
  if (state !== 0) return 1;
  overran(at);
  store<i32>(at, 0, S_ROW);
  store<i32>(at, 0, S_COLUMN);
  return 0;
}

/** Writes the band; 0 when it is written, 1 when the output has to be taken first. */
export function encode(): i32 {
  return encodeBand(components, mcusWide, BLOCK_OUTPUT * blocksPerMcu + 8);
}

/** The band of a component at 1/8: pointer to `down` rows of `wide` samples. */
export function shrink(index: i32): usize {
  const own = COMPONENTS + COMPONENT_SIZE * index;
  shrinkBand(own);
  return load<usize>(own, C_DC_ROWS);
}
