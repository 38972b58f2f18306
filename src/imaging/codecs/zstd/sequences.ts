// Sequences: a number of literals, then a copy from a distance (RFC 8878, sections 3.1.1.3.2, 3.1.1.4 and
// 3.1.1.5).

import { damagedZstd } from "../damaged.ts";
import { type Backwards, backwards, take } from "./bits.ts";
import { baseOf, bitsOf, type FseTable, fixedTable, fseTable, readFseTable, symbolOf } from "./fse.ts";

/**
 * Destination of bytes, after those that copies can refer back to. There is always room for one more block.
 */
export interface Output {
  bytes: Uint8Array;
  /** Bytes in it, those of the frame. */
  length: number;
}

/** A kind of code: its base values by symbol, and the number of additional bits of each. */
interface Codes {
  readonly bases: Int32Array;
  readonly extra: Uint8Array;
  readonly maxLog: number;
  readonly usual: FseTable;
}

function createCodes(first: number, extra: readonly number[], maxLog: number, usual: FseTable): Codes {
  let base = first;
  const bases = Int32Array.from(extra, (bits) => {
    const own = base;
    base += 2 ** bits;
    return own;
  });
  return { bases, extra: Uint8Array.from(extra), maxLog, usual };
}

const repeatValue = (value: number, times: number) => new Array<number>(times).fill(value);
const countUp = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Larger distances exceed any allowed window. */
const MAX_OFFSET_BITS = 28;

