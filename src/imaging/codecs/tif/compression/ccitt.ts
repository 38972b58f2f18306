// Black and white runs: ITU-T T.4 (modified Huffman, group 3 in one and two dimensions) and T.6 (group 4), as
// in TIFF 6.0 sections 10 and 11.

import { damagedTif } from "../../damaged.ts";
import type { BlockReader, StoredBlock } from "./block.ts";

/** Code words of run lengths 0 to 63, then of 64, 128 ... 1728; T.4 tables 2 and 3a. */
const whiteCodes =
  "00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100 11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 010011011";
const blackCodes =
  "0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 0000001011011 0000001100100 0000001100101";
/** Run lengths 1792, 1856 ... 2560 of both colours; T.4 table 3b. */
const longCodes =
  "00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 000000011100 000000011101 000000011110 000000011111";

/** Modes of T.4 table 4: pass, horizontal, or vertical by -3 to 3. */
const PASS = 8;
const HORIZONTAL = 9;
const EXTENSION = 10;
const modeCodes: readonly (readonly [string, number])[] = [
  ["1", 0],
  ["011", 1],
  ["000011", 2],
  ["0000011", 3],
  ["010", -1],
  ["000010", -2],
  ["0000010", -3],
  ["0001", PASS],
  ["001", HORIZONTAL],
  ["0000001", EXTENSION],
];

interface CodeTable {
  readonly bits: number;
  /** By the next `bits` bits: length of the code word (0 for none) and its value. */
  readonly lengths: Uint8Array;
  readonly values: Int16Array;
}

function codeTable(bits: number, codes: readonly (readonly [string, number])[]): CodeTable {
  const lengths = new Uint8Array(1 << bits);
  const values = new Int16Array(1 << bits);
  for (const [word, value] of codes) {
    const from = Number.parseInt(word, 2) << (bits - word.length);
    lengths.fill(word.length, from, from + (1 << (bits - word.length)));
    values.fill(value, from, from + (1 << (bits - word.length)));
  }
  return { bits, lengths, values };
}

function runTable(codes: string): CodeTable {
  const short = codes.split(" ").map((word, i) => [word, i < 64 ? i : (i - 63) * 64] as const);
  const long = longCodes.split(" ").map((word, i) => [word, 1792 + i * 64] as const);
  return codeTable(13, [...short, ...long]);
}

const runs = [runTable(whiteCodes), runTable(blackCodes)] as const;
const modes = codeTable(7, modeCodes);

interface Bits {
  readonly data: Uint8Array;
  at: number;
  /** True if a code word was requested where there is none. */
  broken: boolean;
}

