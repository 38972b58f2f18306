// The resampler as WebAssembly: strips of rows go in, strips come out, so the module never holds a whole
// picture.

import { boxFactor, isCopy } from "../kernel.ts";
import { hasAlpha, type PixelBuffer, type Plane, samplesLike } from "../pixels.ts";
import type { ResampleAxis } from "../step.ts";
import { resize as resizeInDoubles } from "../steps/resize.ts";
import { align, groupRows, kindOf, kinds, type Layout, layOut, type Samples } from "./resample-layout.ts";
import { createTapTables, type PackedTaps } from "./resample-taps.ts";

export interface Resampler {
  /**
   * Like `resize` of resize.ts, by the same rules: the edge repeats, flat colour stays flat, windows of
   * `sourceWindow` equal that part of the whole, a scale of 1 at a whole origin copies. 8-bit samples differ
   * from it by at most one level. Weighted by alpha if there is one.
   */
  resize(pixels: PixelBuffer, x: ResampleAxis, y: ResampleAxis): PixelBuffer;
  /**
   * One band by the same rules, rows without padding: the planes of a JPEG each have a size and axes of their
   * own.
   */
  resamplePlane(plane: Plane, x: ResampleAxis, y: ResampleAxis): Plane;
}

/** Exports of the module; wasm/resample/README.md documents the calls. */
interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  base(): number;
  format(kind: number, bands: number, bytesPerSample: number, weighted: number): void;
  source(width: number, height: number, boxX: number, boxY: number, staged: number, sums: number): void;
  cells(ring: number, stride: number, slots: number, samples: number, rows: number): void;
  across(size: number, count: number, starts: number, weights: number): void;
  down(size: number, count: number, starts: number, weights: number): void;
  scratch(
    pointers: number,
    lines: number,
    lineStride: number,
    quads: number,
    group: number,
    groupStride: number,
  ): void;
  seek(row: number): void;
  feed(rows: number): void;
  run(first: number, count: number, out: number): void;
}

/** Bytes of memory above which an instance is dropped after use: WebAssembly memory never shrinks. */
const cachedMemory = 32 << 20;
/** Bytes of memory above which the module is not used. */
const maxMemory = 256 << 20;
/** Maximum number of rows whose 16-bit values fit a sum of u32. */
const maxSummedRows = 65536;
/** Maximum number of bands of the module; only ink with alpha has more, which is rare. */
const maxBands = 4;
const page = 65536;

/**
 * A resampler over the compiled module "resample"; the instance is made when first needed. Pictures that need
 * more than `max` bytes of its memory (a million pixels in a row), or have five bands, are resized in
 * doubles.
 */
export function createResampler(module: () => WebAssembly.Module, max = maxMemory): Resampler {
  const tables = createTapTables();
  let exports: Exports | undefined;

  /** Returns undefined if the scratch memory would be too large. */
  const resample = (
    from: Samples,
    x: ResampleAxis,
    y: ResampleAxis,
  ): Uint8Array | Uint16Array | undefined => {
    const boxX = boxFactor(x.scale);
    const boxY = boxFactor(y.scale);
    if (boxY > maxSummedRows) return undefined;
    const kind = kindOf(from, boxX * boxY);
    const format = kind === "floats" ? "f32" : "i16";
    const across = tables(x, Math.ceil(from.width / boxX), format);
    const down = tables(y, Math.ceil(from.height / boxY), format);
    const layout = layOut(from, across, down, { x: boxX, y: boxY }, kind);
    exports ??= new WebAssembly.Instance(module()).exports as Exports;
    const base = align(exports.base());
    if (base + layout.bytes > max) return undefined;
    try {
      if (!growMemory(exports.memory, base + layout.bytes)) return undefined;
      const result = runStrips(exports, from, { across, down }, layout, base);
      if (exports.memory.buffer.byteLength > cachedMemory) exports = undefined;
      return result;
    } catch (error) {
      exports = undefined;
      throw error;
    }
  };

  return {
    resize(pixels, x, y) {
      if ((isCopy(x) && isCopy(y)) || pixels.bands > maxBands) return resizeInDoubles(pixels, x, y);
      const stride = pixels.width * pixels.bands;
      const data = resample({ ...pixels, stride, weighted: hasAlpha(pixels) }, x, y);
      return data ? { ...pixels, width: x.size, height: y.size, data } : resizeInDoubles(pixels, x, y);
    },
    resamplePlane(plane, x, y) {
      const { stride } = plane;
      const data =
        isCopy(x) && isCopy(y) ? undefined : resample({ ...plane, bands: 1, stride, weighted: false }, x, y);
      if (data) return { width: x.size, height: y.size, stride: x.size, data };
      const { width, height } = plane;
      const packed = {
        width,
        height,
        bands: 1,
        interpretation: "gray",
        data: packedRows(plane, stride),
      } as const;
      return { width: x.size, height: y.size, stride: x.size, data: resizeInDoubles(packed, x, y).data };
    },
  };
}

