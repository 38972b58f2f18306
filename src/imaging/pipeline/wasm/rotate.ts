// Rotation by any angle as WebAssembly: blocks of the output, each with the window of the image that it
// shows.

import { fullScale, type PixelBuffer, samplesLike } from "../pixels.ts";
import { phases, phaseTable, rotate, sourceOf, type Turn, turnOf } from "../steps/rotate.ts";

/** Exports of the module; wasm/pixels/README.md documents the calls. */
interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  base(): number;
  widenRow(
    from: number,
    left: number,
    count: number,
    right: number,
    bands: number,
    depth: number,
    to: number,
  ): void;
  rotateBlock(
    columns: number,
    rows: number,
    x: number,
    y: number,
    cosine: number,
    sine: number,
    width: number,
    height: number,
    window: number,
    stride: number,
    left: number,
    top: number,
    table: number,
    phases: number,
    colours: number,
    depth: number,
    out: number,
    outStride: number,
  ): void;
}

/** Output pixels of a block's side. */
const block = 64;
/** Pixels of a window's side at most: a block's diagonal and six taps. */
const windowSide = Math.ceil(block * Math.SQRT2) + 8;
const widened = 16;
const maxSampleBytes = 8;

/** `rotate` of rotate.ts by any angle. The instance is made when first needed and takes half a megabyte. */
export function createRotator(
  module: () => WebAssembly.Module,
): (pixels: PixelBuffer, degrees: number) => PixelBuffer {
  let ready: Ready | undefined;
  const freely = (pixels: PixelBuffer, degrees: number) =>
    rotateFreely((ready ??= start(module())), pixels, degrees);
  return (pixels, degrees) => rotate(pixels, degrees, freely);
}

interface Ready {
  readonly exports: Exports;
  /** Positions of the table, a row of samples, the window and the block. */
  readonly table: number;
  readonly row: number;
  readonly window: number;
  readonly out: number;
}

function start(module: WebAssembly.Module): Ready {
  const exports = new WebAssembly.Instance(module).exports as Exports;
  const weights = phaseTable();
  let end = Math.ceil(exports.base() / 64) * 64;
  const take = (bytes: number) => {
    const at = end;
    end += Math.ceil(bytes / 64) * 64;
    return at;
  };
  const table = take(weights.byteLength);
  const row = take(windowSide * maxSampleBytes);
  const window = take(windowSide * windowSide * widened);
  const out = take(block * block * maxSampleBytes);
  const missing = end - exports.memory.buffer.byteLength;
  if (missing > 0) exports.memory.grow(Math.ceil(missing / 65536));
  new Float32Array(exports.memory.buffer, table, weights.length).set(weights);
  return { exports, table, row, window, out };
}

function rotateFreely(ready: Ready, pixels: PixelBuffer, degrees: number): PixelBuffer {
  const turn = turnOf(pixels, degrees);
  const { width, height, colours, cosine, sine } = turn;
  const bands = colours + 1;
  const data = samplesLike(pixels, width * height * bands);
  const bytes = new Uint8Array(data.buffer);
  const depth = data.BYTES_PER_ELEMENT;
  const memory = new Uint8Array(ready.exports.memory.buffer);
  for (let y = 0; y < height; y += block)
    for (let x = 0; x < width; x += block) {
      const columns = Math.min(block, width - x);
      const rows = Math.min(block, height - y);
      const window = windowOf(pixels, turn, { x, y, columns, rows });
      if (!window) continue; // the new buffer is zero
      widen(ready, memory, pixels, window);
      const length = columns * bands * depth;
      memory.fill(0, ready.out, ready.out + rows * length);
      const at = sourceOf(pixels, turn, x, y);
      ready.exports.rotateBlock(
        columns,
        rows,
        at.x,
        at.y,
        cosine,
        sine,
        pixels.width,
        pixels.height,
        ready.window,
        (window.right - window.left) * widened,
        window.left,
        window.top,
        ready.table,
        phases,
        colours,
        depth,
        ready.out,
        length,
      );
      for (let row = 0; row < rows; row++)
        bytes.set(
          memory.subarray(ready.out + row * length, ready.out + (row + 1) * length),
          ((y + row) * width + x) * bands * depth,
        );
    }
  return { width, height, bands, interpretation: pixels.interpretation, data };
}

/** Columns and rows of an image, the ends exclusive; positions outside repeat its edge. */
interface Window {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the window that a block's taps reach; undefined if it is outside of the image. */
function windowOf(
  pixels: PixelBuffer,
  turn: Turn,
  { x, y, columns, rows }: Readonly<Record<"x" | "y" | "columns" | "rows", number>>,
): Window | undefined {
  const corners = [
    sourceOf(pixels, turn, x, y),
    sourceOf(pixels, turn, x + columns - 1, y),
    sourceOf(pixels, turn, x, y + rows - 1),
    sourceOf(pixels, turn, x + columns - 1, y + rows - 1),
  ];
  const xs = corners.map((corner) => corner.x);
  const ys = corners.map((corner) => corner.y);
  const { width, height } = pixels;
  if (Math.max(...xs) <= -0.5 || Math.min(...xs) >= width + 0.5) return undefined;
  if (Math.max(...ys) <= -0.5 || Math.min(...ys) >= height + 0.5) return undefined;
  // Pixels whose centres are farther out show nothing: their taps are not read.
  return {
    left: Math.max(-3, Math.floor(Math.min(...xs) - 0.5) - 2),
    top: Math.max(-3, Math.floor(Math.min(...ys) - 0.5) - 2),
    right: Math.min(width + 4, Math.floor(Math.max(...xs) - 0.5) + 4),
    bottom: Math.min(height + 4, Math.floor(Math.max(...ys) - 0.5) + 4),
  };
}

function widen(
  { exports, row, window }: Ready,
  memory: Uint8Array,
  pixels: PixelBuffer,
  { left, top, right, bottom }: Window,
): void {
  const { width, height, bands, data } = pixels;
  const depth = fullScale(pixels) === 255 ? 1 : 2;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const first = Math.min(width - 1, Math.max(0, left));
  const end = Math.max(first + 1, Math.min(width, right));
  let to = window;
  for (let y = top; y < bottom; y++, to += (right - left) * widened) {
    const from = Math.min(height - 1, Math.max(0, y)) * width;
    memory.set(bytes.subarray((from + first) * bands * depth, (from + end) * bands * depth), row);
    exports.widenRow(row, first - left, end - first, right - end, bands, depth, to);
  }
}
