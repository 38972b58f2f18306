// Huffman codes of literals (RFC 8878, section 4.2).

import { damagedZstd } from "../damaged.ts";
import { backwards, highestBit, take } from "./bits.ts";
import { baseOf, bitsOf, readFseTable, symbolOf } from "./fse.ts";

const MOST_BITS = 11;

/** For each value of `bits` bits: the symbol, and from bit 8 on the length of its code. */
export interface HuffmanTable {
  readonly bits: number;
  readonly codes: Uint16Array;
}

/** Reads the table at `start`; returns it with its end. Throws ImagingError `decode`. */
export function readHuffmanTable(
  data: Uint8Array,
  start: number,
  end: number,
): { table: HuffmanTable; end: number } {
  const head = data[start]!;
  const from = start + 1;
  const after = from + (head < 128 ? head : (head - 126) >> 1);
  if (after > end) throw damagedZstd("a Huffman table", "the end of its block");
  const weights =
    head < 128
      ? codedWeights(data, from, after)
      : Array.from({ length: head - 127 }, (_, i) => (data[from + (i >> 1)]! >> (i & 1 ? 0 : 4)) & 15);
  return { table: tableOf(weights), end: after };
}

/** Decodes weights in finite state entropy, with two alternating states. */
function codedWeights(data: Uint8Array, start: number, end: number): number[] {
  const { table, end: from } = readFseTable(data, start, end, { largest: MOST_BITS, maxLog: 6 });
  const bits = backwards(data, from, end);
  const states = [take(bits, table.log), take(bits, table.log)];
  const weights: number[] = [];
  for (let turn = 0; ; turn ^= 1) {
    const state = table.states[states[turn]!]!;
    weights.push(symbolOf(state));
    if (weights.length > 254) throw damagedZstd("at most 255 weights of Huffman codes", "more");
    if (bits.left < bitsOf(state)) {
      weights.push(symbolOf(table.states[states[turn ^ 1]!]!));
      return weights;
    }
    states[turn] = baseOf(state) + take(bits, bitsOf(state));
  }
}

/** Returns the table of the weights of all symbols but the last, whose weight follows from the others. */
function tableOf(weights: readonly number[]): HuffmanTable {
  const sum = weights.reduce((all, weight) => all + (weight > 0 ? 2 ** (weight - 1) : 0), 0);
  const bits = sum > 0 ? highestBit(sum) + 1 : 0;
  const rest = 2 ** bits - sum;
  if (bits < 1 || bits > MOST_BITS || (rest & (rest - 1)) !== 0)
    throw damagedZstd("Huffman codes that are complete", "others");
  const all = [...weights, highestBit(rest) + 1];
  const codes = new Uint16Array(1 << bits);
  let at = 0;
  for (let weight = 1; weight <= bits; weight++)
    for (const [symbol, of] of all.entries())
      if (of === weight) {
        const count = 1 << (weight - 1);
        codes.fill(symbol | ((bits + 1 - weight) << 8), at, at + count);
        at += count;
      }
  return { bits, codes };
}

/**
 * Decodes the stream in `data` from `start` to `end` into `out` from `to` to `toEnd`. Throws ImagingError
 * `decode` unless both end together.
 */
export function decodeHuffman(
  { bits, codes }: HuffmanTable,
  data: Uint8Array,
  [start, end]: readonly [number, number],
  out: Uint8Array,
  [to, toEnd]: readonly [number, number],
): void {
  let { left } = backwards(data, start, end);
  const mask = (1 << bits) - 1;
  let next = to;
  for (; next < toEnd && left >= bits; next++) {
    const from = left - bits;
    const at = start + (from >> 3);
    const code = codes[((data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16)) >> (from & 7)) & mask]!;
    out[next] = code;
    left -= code >> 8;
  }
  // the last codes may be shorter than the lookup
  for (; next < toEnd && left > 0; next++) {
    const first = data[start]! | (data[start + 1]! << 8);
    const code = codes[(first << (bits - left)) & mask]!;
    out[next] = code;
    left -= code >> 8;
  }
  if (left !== 0 || next !== toEnd) throw damagedZstd("literals of the size that their block says", "others");
}
