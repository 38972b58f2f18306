// The coefficients of a crop of a sequential JPEG (ITU-T T.81, F.2.2): a note and its values for each block.

import { bigEndian64, MARKER, stoppedAt, stoppedFor, unstuff, unstuffedEnd } from "../../jpeg/assembly/bits";
import {
  beginSound,
  bitCount,
  bitsAt,
  prepareSpots,
  readDc,
  readValues,
  setBits,
  unsound,
} from "../../jpeg/assembly/turn/blocks";
import {
  B_COMPONENT,
  B_NOTE,
  B_STEP,
  BLOCK_SIZE,
  C_ACROSS,
  C_AC,
  C_DOWN,
  C_PREDICTOR,
  COMPONENT_SIZE,
  COMPONENTS,
  PIECE,
  READ_BLOCKS,
  REMOVED,
  VALUES,
} from "../../jpeg/assembly/turn/map";
import { P_NOTES, P_WIDTH, PLANE, PLANES } from "./map";

/** Bytes of a note: which coefficients are not zero, u64; pointer of their values, u32; DC value, i32. */
export const NOTE: usize = 16;
export const N_MASK: usize = 0;
export const N_VALUES: usize = 8;
export const N_DC: usize = 12;

/** More than any MCU takes, of at most 10 blocks. */
export const MCU_BYTES: usize = 2560;

let data: usize = 0;
let dataEnd: usize = 0;

/** Removes the stuffing of the bytes from `input` up to `end`. False if they do not end with a marker. */
export function takeData(input: usize, end: usize, to: usize): bool {
  data = to;
  dataEnd = to;
  let from = input;
  do {
    unstuff(from, end, dataEnd, PIECE, REMOVED);
    from = stoppedAt;
    dataEnd = unstuffedEnd;
  } while (stoppedFor == 0);
  memory.fill(dataEnd, 0, MCU_BYTES + 64);
  return stoppedFor == MARKER;
}

/** Notes of the blocks of a row's first MCU. Returns the end of the list. */
function beginRow(row: i32, count: i32): usize {
  let b = READ_BLOCKS;
  for (let i: usize = 0; i < (count as usize); i++) {
    const c = COMPONENTS + i * COMPONENT_SIZE;
    const plane = PLANES + i * PLANE;
    const across = load<i32>(c, C_ACROSS);
    const down = load<i32>(c, C_DOWN);
    for (let y = 0; y < down; y++) {
      const first = load<u32>(plane, P_NOTES) + (row * down + y) * load<i32>(plane, P_WIDTH) * (NOTE as i32);
      for (let x = 0; x < across; x++, b += BLOCK_SIZE) {
        store<u32>(b, c as u32, B_COMPONENT);
        store<u32>(b, first + x * (NOTE as i32), B_NOTE);
        store<u32>(b, across * (NOTE as i32), B_STEP);
      }
    }
  }
  return b;
}

/**
 * Reads `rows` of `columns` MCUs of `count` components: notes to the planes, values to `values`, which has
 * room for 8 bytes for each byte of data. Coefficients are those of the transposed block, as the codestream
 * orders them. False for data that no encoder of 8-bit samples writes.
 */
export function readBlocks(columns: i32, rows: i32, count: i32, values: usize): bool {
  beginSound();
  prepareSpots(true, false, false);
  for (let i: usize = 0; i < 4; i++) store<i32>(COMPONENTS + i * COMPONENT_SIZE, 0, C_PREDICTOR);
  let value = values;
  setBits(data + 7, 56, bigEndian64(data));
  for (let row = 0; row < rows; row++) {
    const end = beginRow(row, count);
    for (let column = 0; column < columns; column++) {
      if (bitsAt > dataEnd + 16) return false;
      for (let b = READ_BLOCKS; b < end; b += BLOCK_SIZE) {
        const c: usize = load<u32>(b, B_COMPONENT);
        const note: usize = load<u32>(b, B_NOTE);
        store<u32>(b, (note as u32) + load<u32>(b, B_STEP), B_NOTE);
        const dc = readDc(c);
        let mask = readValues(load<u32>(c, C_AC)) & ~(1 as u64);
        store<u64>(note, mask, N_MASK);
        store<u32>(note, value as u32, N_VALUES);
        store<i32>(note, dc, N_DC);
        while (mask) {
          const read: i32 = load<i16>((ctz(mask) as usize) << 1, VALUES);
          mask &= mask - 1;
          store<i16>(value, ((read >> 5) + ((read >> 4) & 1)) as i16);
          value += 2;
        }
      }
    }
    if (unsound) return false;
  }
  return ((bitsAt - data) << 3) - (bitCount as usize) <= (dataEnd - data) << 3;
}