/** Returns true if the memory has that many bytes, or could be grown to them. */
function growMemory(memory: WebAssembly.Memory, bytes: number): boolean {
  const missing = bytes - memory.buffer.byteLength;
  try {
    if (missing > 0) memory.grow(Math.ceil(missing / page));
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns the rows without the bytes between them. */
function packedRows({ data, width, height }: Plane, stride: number): Uint8Array | Uint16Array {
  if (stride === width) return data;
  const rows = samplesLike({ data }, width * height);
  for (let y = 0; y < height; y++) rows.set(data.subarray(y * stride, y * stride + width), y * width);
  return rows;
}

function runStrips(
  exports: Exports,
  from: Samples,
  { across, down }: { readonly across: PackedTaps; readonly down: PackedTaps },
  layout: Layout,
  base: number,
): Uint8Array | Uint16Array {
  const { data, width, height, bands, weighted } = from;
  const { box, kind } = layout;
  const depth = data.BYTES_PER_ELEMENT;
  const memory = new Uint8Array(exports.memory.buffer);
  const rows = Math.ceil(height / box.y);
  const write = (table: Int32Array | Int16Array | Float32Array, at: number) =>
    memory.set(new Uint8Array(table.buffer, table.byteOffset, table.byteLength), base + at);
  write(across.starts, layout.xStarts);
  write(across.weights, layout.xWeights);
  write(down.starts, layout.yStarts);
  write(down.weights, layout.yWeights);
  exports.format(kinds[kind], bands, depth, Number(weighted));
  exports.source(width, height, box.x, box.y, base + layout.staged, base + layout.sums);
  exports.cells(
    base + layout.ring,
    layout.ringStride,
    layout.ringRows,
    Math.ceil(width / box.x) * bands,
    rows,
  );
  exports.across(across.size, across.count, base + layout.xStarts, base + layout.xWeights);
  exports.down(down.size, down.count, base + layout.yStarts, base + layout.yWeights);
  exports.scratch(
    base + layout.pointers,
    base + layout.lines,
    layout.lineStride,
    base + layout.quads,
    base + layout.group,
    layout.groupStride,
  );

  const source: SourceRows = {
    bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    stride: from.stride * depth,
    rowBytes: width * bands * depth,
    height,
  };
  const load =
    kind === "bytes"
      ? ringWriter(source, memory, layout, base + layout.ring)
      : stagedFeeder(source, memory, layout, base + layout.staged, exports);
  const result = samplesLike(from, across.size * bands * down.size);
  const resultBytes = new Uint8Array(result.buffer);
  const rowBytes = across.size * bands * depth;
  const { starts, count } = down;
  const end = (row: number) => Math.min(rows, starts[Math.min(row + groupRows, down.size) - 1]! + count);
  let loaded = starts[0]!;
  exports.seek(loaded * box.y);
  for (let row = 0; row < down.size; ) {
    let next = row + groupRows;
    while (next < down.size && next - row < layout.outRows && end(next) - starts[row]! <= layout.ringRows)
      next += groupRows;
    next = Math.min(next, down.size);
    const needed = Math.min(rows, starts[next - 1]! + count);
    if (needed > loaded) load(loaded, needed);
    loaded = Math.max(loaded, needed);
    exports.run(row, next - row, base + layout.out);
    const at = base + layout.out;
    resultBytes.set(memory.subarray(at, at + (next - row) * rowBytes), row * rowBytes);
    row = next;
  }
  return result;
}

type LoadRows = (first: number, end: number) => void;

/** Rows of the source as bytes; `rowBytes` of every `stride`. */
interface SourceRows {
  readonly bytes: Uint8Array;
  readonly stride: number;
  readonly rowBytes: number;
  readonly height: number;
}

/** Writes 8-bit rows to the ring, from which they are read directly. */
function ringWriter(
  { bytes, stride, rowBytes }: SourceRows,
  memory: Uint8Array,
  { ringStride, ringRows }: Layout,
  ring: number,
): LoadRows {
  const asTheyLie = stride === ringStride;
  return (first, end) => {
    for (let row = first; row < end; ) {
      const slot = row % ringRows;
      const run = asTheyLie ? Math.min(end - row, ringRows - slot) : 1;
      const at = row * stride;
      memory.set(bytes.subarray(at, at + (run - 1) * stride + rowBytes), ring + slot * ringStride);
      row += run;
    }
  };
}

/** Stages the source rows of cell rows, a few at a time. */
function stagedFeeder(
  { bytes, stride, rowBytes, height }: SourceRows,
  memory: Uint8Array,
  { box, stagedRows }: Layout,
  staged: number,
  exports: Exports,
): LoadRows {
  return (first, end) => {
    const last = Math.min(height, end * box.y);
    for (let row = first * box.y; row < last; ) {
      const run = Math.min(last - row, stagedRows);
      if (stride === rowBytes) memory.set(bytes.subarray(row * stride, (row + run) * stride), staged);
      else
        for (let y = 0; y < run; y++) {
          const at = (row + y) * stride;
          memory.set(bytes.subarray(at, at + rowBytes), staged + y * rowBytes);
        }
      exports.feed(run);
      row += run;
    }
  };
}
