// Sharpening as WebAssembly: rows go through a ring of blurred rows, so the module never holds a whole
// picture.

import { fullScale, hasAlpha, type PixelBuffer, samplesLike } from "../pixels.ts";
import { blurReach, gaussian, type Sharpening } from "../steps/sharpen.ts";

/** Exports of the module; wasm/pixels/README.md documents the calls. */
interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  base(): number;
  across(
    from: number,
    width: number,
    bands: number,
    depth: number,
    weights: number,
    reach: number,
    line: number,
    light: number,
    blurred: number,
    cover: number,
  ): void;
  sharpenRows(
    from: number,
    width: number,
    bands: number,
    depth: number,
    weights: number,
    reach: number,
    light: number,
    pointers: number,
    amount: number,
    least: number,
    out: number,
  ): void;
}

/** Memory never shrinks: above this the instance is dropped. */
const cachedMemory = 16 << 20;

/**
 * Sharpens gray or rgb, with or without alpha, in either depth, of the same size. All colours of a pixel
 * change by the same amount, that of its BT.601 luma, so hues stay. Beyond the buffer the edge repeats; the
 * blur weights pixels by alpha, which itself is unchanged. A pixel depends only on those within `blurReach`.
 * The instance is created when first needed.
 */
export function createSharpener(
  module: () => WebAssembly.Module,
): (pixels: PixelBuffer, how: Sharpening) => PixelBuffer {
  let exports: Exports | undefined;
  return (pixels, how) => {
    exports ??= new WebAssembly.Instance(module()).exports as Exports;
    const layout = layOut(pixels, blurReach(how.radius), Math.ceil(exports.base() / 64) * 64);
    const missing = layout.end - exports.memory.buffer.byteLength;
    if (missing > 0) exports.memory.grow(Math.ceil(missing / 65536));
    const sharpened = throughRing(exports, layout, pixels, how);
    if (exports.memory.buffer.byteLength > cachedMemory) exports = undefined;
    return sharpened;
  };
}

/**
 * Memory layout. A ring has a slot for each row that a blur down the columns reaches, as far as there are
 * rows.
 */
interface Layout {
  readonly slots: number;
  readonly weights: number;
  readonly pointers: number;
  readonly line: number;
  readonly out: number;
  /** The rings: original samples, luma, blurred luma, blurred alpha; bytes from slot to slot. */
  readonly rows: number;
  readonly rowStride: number;
  readonly light: number;
  readonly blurred: number;
  readonly cover: number;
  readonly floatStride: number;
  readonly end: number;
}

function layOut(pixels: PixelBuffer, reach: number, base: number): Layout {
  let end = base;
  const stride = (bytes: number) => Math.ceil((bytes + 32) / 64) * 64; // vectors end up to 32 bytes later
  const take = (bytes: number) => {
    const at = end;
    end += stride(bytes);
    return at;
  };
  const slots = Math.min(2 * reach + 1, pixels.height);
  const rowStride = stride(pixels.width * pixels.bands * pixels.data.BYTES_PER_ELEMENT);
  const floatStride = stride(pixels.width * 4);
  return {
    slots,
    weights: take((reach + 1) * 4),
    pointers: take(2 * (2 * reach + 1) * 4),
    line: take(2 * (pixels.width + 2 * reach + 16) * 4),
    out: take(rowStride),
    rows: take(slots * rowStride),
    rowStride,
    light: take(slots * floatStride),
    blurred: take(slots * floatStride),
    cover: take(hasAlpha(pixels) ? slots * floatStride : 0),
    floatStride,
    end,
  };
}

function throughRing(
  exports: Exports,
  layout: Layout,
  pixels: PixelBuffer,
  { radius, amount, threshold }: Sharpening,
): PixelBuffer {
  const { width, height, bands, data: source } = pixels;
  const { slots } = layout;
  const reach = blurReach(radius);
  const taps = 2 * reach + 1;
  const depth = source.BYTES_PER_ELEMENT;
  const least = (threshold * fullScale(pixels)) / 255;
  const memory = new Uint8Array(exports.memory.buffer);
  new Float32Array(exports.memory.buffer, layout.weights, reach + 1).set(gaussian(radius));
  const pointers = new Uint32Array(exports.memory.buffer, layout.pointers, 2 * taps);
  const data = samplesLike(pixels, source.length);
  const from = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  const to = new Uint8Array(data.buffer);
  const rowBytes = width * bands * depth;
  const rowAt = (y: number) => layout.rows + (y % slots) * layout.rowStride;
  const floatsAt = (ring: number, y: number) => ring + (y % slots) * layout.floatStride;
  let next = 0;
  for (let y = 0; y < height; y++) {
    for (; next <= Math.min(height - 1, y + reach); next++) {
      memory.set(from.subarray(next * rowBytes, (next + 1) * rowBytes), rowAt(next));
      exports.across(
        rowAt(next),
        width,
        bands,
        depth,
        layout.weights,
        reach,
        layout.line,
        floatsAt(layout.light, next),
        floatsAt(layout.blurred, next),
        floatsAt(layout.cover, next),
      );
    }
    for (let k = 0; k < taps; k++) {
      const row = Math.min(height - 1, Math.max(0, y - reach + k));
      pointers[k] = floatsAt(layout.blurred, row);
      pointers[taps + k] = floatsAt(layout.cover, row);
    }
    exports.sharpenRows(
      rowAt(y),
      width,
      bands,
      depth,
      layout.weights,
      reach,
      floatsAt(layout.light, y),
      layout.pointers,
      amount,
      least,
      layout.out,
    );
    to.set(memory.subarray(layout.out, layout.out + rowBytes), y * rowBytes);
  }
  return { ...pixels, data };
}
