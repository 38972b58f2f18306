// Coded integers of JPEG XL, as far as headers have them: contexts in clusters, symbols of either kind of
// code, bits behind symbols, and repetitions (ISO/IEC 18181-1, annex C).

import { damagedJxl } from "../../damaged.ts";
import type { Choice } from "../bits.ts";
import type { BitReader } from "../read-bits.ts";
import { aliasTable, ansStream, readProbabilities } from "./ans.ts";
import { readPrefixCode, readSymbol } from "./prefix.ts";

/** Reads the next integer in a context; `end` throws if the stream did not end as such do. */
export interface CodedIntegers {
  next(context: number): number;
  end(): void;
}

/** Bits of an integer in its symbol and behind it (C.2.3). */
interface Split {
  readonly exponent: number;
  readonly high: number;
  readonly low: number;
}

interface Repetitions {
  /** First symbol that is a length. */
  readonly symbol: number;
  readonly least: number;
  readonly lengths: Split;
}

const repetitionSymbols: readonly Choice[] = [
  [224, 0],
  [512, 0],
  [4096, 0],
  [8, 15],
];
const leastLengths: readonly Choice[] = [
  [3, 0],
  [4, 0],
  [5, 2],
  [9, 8],
];
/** Integers behind which repetitions may begin. */
const windowSize = 2 ** 20;

/**
 * Reads the codes of `contexts` contexts and begins their stream. Throws ImagingError `decode`, and
 * OutOfBits.
 */
export function codedIntegers(bits: BitReader, contexts: number, mayRepeat = true): CodedIntegers {
  const repetitions = bits.flag() ? readRepetitions(bits) : undefined;
  if (repetitions && !mayRepeat) throw damagedJxl("few contexts without repetitions");
  const clusters = readClusters(bits, contexts + (repetitions ? 1 : 0));
  const count = Math.max(...clusters) + 1;
  const isPrefix = bits.flag();
  const logSize = isPrefix ? 15 : 5 + bits.take(2);
  const splits = Array.from({ length: count }, () => readSplit(bits, logSize));
  const { symbol, end } = isPrefix ? prefixSymbols(bits, count) : ansSymbols(bits, count, logSize);
  const readPlain = (cluster: number) => integerOf(bits, splits[cluster]!, symbol(cluster));
  if (!repetitions) return { next: (context) => readPlain(clusters[context]!), end };

  const window: number[] = [];
  let [left, from] = [0, 0];
  const beginRepetition = (length: number) => {
    if (window.length === 0) throw damagedJxl("an integer before its repetition");
    left = repetitions.least + integerOf(bits, repetitions.lengths, length);
    const distance = Math.min(readPlain(clusters.at(-1)!) + 1, windowSize, window.length);
    from = window.length - distance;
  };
  return {
    next(context) {
      const cluster = clusters[context]!;
      if (left === 0) {
        const found = symbol(cluster);
        if (found < repetitions.symbol) {
          window.push(integerOf(bits, splits[cluster]!, found));
          return window.at(-1)!;
        }
        beginRepetition(found - repetitions.symbol);
      }
      left--;
      window.push(window[from++]!);
      return window.at(-1)!;
    },
    end,
  };
}

function readRepetitions(bits: BitReader): Repetitions {
  const symbol = bits.choose(repetitionSymbols);
  const least = bits.choose(leastLengths);
  return { symbol, least, lengths: readSplit(bits, 8) };
}

/** Returns the number of bits of a value up to `limit`. */
const widthOf = (limit: number) => Math.ceil(Math.log2(limit + 1));

function readSplit(bits: BitReader, logSize: number): Split {
  const exponent = bits.take(widthOf(logSize));
  if (exponent === logSize) return { exponent, high: 0, low: 0 };
  const high = bits.take(widthOf(exponent));
  const low = high > exponent ? exponent : bits.take(widthOf(exponent - high));
  if (high + low > exponent) throw damagedJxl("integers whose symbols have all of their bits");
  return { exponent, high, low };
}

function integerOf(bits: BitReader, { exponent, high, low }: Split, symbol: number): number {
  const split = 2 ** exponent;
  if (symbol < split) return symbol;
  const inSymbol = high + low;
  const count = exponent - inSymbol + ((symbol - split) >> inSymbol);
  if (count > 31) throw damagedJxl("integers of 32 bits");
  const top = 2 ** high + ((symbol >> low) & (2 ** high - 1));
  return (top * 2 ** count + bits.take(count)) * 2 ** low + (symbol & (2 ** low - 1));
}

/** Returns the cluster of each context (C.2.2). */
function readClusters(bits: BitReader, contexts: number): readonly number[] {
  if (contexts === 1) return [0];
  const clusters = bits.flag() ? readSimpleClusters(bits, contexts) : readCodedClusters(bits, contexts);
  const used = new Set(clusters);
  if (used.size !== Math.max(...clusters) + 1) throw damagedJxl("clusters without gaps");
  return clusters;
}

function readSimpleClusters(bits: BitReader, contexts: number): number[] {
  const width = bits.take(2);
  return Array.from({ length: contexts }, () => bits.take(width));
}

function readCodedClusters(bits: BitReader, contexts: number): number[] {
  const movesToFront = bits.flag();
  const integers = codedIntegers(bits, 1, contexts > 2);
  const clusters = Array.from({ length: contexts }, () => integers.next(0));
  integers.end();
  if (clusters.some((cluster) => cluster > 255)) throw damagedJxl("at most 256 clusters");
  if (!movesToFront) return clusters;
  const list = Array.from({ length: 256 }, (_, i) => i);
  return clusters.map((index) => {
    const [cluster] = list.splice(index, 1);
    list.unshift(cluster!);
    return cluster!;
  });
}

const wholeNumber = (bits: BitReader) => {
  if (!bits.flag()) return 1;
  const count = bits.take(4);
  return 1 + 2 ** count + bits.take(count);
};

function prefixSymbols(bits: BitReader, count: number) {
  const sizes = Array.from({ length: count }, () => wholeNumber(bits));
  if (sizes.some((size) => size > 2 ** 15)) throw damagedJxl("prefix codes of at most 32,768 symbols");
  const codes = sizes.map((size) => readPrefixCode(bits, size));
  return { symbol: (cluster: number) => readSymbol(bits, codes[cluster]!), end: () => {} };
}

function ansSymbols(bits: BitReader, count: number, logSize: number) {
  const tables = Array.from({ length: count }, () =>
    aliasTable(readProbabilities(bits, 2 ** logSize), logSize),
  );
  const stream = ansStream(bits);
  return { symbol: (cluster: number) => stream.symbol(tables[cluster]!), end: stream.end };
}
