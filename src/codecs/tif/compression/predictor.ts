// Undoing of predictors: horizontal differencing (TIFF 6.0 section 14) and the floating-point one (TIFF Technical Note 3).

import type { Picture } from "../directory/picture.ts";

/** Turns 16- and 32-bit samples of a big-endian file into those of the machine, in place. Machines here are little-endian. */
export function toMachineOrder(data: Uint8Array, bits: number): void {
  if (bits === 16) {
    for (let i = 0; i + 1 < data.length; i += 2) {
      const high = data[i] as number;
      data[i] = data[i + 1] as number;
      data[i + 1] = high;
    }
  } else if (bits === 32) {
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    for (let i = 0; i + 3 < data.length; i += 4) view.setUint32(i, view.getUint32(i, false), true);
  }
}

/** Undoes predictor 2 or 3 row by row, in place. `data` begins at a multiple of four in its buffer; samples are in machine order. */
export function undoPredictor(picture: Picture, data: Uint8Array, width: number, rows: number): void {
  const step = picture.planar ? 1 : picture.samples;
  if (picture.predictor === 2) undoHorizontal(samplesOf(data, picture.bits), width * step, rows, step);
  else if (picture.predictor === 3) undoFloat(data, width * step, rows, step);
}

function samplesOf(data: Uint8Array, bits: number): Uint8Array | Uint16Array | Uint32Array {
  if (bits === 8) return data;
  const { buffer, byteOffset, length } = data;
  return bits === 16
    ? new Uint16Array(buffer, byteOffset, length >> 1)
    : new Uint32Array(buffer, byteOffset, length >> 2);
}

function undoHorizontal(
  samples: Uint8Array | Uint16Array | Uint32Array,
  perRow: number,
  rows: number,
  step: number,
): void {
  for (let y = 0; y < rows; y++) {
    const start = y * perRow;
    const end = start + perRow;
    // Typed arrays wrap around on assignment, as the differences do.
    for (let i = start + step; i < end; i++)
      samples[i] = (samples[i] as number) + (samples[i - step] as number);
  }
}

/** Rows are four planes of bytes, the most significant first, with differences of neighbouring bytes. */
function undoFloat(data: Uint8Array, perRow: number, rows: number, step: number): void {
  const bytes = perRow * 4;
  const row = new Uint8Array(bytes);
  for (let y = 0; y < rows; y++) {
    const start = y * bytes;
    row.set(data.subarray(start, start + bytes));
    for (let i = step; i < bytes; i++) row[i] = (row[i] as number) + (row[i - step] as number);
    for (let i = 0; i < perRow; i++)
      for (let b = 0; b < 4; b++) data[start + 4 * i + b] = row[(3 - b) * perRow + i] as number;
  }
}
