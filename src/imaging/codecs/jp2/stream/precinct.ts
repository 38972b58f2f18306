// Precincts: their code-blocks, and the contents of packet headers (ITU-T T.800 B.10; T.814 for HT blocks).

import { damagedError } from "../codestream.ts";
import { marker } from "../markers.ts";
import { type Band, type Box, intersect, isEmpty, precinctBox, type Resolution } from "./geometry.ts";
import { HeaderBits } from "./header-bits.ts";
import { blockStyle } from "./parameters.ts";
import { TagTree } from "./tag-tree.ts";

/** Bytes of a code-block in one packet. */
export interface CodedPiece {
  readonly offset: number;
  readonly length: number;
  readonly passes: number;
  /** True if it begins a segment (a codeword segment of its own). */
  readonly begins: boolean;
}

/** A code-block with its parts in all packets. Its box is in samples of the sub-band. */
export interface CodeBlock extends Box {
  readonly passes: number;
  readonly zeroPlanes: number;
  readonly pieces: readonly CodedPiece[];
}

/** Sides of code-blocks. */
interface BlockSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The part of a sub-band in one precinct. There may be tens of thousands of code-blocks, of which a read
 * needs few, so packet data is stored in arrays, by block.
 */
export class PrecinctBand {
  readonly band: Band;
  /** Code-blocks. */
  readonly across: number;
  readonly count: number;
  readonly inclusion: TagTree;
  readonly zeroPlanes: TagTree;
  /**
   * Per block: passes so far, zero bit-planes, state of its lengths (B.10.7.1), passes that its segment can
   * still take.
   */
  readonly passes: number[];
  readonly planes: number[];
  readonly lengthBits: number[];
  readonly room: number[];
  /** Per piece: its block, position, bytes, and passes, with {@link beginning} if it begins a segment. */
  readonly #pieces = {
    blocks: [] as number[],
    offsets: [] as number[],
    lengths: [] as number[],
    passes: [] as number[],
  };
  /** First piece of the current packet. */
  #fresh = 0;
  readonly #box: Box;
  readonly #size: BlockSize;
  /** Column and row of the first block. */
  readonly #left: number;
  readonly #top: number;
  readonly #made = new Map<number, CodeBlock>();
  /** Indexes of the pieces by block, computed on demand. */
  #ofBlock: ReturnType<typeof listsOf> | undefined;

  constructor(band: Band, box: Box, size: BlockSize) {
    this.band = band;
    this.#box = box;
    this.#size = size;
    this.#left = Math.floor(box.x0 / size.width);
    this.#top = Math.floor(box.y0 / size.height);
    this.across = Math.ceil(box.x1 / size.width) - this.#left;
    const down = Math.ceil(box.y1 / size.height) - this.#top;
    this.count = this.across * down;
    this.inclusion = new TagTree(this.across, down);
    this.zeroPlanes = new TagTree(this.across, down);
    const each = (value: number): number[] => new Array(this.count).fill(value);
    this.passes = each(0);
    this.planes = each(0);
    this.lengthBits = each(3);
    this.room = each(0);
  }

  /** Adds a piece of the current packet; its offset is relative to the start of the packet's data. */
  add(block: number, offset: number, length: number, passes: number, begins: boolean): void {
    const { blocks, offsets, lengths, passes: all } = this.#pieces;
    blocks.push(block);
    offsets.push(offset);
    lengths.push(length);
    all.push(begins ? passes | beginning : passes);
  }

  /** Ends a packet whose data begins at `offset` in the file. */
  place(offset: number): void {
    const { offsets } = this.#pieces;
    for (let i = this.#fresh; i < offsets.length; i++) offsets[i]! += offset;
    this.#fresh = offsets.length;
    this.#ofBlock = undefined;
  }

  /** Discards the pieces, for a walk that needs none. */
  drop(): void {
    for (const list of Object.values(this.#pieces)) list.length = 0;
    this.#fresh = 0;
  }

  /** Yields the code-blocks with passes in a window. */
  *blocksIn(window: Box): Iterable<CodeBlock> {
    const { width, height } = this.#size;
    const { x0, y0, x1, y1 } = intersect(this.#box, window);
    if (x1 <= x0 || y1 <= y0) return;
    const [right, bottom] = [Math.ceil(x1 / width) - this.#left, Math.ceil(y1 / height) - this.#top];
    for (let row = Math.floor(y0 / height) - this.#top; row < bottom; row++)
      for (let column = Math.floor(x0 / width) - this.#left; column < right; column++) {
        const index = row * this.across + column;
        if (this.passes[index]! > 0) yield this.#block(index, column, row);
      }
  }

  #block(index: number, column: number, row: number): CodeBlock {
    let block = this.#made.get(index);
    if (!block) {
      const { width, height } = this.#size;
      const [x, y] = [(this.#left + column) * width, (this.#top + row) * height];
      block = {
        ...intersect(this.#box, { x0: x, y0: y, x1: x + width, y1: y + height }),
        passes: this.passes[index]!,
        zeroPlanes: this.planes[index]!,
        pieces: this.#piecesOf(index),
      };
      this.#made.set(index, block);
    }
    return block;
  }

  #piecesOf(block: number): CodedPiece[] {
    const { blocks, offsets, lengths, passes } = this.#pieces;
    this.#ofBlock ??= listsOf(blocks, this.count);
    const found: CodedPiece[] = [];
    for (let i = this.#ofBlock.first[block]!; i >= 0; i = this.#ofBlock.next[i]!)
      found.push({
        offset: offsets[i]!,
        length: lengths[i]!,
        passes: passes[i]! & ~beginning,
        begins: (passes[i]! & beginning) !== 0,
      });
    return found;
  }
}

const beginning = 1 << 30;

/**
 * For numbers below `count`: the first index of each, and for each index the next one with the same number;
 * -1 for none.
 */
function listsOf(numbers: readonly number[], count: number) {
  const first = new Int32Array(count).fill(-1);
  const next = new Int32Array(numbers.length);
  for (let i = numbers.length - 1; i >= 0; i--) {
    next[i] = first[numbers[i]!]!;
    first[numbers[i]!] = i;
  }
  return { first, next };
}

export interface Precinct {
  readonly bands: readonly PrecinctBand[];
  readonly blockCount: number;
}

/** Returns the code-blocks of a precinct before any packet was read. */
export function emptyPrecinct(resolution: Resolution, column: number, row: number): Precinct {
  const size = { width: 2 ** resolution.blockX, height: 2 ** resolution.blockY };
  const bands: PrecinctBand[] = [];
  for (const band of resolution.bands) {
    const box = precinctBox(resolution, band, column, row);
    if (!isEmpty(box)) bands.push(new PrecinctBand(band, box, size));
  }
  return { bands, blockCount: bands.reduce((sum, { count }) => sum + count, 0) };
}

/** Maximum of zero bit-planes: the number of possible bit-planes. */
const mostZeroPlanes = 74;

/** Contents of a packet header. */
export interface PacketHeader {
  /** Offset after it, in the bytes that contain it. */
  readonly end: number;
  /** Bytes of the data after it. */
  readonly dataLength: number;
}

/**
 * Reads the packet header of the next layer of a precinct at `at`, and adds its pieces to the code-blocks:
 * see {@link PrecinctBand.place}. Throws HeaderEnd if the bytes end within it, and ImagingError `decode`.
 */
export function readPacketHeader(
  precinct: Precinct,
  layer: number,
  style: number,
  bytes: Uint8Array,
  at: number,
): PacketHeader {
  const bits = new HeaderBits(bytes, at);
  let dataLength = 0;
  if (bits.bit() === 1)
    for (const band of precinct.bands)
      for (let block = 0; block < band.count; block++)
        if (isIncluded(bits, band, block, layer))
          dataLength = readContribution(bits, band, block, style, dataLength);
  let end = bits.end();
  // It cannot occur by chance: no byte above 0x8F follows 0xFF in data.
  if (isMarker(bytes, end, marker.eph)) end += 2;
  return { end, dataLength };
}

/**
 * True if the packet has passes of a code-block; reads its zero bit-planes if it is the first one with passes
 * (B.10.4, B.10.5).
 */
function isIncluded(bits: HeaderBits, band: PrecinctBand, block: number, layer: number): boolean {
  if (band.passes[block]! > 0) return bits.bit() === 1;
  const x = block % band.across;
  const y = (block - x) / band.across;
  if (!band.inclusion.isBelow(bits, x, y, layer + 1)) return false;
  const planes = band.zeroPlanes.value(bits, x, y, mostZeroPlanes);
  if (planes > mostZeroPlanes) throw damagedError(`at most ${mostZeroPlanes} zero bit-planes, received more`);
  band.planes[block] = planes;
  return true;
}

/**
 * Reads how many passes a packet has of a code-block, and the lengths of their segments (B.10.6, B.10.7).
 * `offset`: start of its data; returns the end.
 */
function readContribution(
  bits: HeaderBits,
  band: PrecinctBand,
  block: number,
  style: number,
  offset: number,
): number {
  let at = offset;
  let left = passCount(bits);
  while (bits.bit() === 1) band.lengthBits[block]!++;
  while (left > 0) {
    const begins = band.room[block] === 0;
    if (begins) band.room[block] = segmentPasses(style, band.passes[block]!, left);
    const passes = Math.min(left, band.room[block]!);
    const width = band.lengthBits[block]! + 31 - Math.clz32(passes);
    if (width > 31) throw damagedError(`lengths of at most 31 bits, received one of ${width}`);
    const length = bits.number(width);
    band.add(block, at, length, passes, begins);
    at += length;
    band.passes[block]! += passes;
    band.room[block]! -= passes;
    left -= passes;
  }
  return at;
}

/** Returns the offset after an SOP segment, if there is one at `at` (A.8.1). */
export const behindSop = (bytes: Uint8Array, at: number): number =>
  isMarker(bytes, at, marker.sop) ? at + 6 : at;

const isMarker = (bytes: Uint8Array, at: number, code: number) =>
  bytes[at] === 0xff && bytes[at + 1] === (code & 0xff);

/** Table B.4. */
function passCount(bits: HeaderBits): number {
  if (bits.bit() === 0) return 1;
  if (bits.bit() === 0) return 2;
  const two = bits.number(2);
  if (two < 3) return 3 + two;
  const five = bits.number(5);
  if (five < 31) return 6 + five;
  return 37 + bits.number(7);
}

const unbounded = 1 << 20;

/**
 * Returns the number of passes of a segment that begins with pass `pass` (D.4, D.6); HT blocks (T.814 B.3):
 * cleanup, then the others.
 */
function segmentPasses(style: number, pass: number, coming: number): number {
  if (style & blockStyle.highThroughput) return pass === 0 ? 3 * Math.floor((coming - 1) / 3) + 1 : 2;
  if (style & blockStyle.terminatesAll) return 1;
  if (!(style & blockStyle.bypass)) return unbounded;
  if (pass < 10) return 10 - pass;
  return (pass - 10) % 3 === 0 ? 2 : 1;
}