/** Returns the next `count` (at most 16) bits without consuming them; zeros past the end. */
function peek({ data, at }: Bits, count: number): number {
  const i = at >> 3;
  const word = ((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0);
  return (word >> (24 - (at & 7) - count)) & ((1 << count) - 1);
}

const endOf = ({ data }: Bits) => data.length * 8;

/** Returns the value of the next code word; 0 if there is none, which breaks off the row. */
function take(bits: Bits, table: CodeTable): number {
  const index = peek(bits, table.bits);
  const length = table.lengths[index] as number;
  if (length === 0 || bits.at >= endOf(bits)) {
    bits.broken = true;
    return 0;
  }
  bits.at += length;
  return table.values[index] as number;
}

/** Returns the length of a run, as far as its code words go. */
function takeRun(bits: Bits, colour: number): number {
  let total = 0;
  for (;;) {
    const run = take(bits, runs[colour & 1] as CodeTable);
    total += run;
    if (run < 64) return total;
  }
}

/** Skips an end-of-line code with the fill before it, if it is next. */
function takeEndOfLine(bits: Bits): boolean {
  if (peek(bits, 11) !== 0) return false;
  const end = endOf(bits);
  while (bits.at < end && peek(bits, 1) === 0) bits.at++;
  return bits.at++ < end;
}

/** Moves behind the next end-of-line code, or to the end if there is none. */
function skipToEndOfLine(bits: Bits): boolean {
  for (const end = endOf(bits); bits.at < end; bits.at++) if (takeEndOfLine(bits)) return true;
  return false;
}

/**
 * Fills `changes` with the positions of colour changes along an independently coded row; returns their
 * number. A row that is broken off, or has a run past its end, is white from there on.
 */
function readRow(bits: Bits, width: number, changes: Int32Array): number {
  let count = 0;
  let x = 0;
  for (let colour = 0; x < width && count <= width && !bits.broken; colour ^= 1) {
    const end = x + takeRun(bits, colour);
    if (end > width) break;
    changes[count++] = end;
    x = end;
  }
  return whiteFrom(x, width, changes, count);
}

/** Ends a run of black at `x` if a row ends before its width. */
function whiteFrom(x: number, width: number, changes: Int32Array, count: number): number {
  if (x >= width || count % 2 === 0) return count;
  changes[count] = Math.max(x, 0);
  return count + 1;
}

/**
 * Fills `changes` for a row coded against the one above, whose changes end with three times `width`. The
 * search above and the state of the bits stay in this one loop: with a function for each, a page of text
 * takes 2 to 3 % longer.
 */
function readRowAgainst(bits: Bits, width: number, above: Int32Array, changes: Int32Array): number {
  const next = [0, 1]; // per colour, the index of the next change to the other colour above
  let count = 0;
  let x = -1; // a0: before the first pixel
  let colour = 0;
  while (x < width && count <= width && !bits.broken) {
    let i = next[colour] as number;
    while ((above[i] as number) <= x && (above[i] as number) < width) i += 2;
    next[colour] = i;
    const mode = take(bits, modes);
    if (mode === EXTENSION || bits.broken)
      return endsRow(mode, bits) ? count : whiteFrom(x, width, changes, count);
    if (mode === PASS) {
      x = above[i + 1] as number;
      continue;
    }
    const from = Math.max(x, 0);
    const first = mode === HORIZONTAL ? from + takeRun(bits, colour) : (above[i] as number) + mode;
    if (first < from) break;
    const two = mode === HORIZONTAL && !bits.broken;
    const last = two ? first + takeRun(bits, colour ^ 1) : first;
    if (last > width) return countPastEnd(first, width, changes, count);
    changes[count++] = first;
    if (two) changes[count++] = last;
    else colour ^= 1;
    x = last;
  }
  return whiteFrom(x, width, changes, count);
}

/** True at an extension or an end-of-line code, false at the end of the data, after which a row is white. */
const endsRow = (mode: number, bits: Bits): boolean => mode === EXTENSION || bits.at < endOf(bits);

/**
 * Returns the changes of a row with a run past its end, which does not count; the run before it ends at
 * `first`, if that is within the row.
 */
function countPastEnd(first: number, width: number, changes: Int32Array, count: number): number {
  if (first <= width) {
    changes[count] = first;
    return whiteFrom(first, width, changes, count + 1);
  }
  return whiteFrom(count > 0 ? (changes[count - 1] as number) : 0, width, changes, count);
}

/** Sets the bits from `from` to `to` of the row that begins at byte `start`. */
function setBits(out: Uint8Array, start: number, from: number, to: number): void {
  let x = from;
  while (x < to && (x & 7) !== 0) {
    out[start + (x >> 3)]! |= 128 >> (x & 7);
    x++;
  }
  const whole = x + ((to - x) & ~7);
  if (whole > x) out.fill(255, start + (x >> 3), start + (whole >> 3));
  for (x = Math.max(x, whole); x < to; x++) out[start + (x >> 3)]! |= 128 >> (x & 7);
}

/**
 * Returns the rows of a block as packed bits, 1 for black runs, in whole rows. Damage is shown as libtiff
 * does: a row as far as its codes go, then white; group 3 continues after the next end-of-line code, the
 * other schemes at the invalid bits; missing rows are white. Throws ImagingError `decode` for the
 * uncompressed mode, and on reading if not even the first code is valid.
 */
export function ccitt(stored: StoredBlock, scheme: "rle" | "g3" | "g4"): BlockReader {
  const { width, options } = stored;
  const perRow = (width + 7) >> 3;
  const bits: Bits = { data: stored.data, at: 0, broken: false };
  const twoDimensional = scheme === "g3" && (options & 1) === 1;
  if (options & 2 && scheme !== "rle")
    throw damagedTif("CCITT without uncompressed mode", "uncompressed mode");
  let above = new Int32Array(width + 8).fill(width);
  let changes = new Int32Array(width + 8);
  let marked: boolean | undefined; // true if rows begin with end-of-line codes, once that is known
  let started = false;
  let incomplete = false;

  /** Group 3: moves to the start of the next row. Some writers omit unnecessary end-of-line codes. */
  const findRow = (): void => {
    if (takeEndOfLine(bits)) marked = true;
    else if (marked ?? (bits.broken || twoDimensional)) {
      const { at } = bits;
      const found = skipToEndOfLine(bits);
      if (!found && !marked) bits.at = at;
      marked ??= found;
    }
  };

  /** Reads the colour changes of the next row; returns their number. */
  const readChanges = (): number => {
    if (scheme === "g3") findRow();
    const against = scheme === "g4" || (twoDimensional && peek(bits, 1) === 0);
    if (twoDimensional) bits.at++;
    const { at } = bits;
    bits.broken = false;
    const count = against ? readRowAgainst(bits, width, above, changes) : readRow(bits, width, changes);
    if (!started && !marked && bits.broken && bits.at === at)
      throw damagedTif(
        "code words of T.4 or T.6 in a CCITT block",
        at >= endOf(bits) ? "its end" : "other bits",
      );
    started = true;
    incomplete ||= bits.broken;
    if (scheme === "rle") bits.at = (bits.at + 7) & ~7;
    return count;
  };

  return {
    get incomplete() {
      return incomplete;
    },
    read(into) {
      into.fill(0);
      for (let start = 0; start < into.length; start += perRow) {
        if (started && bits.at >= endOf(bits)) {
          incomplete = true;
          return;
        }
        const count = readChanges();
        changes.fill(width, count, count + 3);
        for (let i = 0; i < count; i += 2)
          setBits(into, start, changes[i] as number, Math.min(changes[i + 1] as number, width));
        [above, changes] = [changes, above];
      }
    },
  };
}
