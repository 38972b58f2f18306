// Pixels of a tile as planes, and back. Of three bands or more, the first three are coded as green, red minus
// green and blue minus green, since colours go together. 16-bit values are two planes, the high bytes first.

import { pixelsAt, planeAt, rowStride } from "./memory";

/**
 * Divides pixels into planes: `bands` of `depth` (1 or 2) bytes a sample, from byte `from` of the pixels on,
 * `rowBytes` from row to row.
 */
export function split(from: i32, rowBytes: i32, width: i32, height: i32, bands: i32, depth: i32): void {
  for (let y = 0; y < height; y++) {
    const row = pixelsAt + from + <usize>(y * rowBytes);
    const to = <usize>y * rowStride;
    if (depth === 2) splitWords(row, width, bands, to);
    else if (bands === 3) splitThree(row, width, to);
    else splitBytes(row, width, bands, to);
  }
}

/** Returns the band that plane `number` is coded from. */
const bandOf = (number: i32, bands: i32): i32 => (bands >= 3 && number < 2 ? 1 - number : number);
/** True if a plane is the difference between its band and green. */
const isDifference = (number: i32, bands: i32): bool => bands >= 3 && (number === 1 || number === 2);

function splitBytes(row: usize, width: i32, bands: i32, to: usize): void {
  for (let number = 0; number < bands; number++) {
    const band = <usize>bandOf(number, bands);
    const green = isDifference(number, bands);
    const out = planeAt(number) + to;
    let from = row;
    for (let x: usize = 0; x < <usize>width; x++, from += bands) {
      const value = load<u8>(from + band);
      store<u8>(out + x, green ? value - load<u8>(from, 1) : value);
    }
  }
}

function splitWords(row: usize, width: i32, bands: i32, to: usize): void {
  for (let number = 0; number < bands; number++) {
    const band = (<usize>bandOf(number, bands)) << 1;
    const green = isDifference(number, bands);
    const high = planeAt(2 * number) + to;
    const low = planeAt(2 * number + 1) + to;
    let from = row;
    for (let x: usize = 0; x < <usize>width; x++, from += bands << 1) {
      const value = load<u16>(from + band) - (green ? load<u16>(from, 2) : 0);
      store<u8>(high + x, value >> 8);
      store<u8>(low + x, value);
    }
  }
}

/** Divides 16 pixels of three bytes at a time; overruns rows by up to 16 samples. */
function splitThree(row: usize, width: i32, to: usize): void {
  const first = planeAt(0) + to;
  const second = planeAt(1) + to;
  const third = planeAt(2) + to;
  for (let x: usize = 0; x < <usize>width; x += 16, row += 48) {
    const a = v128.load(row);
    const b = v128.load(row, 16);
    const c = v128.load(row, 32);
    // the first 11 of each band from the first two vectors, the rest from the third
    const red = i8x16.shuffle(
      i8x16.shuffle(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0),
      c,
      0,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      9,
      10,
      17,
      20,
      23,
      26,
      29,
    );
    const green = i8x16.shuffle(
      i8x16.shuffle(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0),
      c,
      0,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      9,
      10,
      18,
      21,
      24,
      27,
      30,
    );
    const blue = i8x16.shuffle(
      i8x16.shuffle(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0),
      c,
      0,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      9,
      16,
      19,
      22,
      25,
      28,
      31,
    );
    v128.store(first + x, green);
    v128.store(second + x, i8x16.sub(red, green));
    v128.store(third + x, i8x16.sub(blue, green));
  }
}

/** Puts planes together as pixels without bytes between rows; see {@link split}. */
export function join(width: i32, height: i32, bands: i32, depth: i32): void {
  const rowBytes = <usize>(width * bands * depth);
  for (let y = 0; y < height; y++) {
    const row = pixelsAt + <usize>y * rowBytes;
    const from = <usize>y * rowStride;
    if (depth === 2) joinWords(row, width, bands, from);
    else if (bands === 3) joinThree(row, width, from);
    else joinBytes(row, width, bands, from);
  }
}

function joinBytes(row: usize, width: i32, bands: i32, from: usize): void {
  for (let number = 0; number < bands; number++) {
    const band = <usize>bandOf(number, bands);
    const green = isDifference(number, bands);
    const plane = planeAt(number) + from;
    let to = row;
    for (let x: usize = 0; x < <usize>width; x++, to += bands) {
      const value = load<u8>(plane + x);
      store<u8>(to + band, green ? value + load<u8>(to, 1) : value);
    }
  }
}

function joinWords(row: usize, width: i32, bands: i32, from: usize): void {
  for (let number = 0; number < bands; number++) {
    const band = (<usize>bandOf(number, bands)) << 1;
    const green = isDifference(number, bands);
    const high = planeAt(2 * number) + from;
    const low = planeAt(2 * number + 1) + from;
    let to = row;
    for (let x: usize = 0; x < <usize>width; x++, to += bands << 1) {
      const value = ((<u16>load<u8>(high + x)) << 8) | load<u8>(low + x);
      store<u16>(to + band, value + (green ? load<u16>(to, 2) : 0));
    }
  }
}

/** Puts 16 pixels of three bytes together at a time; overruns rows, which are written from the top down. */
function joinThree(row: usize, width: i32, from: usize): void {
  const first = planeAt(0) + from;
  const second = planeAt(1) + from;
  const third = planeAt(2) + from;
  for (let x: usize = 0; x < <usize>width; x += 16, row += 48) {
    const green = v128.load(first + x);
    const red = i8x16.add(v128.load(second + x), green);
    const blue = i8x16.add(v128.load(third + x), green);
    // pairs of red and green, into which every third byte is blue
    const low = i8x16.shuffle(red, green, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const high = i8x16.shuffle(red, green, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const middle = i8x16.shuffle(low, high, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 0, 0, 0, 0);
    v128.store(row, i8x16.shuffle(low, blue, 0, 1, 16, 2, 3, 17, 4, 5, 18, 6, 7, 19, 8, 9, 20, 10));
    v128.store(row, i8x16.shuffle(middle, blue, 1, 21, 2, 3, 22, 4, 5, 23, 6, 7, 24, 8, 9, 25, 10, 11), 16);
    v128.store(row, i8x16.shuffle(high, blue, 26, 6, 7, 27, 8, 9, 28, 10, 11, 29, 12, 13, 30, 14, 15, 31), 32);
  }
}