/** In the order of their modes and tables: literals, offsets, matches. */
const kinds = {
  literals: createCodes(
    0,
    [...repeatValue(0, 16), 1, 1, 1, 1, 2, 2, 3, 3, 4, ...countUp(6, 16)],
    9,
    fseTable(
      [
        4,
        3,
        ...repeatValue(2, 11),
        1,
        1,
        1,
        ...repeatValue(2, 9),
        3,
        2,
        ...repeatValue(1, 5),
        ...repeatValue(-1, 4),
      ],
      6,
    ),
  ),
  offsets: createCodes(
    1,
    countUp(0, MAX_OFFSET_BITS),
    8,
    fseTable([...repeatValue(1, 6), 2, 2, 2, ...repeatValue(1, 15), ...repeatValue(-1, 5)], 5),
  ),
  matches: createCodes(
    3,
    [...repeatValue(0, 32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, ...countUp(7, 16)],
    9,
    fseTable([1, 4, 3, ...repeatValue(2, 6), ...repeatValue(1, 37), ...repeatValue(-1, 7)], 6),
  ),
} as const;
type Kind = keyof typeof kinds;

/** Tables and distances of earlier sequences, which the next may reuse. */
export interface SequenceState {
  readonly tables: Partial<Record<Kind, FseTable>>;
  readonly distances: [number, number, number];
}

export const createSequenceState = (): SequenceState => ({ tables: {}, distances: [1, 4, 8] });

/**
 * Executes the sequences coded in `data` from `start` on: appends at most `max` bytes. Throws ImagingError
 * `decode`.
 */
export function runSequences(
  { data, start }: { readonly data: Uint8Array; readonly start: number },
  literals: Uint8Array,
  state: SequenceState,
  output: Output,
  max: number,
): void {
  const { count, at } = readCount(data, start);
  const end = output.length + max;
  let used = 0;
  if (count > 0) {
    const walk = openWalk(data, at, state);
    for (let i = 1; i <= count; i++) {
      const offset = currentValue(walk.offsets, walk.bits);
      const match = currentValue(walk.matches, walk.bits);
      const literal = currentValue(walk.literals, walk.bits);
      if (i < count) {
        advance(walk.literals, walk.bits);
        advance(walk.matches, walk.bits);
        advance(walk.offsets, walk.bits);
      }
      if (walk.bits.left < 0) throw damagedZstd("sequences of the size that their block says", "others");
      if (literal > literals.length - used || output.length + literal + match > end)
        throw damagedZstd("sequences that fit their block", "longer ones");
      append(output, literals, used, literal);
      used += literal;
      repeat(output, distanceOf(offset, literal, state.distances), match);
    }
    if (walk.bits.left !== 0) throw damagedZstd("sequences of the size that their block says", "others");
  }
  if (output.length + literals.length - used > end)
    throw damagedZstd("sequences that fit their block", "longer ones");
  append(output, literals, used, literals.length - used);
}

function readCount(data: Uint8Array, start: number): { count: number; at: number } {
  const [a = -1, b = 0, c = 0] = data.subarray(start, start + 3);
  if (a < 0) throw damagedZstd("a number of sequences", "the end of the block");
  if (a < 128) return { count: a, at: start + 1 };
  if (a < 255) return { count: (a - 128) * 256 + b, at: start + 2 };
  return { count: b + c * 256 + 0x7f00, at: start + 3 };
}

/** Progress of one kind of code through a block. */
interface Track {
  readonly codes: Codes;
  readonly table: FseTable;
  state: number;
}

interface SequenceReader extends Readonly<Record<Kind, Track>> {
  readonly bits: Backwards;
}

/** Returns the current value, with its extra bits. */
function currentValue({ codes, table, state }: Track, bits: Backwards): number {
  const symbol = symbolOf(table.states[state]!);
  return codes.bases[symbol]! + take(bits, codes.extra[symbol]!);
}

function advance(track: Track, bits: Backwards): void {
  const state = track.table.states[track.state]!;
  track.state = baseOf(state) + take(bits, bitsOf(state));
}

/** Reads the tables of a block and the initial states of its sequences. */
function openWalk(data: Uint8Array, start: number, { tables }: SequenceState): SequenceReader {
  const modes = data[start] ?? 3;
  if ((modes & 3) !== 0) throw damagedZstd("known modes of sequences", "others");
  let at = start + 1;
  const table = (kind: Kind, mode: number): FseTable => {
    const { usual, maxLog, extra } = kinds[kind];
    const largest = extra.length - 1;
    if (mode === 3) {
      const before = tables[kind];
      if (!before) throw damagedZstd("tables in front of their use", "none");
      return before;
    }
    let own = usual;
    if (mode === 1) {
      const symbol = data[at++] ?? 255;
      if (symbol > largest) throw damagedZstd(`symbols up to ${largest}`, `${symbol}`);
      own = fixedTable(symbol);
    } else if (mode === 2) {
      const read = readFseTable(data, at, data.length, { largest, maxLog });
      own = read.table;
      at = read.end;
    }
    tables[kind] = own;
    return own;
  };
  const [literals, offsets, matches] = [
    table("literals", modes >> 6),
    table("offsets", (modes >> 4) & 3),
    table("matches", (modes >> 2) & 3),
  ];
  const bits = backwards(data, at, data.length);
  const track = (kind: Kind, of: FseTable): Track => ({
    codes: kinds[kind],
    table: of,
    state: take(bits, of.log),
  });
  return {
    bits,
    literals: track("literals", literals),
    offsets: track("offsets", offsets),
    matches: track("matches", matches),
  };
}

/**
 * Returns the distance of a code: 1 to 3 are the latest ones, or those before them if there are no literals.
 */
function distanceOf(code: number, literal: number, distances: SequenceState["distances"]): number {
  const index = code > 3 ? 3 : code - (literal > 0 ? 1 : 0);
  if (index === 0) return distances[0];
  const distance = code > 3 ? code - 3 : index === 3 ? distances[0] - 1 : distances[index as 1 | 2];
  if (distance < 1) throw damagedZstd("distances above 0", `${distance}`);
  if (index > 1) distances[2] = distances[1];
  distances[1] = distances[0];
  distances[0] = distance;
  return distance;
}

/** Shorter runs are copied byte by byte. */
const SHORT = 32;

function append(output: Output, from: Uint8Array, start: number, count: number): void {
  const { bytes, length } = output;
  if (count > SHORT) bytes.set(from.subarray(start, start + count), length);
  else for (let i = 0; i < count; i++) bytes[length + i] = from[start + i]!;
  output.length += count;
}

/** Appends `count` bytes from `distance` before the end, which may overlap the output. */
function repeat(output: Output, distance: number, count: number): void {
  const { bytes, length } = output;
  if (distance > length) throw damagedZstd(`a distance of at most ${length} bytes`, `${distance}`);
  const from = length - distance;
  if (count > SHORT && distance >= count) bytes.copyWithin(length, from, from + count);
  else for (let i = 0; i < count; i++) bytes[length + i] = bytes[from + i]!;
  output.length += count;
}
