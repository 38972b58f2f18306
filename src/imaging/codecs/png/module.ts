// The module "png" and its memory.

import { keptInstance } from "../instance.ts";

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
  keptInstance<PngModule>({
    create: () => new WebAssembly.Instance(module()).exports as unknown as PngModule,
    memory: ({ memory }) => memory.buffer.byteLength,
  });

/** Bytes before and after each area, which vectors may read and write. */
const margin = 64;

/**
 * Lays out areas of these lengths in the memory of an instance, and returns where each begins. Throws
 * RangeError if there is no room for them.
 */
export function layOut({ memory, base }: PngModule, ...lengths: readonly number[]): number[] {
  let end = base();
  const starts = lengths.map((length) => {
    const start = Math.ceil(end / margin) * margin + margin;
    end = start + length;
    return start;
  });
  const missing = end + margin - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));
  return starts;
}
