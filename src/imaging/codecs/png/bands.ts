// Undoes the filters of rows (PNG specification 9.2), many at a time, in the module "png".

import { layOut } from "../areas.ts";
import { damagedPng } from "../damaged.ts";
import type { PngModule } from "./module.ts";

/** Filtered bytes that are collected before their rows are unfiltered, unless a row is longer. */
const bandBytes = 256 * 1024;

/** Rows of one pass after the other, as they arrive. */
export interface Bands {
  /** Takes the first of these bytes, as many as there is room for, and returns their number. */
  add(bytes: Uint8Array): number;
  /** Returns the number of whole rows of `rowBytes` bytes (and a filter type) that have arrived. */
  rows(rowBytes: number): number;
  /**
   * Undoes the filters of the first `count` rows as far as their first `length` bytes, and returns these,
   * packed, samples of 16 bit in machine order; they are valid until the next call. Throws ImagingError
   * `decode` for an unknown filter.
   */
  unfilter(rowBytes: number, count: number, length: number): Uint8Array;
  /** Drops the first `count` rows. */
  drop(rowBytes: number, count: number): void;
  /** Begins a pass: above its first row are zeros. */
  begin(): void;
}

/** The rows of a picture: most bytes of one, bytes of a pixel (at least 1), true if samples have 16 bit. */
export interface RowKind {
  readonly maxLength: number;
  readonly step: number;
  readonly wide: boolean;
}

/**
 * Creates the bands of a picture in the memory of an instance. Throws RangeError if there is no memory for
 * them.
 */
export function createBands(module: PngModule, { maxLength, step, wide }: RowKind): Bands {
  const room = Math.max(bandBytes, maxLength + 1);
  const [from, above] = layOut(module, room, maxLength + room) as [number, number];
  const to = above + maxLength;
  const memory = new Uint8Array(module.memory.buffer);
  let filled = 0;
  return {
    add(bytes) {
      const taken = bytes.subarray(0, room - filled);
      memory.set(taken, from + filled);
      filled += taken.length;
      return taken.length;
    },
    rows: (rowBytes) => Math.floor(filled / (rowBytes + 1)),
    unfilter(rowBytes, count, length) {
      if (module.unfilterRows(from, rowBytes, count, step, length, to) < count)
        throw damagedPng("the filter of a row");
      if (wide) module.swapBytes(to, count * length);
      return memory.subarray(to, to + count * length);
    },
    drop(rowBytes, count) {
      const used = count * (rowBytes + 1);
      memory.copyWithin(from, from + used, from + filled);
      filled -= used;
    },
    begin: () => void memory.fill(0, above, to),
  };
}
