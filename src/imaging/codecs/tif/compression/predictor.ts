// Undoes predictors: horizontal differencing (TIFF 6.0 section 14) and the floating-point one (TIFF Technical
// Note 3).

import type { Picture } from "../directory/picture.ts";

/**
 * Converts whole-byte samples of a big-endian file to machine order, in place. Machines here are
 * little-endian.
 */
export function toMachineOrder(data: Uint8Array, bits: number): void {
  const size = bits / 8;
  if (!Number.isInteger(size)) return; // packed samples have only one byte order
  for (let at = 0; at + size <= data.length; at += size)
    for (let low = at, high = at + size - 1; low < high; low++, high--) {
      const byte = data[low] as number;
      data[low] = data[high] as number;
      data[high] = byte;
    }
}

/**
 * Undoes predictor 2 or 3 row by row, in place. `data` begins at a multiple of eight in its buffer; samples
 * are in machine order.
 */
export function undoPredictor(picture: Picture, data: Uint8Array, width: number, rows: number): void {
  const step = picture.planar ? 1 : picture.samples;
  if (picture.predictor === 2) {
    if (picture.bits === 64) undoWide(data, width * step, rows, step);
    else undoHorizontal(samplesOf(data, picture.bits), width * step, rows, step);
  } else if (picture.predictor === 3) undoFloat(data, picture.bits / 8, width * step, rows, step);
}

function samplesOf(data: Uint8Array, bits: number): Uint8Array | Uint16Array | Uint32Array {
  if (bits === 8) return data;
  const { buffer, byteOffset, length } = data;
  return bits === 16
    ? new Uint16Array(buffer, byteOffset, length >> 1)
    : new Uint32Array(buffer, byteOffset, length >> 2);
}

function undoWide(data: Uint8Array, perRow: number, rows: number, step: number): void {
  const samples = new BigUint64Array(data.buffer, data.byteOffset, data.length >> 3);
  for (let y = 0; y < rows; y++)
    for (let i = y * perRow + step; i < (y + 1) * perRow; i++)
      samples[i] = (samples[i] as bigint) + (samples[i - step] as bigint);
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
    // Typed arrays wrap around on assignment, like the differences.
    for (let i = start + step; i < end; i++)
      samples[i] = (samples[i] as number) + (samples[i - step] as number);
  }
}

/**
 * Undoes predictor 3: rows are planes of bytes, the most significant first, with differences of neighbouring
 * bytes. `size`: bytes of a sample.
 */
function undoFloat(data: Uint8Array, size: number, perRow: number, rows: number, step: number): void {
  const bytes = perRow * size;
  const row = new Uint8Array(bytes);
  for (let y = 0; y < rows; y++) {
    const start = y * bytes;
    row.set(data.subarray(start, start + bytes));
    for (let i = step; i < bytes; i++) row[i] = (row[i] as number) + (row[i - step] as number);
    for (let i = 0; i < perRow; i++)
      for (let b = 0; b < size; b++) data[start + size * i + b] = row[(size - 1 - b) * perRow + i] as number;
  }
}
