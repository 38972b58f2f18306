// Distributions of asymmetric numeral systems: their form in a codestream, and the symbols of a stream
// (ISO/IEC 18181-1, C.2.5 and C.3.2).

import { damagedJxl } from "../../damaged.ts";
import type { BitReader } from "../read-bits.ts";

/** Sum of all probabilities, of 12 bits. */
const total = 4096;
/** Final state of a stream. */
const finalState = 0x130000;
/** Symbol of a run of equal probabilities. */
const run = 13;

/** Codes of the logarithms of probabilities: three bits, and those that follow them until a 1. */
const short: Readonly<Record<number, number>> = { 0: 10, 2: 7, 4: 6, 5: 8, 6: 9 };
const byOneBit: Readonly<Record<number, readonly [zero: number, one: number]>> = { 3: [3, 1], 7: [5, 2] };
const byOnes = [4, 0, 11, run];

function readLogarithm(bits: BitReader): number {
  const head = bits.take(3);
  const known = short[head];
  if (known !== undefined) return known;
  const pair = byOneBit[head];
  if (pair) return pair[bits.take(1)]!;
  return byOnes.find(() => bits.flag()) ?? 12;
}

function readByte(bits: BitReader): number {
  if (!bits.flag()) return 0;
  const count = bits.take(3);
  return 2 ** count + bits.take(count);
}

/** Returns the probability of each symbol; their sum is 4096. Throws ImagingError `decode`. */
export function readProbabilities(bits: BitReader, tableSize: number): Uint16Array {
  const found = new Uint16Array(tableSize);
  const inTable = (symbol: number) => {
    if (symbol >= tableSize) throw damagedJxl(`symbols below ${tableSize}`);
    return symbol;
  };
  if (bits.flag()) {
    const isPair = bits.flag();
    const first = inTable(readByte(bits));
    if (!isPair) {
      found[first] = total;
      return found;
    }
    const second = inTable(readByte(bits));
    if (first === second) throw damagedJxl("two different symbols");
    found[first] = bits.take(12);
    found[second] = total - found[first]!;
    return found;
  }
  if (bits.flag()) {
    const count = inTable(readByte(bits)) + 1;
    for (let i = 0; i < count; i++) found[i] = Math.floor(total / count) + (i < total % count ? 1 : 0);
    return found;
  }
  return readLogarithmic(bits, found);
}

/** Reads probabilities by their logarithms and some of the bits below; the largest one is what is left. */
function readLogarithmic(bits: BitReader, found: Uint16Array): Uint16Array {
  let length = 0;
  while (length < 3 && bits.flag()) length++;
  const shift = bits.take(length) + 2 ** length - 1;
  if (shift > 13) throw damagedJxl("probabilities of at most 12 bits");
  const count = readByte(bits) + 3;
  if (count > found.length) throw damagedJxl(`at most ${found.length} symbols`);
  const logarithms = new Uint8Array(count);
  const runs = new Uint8Array(count);
  let largest = -1;
  for (let i = 0; i < count; i++) {
    logarithms[i] = readLogarithm(bits);
    if (logarithms[i] !== run) {
      if (largest < 0 || logarithms[i]! > logarithms[largest]!) largest = i;
      continue;
    }
    const repeated = readByte(bits) + 4;
    if (i + repeated > count) throw damagedJxl("a run of probabilities inside its table");
    runs.fill(1, i, i + repeated);
    i += repeated - 1;
  }
  if (largest < 0 || runs[largest + 1]) throw damagedJxl("a largest probability that is not repeated");
  let sum = 0;
  for (let i = 0; i < count; i++) {
    if (i === largest) continue;
    if (runs[i]) found[i] = found[i - 1] ?? 0;
    else if (logarithms[i]! <= 1) found[i] = logarithms[i]!;
    else {
      const low = logarithms[i]! - 1;
      const read = Math.min(low, Math.max(0, shift - ((12 - low) >> 1)));
      found[i] = 2 ** low + bits.take(read) * 2 ** (low - read);
    }
    sum += found[i]!;
  }
  if (sum > total) throw damagedJxl(`probabilities of at most ${total} in total`);
  found[largest] = total - sum;
  return found;
}

/** A distribution as a table of buckets of equal size, each of up to two symbols (C.2.6). */
export interface AliasTable {
  readonly probabilities: Uint16Array;
  /** log2 of the states of a bucket. */
  readonly log: number;
  readonly cutoffs: Uint16Array;
  readonly symbols: Uint8Array;
  readonly offsets: Uint16Array;
}

/** Returns the table of a distribution of 2^`logSize` symbols. */
export function aliasTable(probabilities: Uint16Array, logSize: number): AliasTable {
  const log = 12 - logSize;
  const size = 2 ** log;
  const cutoffs = Uint16Array.from(probabilities);
  const symbols = new Uint8Array(probabilities.length);
  const offsets = new Uint16Array(probabilities.length);
  const table = { probabilities, log, cutoffs, symbols, offsets };
  const only = probabilities.indexOf(total);
  if (only >= 0) {
    cutoffs.fill(0);
    symbols.fill(only);
    for (let i = 0; i < offsets.length; i++) offsets[i] = size * i;
    return table;
  }
  const [under, over]: [number[], number[]] = [[], []];
  for (const [i, cutoff] of cutoffs.entries()) {
    if (cutoff < size) under.push(i);
    else if (cutoff > size) over.push(i);
  }
  while (over.length > 0) {
    const [from, to] = [over.pop()!, under.pop()!];
    cutoffs[from]! -= size - cutoffs[to]!;
    symbols[to] = from;
    offsets[to] = cutoffs[from]!;
    if (cutoffs[from]! < size) under.push(from);
    else if (cutoffs[from]! > size) over.push(from);
  }
  for (const [i, cutoff] of cutoffs.entries()) {
    if (cutoff === size) [symbols[i], offsets[i], cutoffs[i]] = [i, 0, 0];
    else offsets[i]! -= cutoff;
  }
  return table;
}

/**
 * Returns a function that reads the symbols of one stream, and one that throws if it did not end as such do.
 */
export function ansStream(bits: BitReader) {
  let state = bits.take(32);
  return {
    symbol({ probabilities, log, cutoffs, symbols, offsets }: AliasTable): number {
      const bucket = (state & 0xfff) >> log;
      const at = state & (2 ** log - 1);
      const isSecond = at >= cutoffs[bucket]!;
      const symbol = isSecond ? symbols[bucket]! : bucket;
      const offset = isSecond ? offsets[bucket]! + at : at;
      state = (state >>> 12) * probabilities[symbol]! + offset;
      if (state < 0x10000) state = state * 0x10000 + bits.take(16);
      return symbol;
    },
    end(): void {
      if (state !== finalState) throw damagedJxl("coded data that ends in its final state");
    },
  };
}
