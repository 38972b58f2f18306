// Codes planes of up to 256 by 256 bytes without loss, as wasm/tiles/README.md defines it.

import type { Plane } from "../../pipeline/pixels.ts";

/** Exports of the module; wasm/tiles/README.md documents the calls. */
interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory;
  plane(): number;
  stride(): number;
  coded(): number;
  mostCoded(): number;
  encode(width: number, height: number): number;
  decode(length: number, width: number, height: number): number;
}

/** Maximum side of a plane, in samples. */
export const mostSide = 256;

/** A plane of bytes. */
export type BytePlane = Plane & { readonly data: Uint8Array };

export interface PlaneCoder {
  /** Returns a coded plane of 1 to {@link mostSide} samples a side. */
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
}

/** Creates a coder whose instance is made when first needed, and takes 256 KiB. */
export function createPlaneCoder(module: () => WebAssembly.Module): PlaneCoder {
  let instance: ReturnType<typeof start> | undefined;
  const ready = () => (instance ??= start(module()));
  return {
    encode({ data, width, height, stride }) {
      const { exports, memory, plane, coded, rowStride } = ready();
      for (let y = 0; y < height; y++)
        memory.set(data.subarray(y * stride, y * stride + width), plane + y * rowStride);
      const length = exports.encode(width, height);
      return memory.slice(coded, coded + length);
    },
    decode(bytes, width, height) {
      const { exports, memory, plane, coded, rowStride, mostCoded } = ready();
      const length = Math.min(bytes.length, mostCoded);
      memory.set(bytes.subarray(0, length), coded);
      const taken = exports.decode(length, width, height);
      const data = memory.subarray(plane, plane + height * rowStride);
      return taken < 0 ? undefined : { plane: { data, width, height, stride: rowStride }, taken };
    },
  };
}

function start(module: WebAssembly.Module) {
  const exports = new WebAssembly.Instance(module).exports as Exports;
  return {
    exports,
    memory: new Uint8Array(exports.memory.buffer),
    plane: exports.plane(),
    coded: exports.coded(),
    rowStride: exports.stride(),
    mostCoded: exports.mostCoded(),
  };
}
