// Finite state entropy: tables of a distribution, and their coding (RFC 8878, section 4.1).

import { damagedZstd } from "../damaged.ts";
import { highestBit } from "./bits.ts";

/**
 * A decoding table: for each state its symbol, the number of bits to read next, and the offset added to them
 * for the next state.
 */
export interface FseTable {
  /** Bits of a state. */
  readonly log: number;
  /** For each state: next state's base, from bit 16 on bits to read, from bit 24 on the symbol. */
  readonly states: Int32Array;
}

export const symbolOf = (state: number) => state >>> 24;
export const bitsOf = (state: number) => (state >> 16) & 255;
export const baseOf = (state: number) => state & 0xffff;

/** Returns the table of one symbol that needs no bits. */
export const fixedTable = (symbol: number): FseTable => ({ log: 0, states: Int32Array.of(symbol << 24) });

/** Returns the table of a distribution: a count for each symbol, -1 for "less than one". */
export function fseTable(counts: readonly number[], log: number): FseTable {
  const size = 1 << log;
  const symbols = new Uint8Array(size);
  let high = size;
  for (const [symbol, count] of counts.entries()) if (count === -1) symbols[--high] = symbol;
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  for (const [symbol, count] of counts.entries())
    for (let i = 0; i < count; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at >= high);
    }
  const next = counts.map((count) => Math.abs(count));
  const states = Int32Array.from(symbols, (symbol) => {
    const state = next[symbol]!++;
    const bits = log - highestBit(state);
    return ((state << bits) - size) | (bits << 16) | (symbol << 24);
  });
  return { log, states };
}

/**
 * Reads the table coded in `data` from `start` up to `end` at most, of symbols 0 to `largest`; returns it
 * with its end. Throws ImagingError `decode`.
 */
export function readFseTable(
  data: Uint8Array,
  start: number,
  end: number,
  { largest, maxLog }: { readonly largest: number; readonly maxLog: number },
): { table: FseTable; end: number } {
  let bit = start * 8;
  const peek = (count: number) => {
    const at = bit >> 3;
    const value = data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16);
    return (value >> (bit & 7)) & ((1 << count) - 1);
  };
  const log = peek(4) + 5;
  bit += 4;
  if (log > maxLog) throw damagedZstd(`a table of at most ${maxLog} bits`, `${log}`);
  const counts: number[] = [];
  let left = 1 << log;
  while (left > 0) {
    if (counts.length > largest || bit > end * 8) throw damagedZstd("a sound distribution", "a broken one");
    const bits = highestBit(left + 1) + 1;
    // values that need one bit less
    const short = (1 << bits) - 2 - left;
    const low = peek(bits - 1);
    let value = low;
    if (low < short) bit += bits - 1;
    else {
      value = peek(bits);
      bit += bits;
      if (value >= 1 << (bits - 1)) value -= short;
    }
    const count = value - 1;
    counts.push(count);
    left -= Math.abs(count);
    for (let more = count === 0 ? 3 : 0; more === 3; ) {
      more = peek(2);
      bit += 2;
      for (let i = 0; i < more; i++) counts.push(0);
      if (counts.length > largest + 1) throw damagedZstd("a sound distribution", "a broken one");
    }
  }
  const after = (bit + 7) >> 3;
  if (left < 0 || counts.length > largest + 1 || after > end)
    throw damagedZstd("a sound distribution", "a broken one");
  return { table: fseTable(counts, log), end: after };
}
