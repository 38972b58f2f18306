// A compressed block: its literals, and the sequences that copy them and earlier output (RFC 8878, sections
// 3.1.1.3 to 3.1.1.5).

import { damagedZstd } from "../damaged.ts";
import { decodeHuffman, type HuffmanTable, readHuffmanTable } from "./huffman.ts";
import { createSequenceState, type Output, runSequences, type SequenceState } from "./sequences.ts";

/** Maximum bytes of a block, compressed or not. */
export const MOST_BLOCK = 128 * 1024;

/** State that one block of a frame passes to the next. */
export interface BlockState {
  huffman?: HuffmanTable;
  readonly sequences: SequenceState;
}

/** Returns the state at the start of a frame. */
export const blockState = (): BlockState => ({ sequences: createSequenceState() });

/** Room for the literals of the block that is being decoded: one for each small frame would take longer. */
const allLiterals = new Uint8Array(MOST_BLOCK);

/**
 * Appends the contents of a block, at most `max` bytes, to the output. `data` is the block. Throws
 * ImagingError `decode`.
 */
export function decodeBlock(data: Uint8Array, state: BlockState, output: Output, max: number): void {
  const { size, end } = readLiterals(data, state, max);
  const literals = allLiterals.subarray(0, size);
  runSequences({ data, start: end }, literals, state.sequences, output, max);
}

/** Sizes of literals by the two bits of their format: bits of each size, bytes of the header, streams. */
const packedForms = [
  { bits: 10, bytes: 3, streams: 1 },
  { bits: 10, bytes: 3, streams: 4 },
  { bits: 14, bytes: 4, streams: 4 },
  { bits: 18, bytes: 5, streams: 4 },
] as const;
const plainForms = [
  { shift: 3, bytes: 1 },
  { shift: 4, bytes: 2 },
  { shift: 3, bytes: 1 },
  { shift: 4, bytes: 3 },
] as const;

/** Fills `allLiterals`; returns their number, and the end of their section. */
function readLiterals(data: Uint8Array, state: BlockState, max: number): { size: number; end: number } {
  const head = littleEndian(data, 0, 5);
  const kind = head % 4;
  const format = Math.floor(head / 4) % 4;
  const literals = allLiterals;
  if (kind < 2) {
    const { shift, bytes } = plainForms[format]!;
    const size = Math.floor((head % 256 ** bytes) / 2 ** shift);
    const end = bytes + (kind === 0 ? size : 1);
    confirm(size <= max && end <= data.length);
    if (kind === 0) literals.set(data.subarray(bytes, end));
    else literals.fill(data[bytes]!, 0, size);
    return { size, end };
  }
  const { bits, bytes, streams } = packedForms[format]!;
  const size = Math.floor(head / 16) % 2 ** bits;
  const end = bytes + (Math.floor(head / 2 ** (4 + bits)) % 2 ** bits);
  confirm(size <= max && end <= data.length);
  let at: number = bytes;
  if (kind === 2) {
    const read = readHuffmanTable(data, at, end);
    state.huffman = read.table;
    at = read.end;
  }
  const { huffman } = state;
  if (!huffman) throw damagedZstd("a Huffman table in front of its use", "none");
  if (streams === 1) decodeHuffman(huffman, data, [at, end], literals, [0, size]);
  else decodeFour(huffman, data, [at, end], literals, size);
  return { size, end };
}

/** Decodes four streams, each but the last with a quarter of the literals, rounded up. */
function decodeFour(
  table: HuffmanTable,
  data: Uint8Array,
  [start, end]: readonly [number, number],
  literals: Uint8Array,
  size: number,
): void {
  const part = Math.ceil(size / 4);
  confirm(start + 6 <= end && 3 * part <= size);
  let from = start + 6;
  for (let i = 0; i < 4; i++) {
    const until = i < 3 ? from + littleEndian(data, start + 2 * i, 2) : end;
    confirm(until <= end);
    decodeHuffman(table, data, [from, until], literals, [i * part, i < 3 ? (i + 1) * part : size]);
    from = until;
  }
}

function littleEndian(data: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = bytes - 1; i >= 0; i--) value = value * 256 + (data[at + i] ?? 0);
  return value;
}

function confirm(sound: boolean): void {
  if (!sound) throw damagedZstd("literals that fit their block", "more");
}
