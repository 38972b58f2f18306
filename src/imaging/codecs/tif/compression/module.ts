// The module "tiff".

import { cachedInstance } from "../../instance.ts";

/** Exports of the module "tiff"; wasm/tiff/README.md documents the calls. */
export interface TiffModule {
  readonly memory: WebAssembly.Memory;
  base(): number;
  lzwBegin(state: number, lowFirst: number): void;
  lzwRead(state: number, from: number, end: number, to: number, room: number): number;
  lzwTaken(state: number): number;
  lzwOver(state: number): number;
  undoDifferences(at: number, count: number, rowBytes: number, step: number, size: number): void;
  undoFloatDifferences(
    at: number,
    count: number,
    rowBytes: number,
    step: number,
    size: number,
    scratch: number,
  ): void;
  swapBytes(at: number, length: number, size: number): void;
}

/** Lends an instance of the module, which is created when it is first needed. */
export type TiffInstances = ReturnType<typeof tiffInstances>;

/** Creates the lender; see `keptInstance`. */
export const tiffInstances = (module: () => WebAssembly.Module) =>
  cachedInstance<TiffModule>({
    create: () => new WebAssembly.Instance(module()).exports as unknown as TiffModule,
    memory: ({ memory }) => memory.buffer.byteLength,
  });
