// The module "png".

import { cachedInstance } from "../instance.ts";

/** Exports of the module "png"; wasm/png/README.md documents the calls. */
export interface PngModule {
  readonly memory: WebAssembly.Memory;
  base(): number;
  unfilterRows(
    from: number,
    rowBytes: number,
    count: number,
    step: number,
    length: number,
    to: number,
  ): number;
  filterRows(from: number, rowBytes: number, count: number, step: number, to: number): void;
  swapBytes(from: number, length: number): void;
}

/** Lends an instance of the module, which is created when it is first needed. */
export type PngInstances = ReturnType<typeof pngInstances>;

/** Creates the lender; see `keptInstance`. */
export const pngInstances = (module: () => WebAssembly.Module) =>
  cachedInstance<PngModule>({
    create: () => new WebAssembly.Instance(module()).exports as unknown as PngModule,
    memory: ({ memory }) => memory.buffer.byteLength,
  });
