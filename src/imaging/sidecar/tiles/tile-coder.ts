// Codes tiles of up to 256 by 256 samples without loss, as wasm/tiles/README.md defines it.

import type { Size } from "../../../base/index.ts";
import type { Plane } from "../../pipeline/pixels.ts";

/** Exports of the module; wasm/tiles/README.md documents the calls. */
interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  plane(number: number): number;
  stride(): number;
  coded(): number;
  codedBytes(): number;
  pixels(): number;
  pixelBytes(): number;
  encode(number: number, width: number, height: number, start: number): number;
  decode(number: number, start: number, end: number, width: number, height: number): number;
  split(from: number, rowBytes: number, width: number, height: number, bands: number, depth: number): void;
  join(width: number, height: number, bands: number, depth: number): void;
}

/** Maximum side of a tile, in samples. */
export const maxSide = 256;

/** A plane of bytes. */
export type BytePlane = Plane & { readonly data: Uint8Array };

/** Bands of a tile, and bytes of a sample. */
export interface TileKind {
  readonly bands: number;
  readonly depth: 1 | 2;
}

/** Position of pixels in memory: from byte `at` of `bytes` on, `stride` bytes from row to row. */
export interface PixelBytes {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly stride: number;
}

export interface TileCoder {
  /** Returns a coded plane of 1 to {@link maxSide} samples a side. */
  encode(plane: BytePlane): Uint8Array;
  /**
   * Decodes a plane from the start of `coded`. Returns its samples, which the next call overwrites, and the
   * number of bytes that it took; undefined if they are not a coded plane of this size.
   */
  decode(
    coded: Uint8Array,
    width: number,
    height: number,
  ): { readonly plane: BytePlane; readonly taken: number } | undefined;
  /**
   * Returns a coded tile of pixels: `width` by `height` of them from byte `at` of `bytes` on, `stride` bytes
   * from row to row. Up to four bands of one byte a sample or two.
   */
  encodePixels(from: PixelBytes, size: Size, kind: TileKind): Uint8Array;
  /**
   * Yields the coded tiles of a row of tiles, from left to right; `size` may have any width. `from` must not
   * change before the last tile.
   */
  encodeRow(from: PixelBytes, size: Size, kind: TileKind): Generator<Uint8Array>;
  /**
   * Decodes a tile of pixels. Returns its packed bytes, which the next call overwrites; undefined if `coded`
   * is not a coded tile of this size and kind.
   */
  decodePixels(coded: Uint8Array, width: number, height: number, kind: TileKind): Uint8Array | undefined;
}

/** Creates a coder whose instance is made when first needed, and takes 3.2 MiB. */
export function createTileCoder(module: () => WebAssembly.Module): TileCoder {
  let instance: ReturnType<typeof start> | undefined;
  const startOnce = () => (instance ??= start(module()));
  /**
   * Codes the tiles of a row of them, as many as there is memory for: to copy the rows of a single tile takes
   * as long as to code it. The memory holds nothing afterwards, so that others may use it between two calls.
   */
  const encodeTiles = (
    { bytes, at, stride }: PixelBytes,
    { width, height }: Size,
    { bands, depth }: TileKind,
  ): Uint8Array[] => {
    const { exports, memory, pixels, coded } = startOnce();
    const bytesPerPixel = bands * depth;
    const rowBytes = width * bytesPerPixel;
    for (let y = 0; y < height; y++) {
      const from = at + y * stride;
      memory.set(bytes.subarray(from, from + rowBytes), pixels + y * rowBytes);
    }
    const tiles: Uint8Array[] = [];
    for (let x = 0; x < width; x += maxSide) {
      const side = Math.min(maxSide, width - x);
      exports.split(x * bytesPerPixel, rowBytes, side, height, bands, depth);
      let length = 0;
      for (let plane = 0; plane < bands * depth; plane++)
        length += exports.encode(plane, side, height, length);
      tiles.push(memory.slice(coded, coded + length));
    }
    return tiles;
  };
  return {
    encode({ data, width, height, stride }) {
      const { exports, memory, plane, coded, rowStride } = startOnce();
      for (let y = 0; y < height; y++)
        memory.set(data.subarray(y * stride, y * stride + width), plane + y * rowStride);
      return memory.slice(coded, coded + exports.encode(0, width, height, 0));
    },
    decode(bytes, width, height) {
      const { exports, memory, plane, coded, codedBytes, rowStride } = startOnce();
      const length = Math.min(bytes.length, codedBytes);
      memory.set(bytes.subarray(0, length), coded);
      const taken = exports.decode(0, 0, length, width, height);
      const data = memory.subarray(plane, plane + height * rowStride);
      return taken < 0 ? undefined : { plane: { data, width, height, stride: rowStride }, taken };
    },
    encodePixels: (from, size, kind) => encodeTiles(from, size, kind)[0]!,
    *encodeRow({ bytes, at, stride }, { width, height }, kind) {
      const bytesPerPixel = kind.bands * kind.depth;
      const together = maxSide * Math.floor(startOnce().pixelBytes / (maxSide * maxSide * bytesPerPixel));
      for (let x = 0; x < width; x += together)
        yield* encodeTiles(
          { bytes, at: at + x * bytesPerPixel, stride },
          { width: Math.min(together, width - x), height },
          kind,
        );
    },
    decodePixels(bytes, width, height, { bands, depth }) {
      const { exports, memory, pixels, coded, codedBytes } = startOnce();
      if (bytes.length > codedBytes) return undefined;
      memory.set(bytes, coded);
      let at = 0;
      for (let plane = 0; plane < bands * depth; plane++) {
        const taken = exports.decode(plane, at, bytes.length, width, height);
        if (taken < 0) return undefined;
        at += taken;
      }
      if (at !== bytes.length) return undefined;
      exports.join(width, height, bands, depth);
      return memory.subarray(pixels, pixels + width * height * bands * depth);
    },
  };
}

function start(module: WebAssembly.Module) {
  const exports = new WebAssembly.Instance(module).exports as Exports;
  return {
    exports,
    memory: new Uint8Array(exports.memory.buffer),
    plane: exports.plane(0),
    coded: exports.coded(),
    pixels: exports.pixels(),
    rowStride: exports.stride(),
    codedBytes: exports.codedBytes(),
    pixelBytes: exports.pixelBytes(),
  };
}
