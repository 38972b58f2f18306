// Precincts: their code-blocks, and the contents of packet headers (ITU-T T.800 B.10; T.814 for HT blocks).

import { ImagingError, type Size } from "../../../../base/index.ts";
import { damagedJp2 } from "../../damaged.ts";
import { blockStyles, marker } from "../markers.ts";
import { type Band, type Box, intersect, isEmpty, precinctBox, type Resolution } from "./geometry.ts";
import { HeaderBits } from "./header-bits.ts";
import { readHtPieces } from "./ht-segments.ts";
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
  /** One of {@link htKinds}, for blocks of an HT style. */
  readonly kind: number;
  readonly pieces: readonly CodedPiece[];
  /** The slot that had it decoded last, which may have another block by now; see `region/block-slots.ts`. */
  slot: number;
}

/** Fields of a block in {@link BlockStates.fields}. */
const field = {
  /** Passes so far. */
  passes: 0,
  zeroPlanes: 1,
  /** State of its lengths (B.10.7.1), without the 3 that it begins with. */
  lengthBits: 2,
  /** Passes that its segment can still take; of HT styles, one of {@link htKinds}. */
  room: 3,
} as const;
const fieldCount = 4;
/** Number of blocks up to which a plain array takes less time and memory than a typed one. */
const largestSmall = 64;

/** State of the code-blocks of a sub-band while packet headers are read. */
class BlockStates {
  readonly inclusion: TagTree;
  readonly zeroPlanes: TagTree;
  /** {@link fieldCount} numbers for each block. */
  readonly fields: number[] | Uint8Array;
  /** True if a block has passes. */
  hasPasses = false;

  constructor(across: number, down: number) {
    const count = across * down;
    this.inclusion = new TagTree(across, down);
    this.zeroPlanes = new TagTree(across, down);
    const length = fieldCount * count;
    this.fields = count <= largestSmall ? new Array<number>(length).fill(0) : new Uint8Array(length);
  }
}

/** Numbers of a piece in a list of them: its block, position, bytes, passes with {@link beginning}. */
const pieceNumbers = 4;

/**
 * The part of a sub-band in one precinct. There may be tens of thousands of code-blocks, of which a read
 * needs few, so packet data is stored in arrays, by block. Blocks without data take no memory.
 */
export class PrecinctBand {
  readonly band: Band;
  /** Code-blocks. */
  readonly across: number;
  readonly count: number;
  #states: BlockStates | undefined;
  /** Pieces of all packets, {@link pieceNumbers} numbers each. */
  #pieces: number[] = [];
  /** First piece of the current packet. */
  #fresh = 0;
  readonly #box: Box;
  readonly #size: Size;
  /** Column and row of the first block. */
  readonly #left: number;
  readonly #top: number;
  /** Code-blocks that a read has met, by index. */
  #made: CodeBlock[] | undefined;
  /** Indexes of the pieces by block, computed on demand. */
  #ofBlock: ReturnType<typeof listsOf> | undefined;

  constructor(band: Band, box: Box, size: Size) {
    this.band = band;
    this.#box = box;
    this.#size = size;
    this.#left = Math.floor(box.x0 / size.width);
    this.#top = Math.floor(box.y0 / size.height);
    this.across = Math.ceil(box.x1 / size.width) - this.#left;
    this.count = this.across * (Math.ceil(box.y1 / size.height) - this.#top);
  }

  /** The states of its blocks. Throws ImagingError `unsupported` if there are too many. */
  get states(): BlockStates {
    if (!this.#states) {
      if (this.count > maxBlocks) throw tooManyBlocks(this.count);
      this.#states = new BlockStates(this.across, this.count / this.across);
    }
    return this.#states;
  }

  /** Adds a piece of the current packet; its offset is relative to the start of the packet's data. */
  add(block: number, offset: number, length: number, passes: number, begins: boolean): void {
    this.#pieces.push(block, offset, length, begins ? passes | beginning : passes);
  }

  /** Ends a packet whose data begins at `offset` in the file. */
  place(offset: number): void {
    const pieces = this.#pieces;
    for (let i = this.#fresh + 1; i < pieces.length; i += pieceNumbers) pieces[i]! += offset;
    this.#fresh = pieces.length;
    this.#ofBlock = undefined;
  }

  /** Discards the pieces, for a walk that needs none. */
  drop(): void {
    if (this.#pieces.length > 0) this.#pieces = [];
    this.#fresh = 0;
  }

  /** Adds the code-blocks with passes in a window to `found`. */
  addBlocksIn(window: Box, found: CodeBlock[]): void {
    const states = this.#states;
    if (!states) return;
    const { width, height } = this.#size;
    const { x0, y0, x1, y1 } = intersect(this.#box, window);
    if (x1 <= x0 || y1 <= y0) return;
    const [right, bottom] = [Math.ceil(x1 / width) - this.#left, Math.ceil(y1 / height) - this.#top];
    for (let row = Math.floor(y0 / height) - this.#top; row < bottom; row++)
      for (let column = Math.floor(x0 / width) - this.#left; column < right; column++) {
        const index = row * this.across + column;
        if (states.fields[fieldCount * index + field.passes]! > 0)
          found.push(this.#block(states, index, column, row));
      }
  }

  #block(states: BlockStates, index: number, column: number, row: number): CodeBlock {
    this.#made ??= [];
    const known = this.#made[index];
    if (known) return known;
    const { width, height } = this.#size;
    const [x, y] = [(this.#left + column) * width, (this.#top + row) * height];
    const { x0, y0, x1, y1 } = this.#box;
    const block: CodeBlock = {
      x0: Math.max(x0, x),
      y0: Math.max(y0, y),
      x1: Math.min(x1, x + width),
      y1: Math.min(y1, y + height),
      passes: states.fields[fieldCount * index + field.passes]!,
      zeroPlanes: states.fields[fieldCount * index + field.zeroPlanes]!,
      kind: states.fields[fieldCount * index + field.room]!,
      pieces: this.#piecesOf(index),
      slot: -1,
    };
    this.#made[index] = block;
    return block;
  }

  #piecesOf(block: number): CodedPiece[] {
    const found: CodedPiece[] = [];
    if (this.count === 1)
      for (let i = 0; i < this.#pieces.length; i += pieceNumbers) found.push(this.#piece(i));
    else {
      this.#ofBlock ??= listsOf(this.#pieces, this.count);
      for (let i = this.#ofBlock.first[block]!; i >= 0; i = this.#ofBlock.next[i]!)
        found.push(this.#piece(pieceNumbers * i));
    }
    return found;
  }

  #piece(at: number): CodedPiece {
    const pieces = this.#pieces;
    const passes = pieces[at + 3]!;
    return {
      offset: pieces[at + 1]!,
      length: pieces[at + 2]!,
      passes: passes & ~beginning,
      begins: (passes & beginning) !== 0,
    };
  }
}

const beginning = 1 << 30;

/**
 * For blocks below `count`: the first piece of each, and for each piece the next one of the same block; -1
 * for none.
 */
function listsOf(pieces: readonly number[], count: number) {
  const first = new Int32Array(count).fill(-1);
  const next = new Int32Array(pieces.length / pieceNumbers);
  for (let i = next.length - 1; i >= 0; i--) {
    const block = pieces[pieceNumbers * i]!;
    next[i] = first[block]!;
    first[block] = i;
  }
  return { first, next };
}

/** Most code-blocks of a sub-band in one precinct: those of 64 by 64 samples in 4 gigapixels. */
const maxBlocks = 1 << 20;

/**
 * Code-blocks that packet headers of a tile may still go through. A bit of a header can exclude a million of
 * them, so the length of a file does not bound that.
 */
export interface HeaderWork {
  left: number;
}

/** Returns the work that the packet headers of a tile of that many bytes may take: half a second for 1 MB. */
export const headerWork = (bytes: number): HeaderWork => ({ left: (1 << 24) + 32 * bytes });

const tooManyBlocks = (count: number) =>
  new ImagingError(
    "unsupported",
    `Expected JPEG 2000 packets of at most ${maxBlocks} code-blocks with data in proportion, received one of ${count}; convert the file with larger code-blocks.`,
  );

export interface Precinct {
  readonly bands: readonly PrecinctBand[];
  readonly blockCount: number;
  readonly work: HeaderWork;
}

/** Returns the code-blocks of a precinct before any packet was read. */
export function emptyPrecinct(
  resolution: Resolution,
  column: number,
  row: number,
  work: HeaderWork,
): Precinct {
  const size = { width: 2 ** resolution.blockX, height: 2 ** resolution.blockY };
  const bands: PrecinctBand[] = [];
  for (const band of resolution.bands) {
    const box = precinctBox(resolution, band, column, row);
    if (!isEmpty(box)) bands.push(new PrecinctBand(band, box, size));
  }
  return { bands, blockCount: bands.reduce((sum, { count }) => sum + count, 0), work };
}

/** Maximum of zero bit-planes: the number of possible bit-planes. */
const maxZeroPlanes = 74;

/** Contents of a packet header. */
export interface PacketHeader {
  /** Offset after it, in the bytes that contain it. */
  readonly end: number;
  /** Bytes of the data after it. */
  readonly dataLength: number;
}

/**
 * Reads the packet header of the next layer of a precinct at `at`, and adds its pieces to the code-blocks:
 * see {@link PrecinctBand.place}. Throws HeaderEnd if the bytes end within it, and ImagingError `decode` and
 * `unsupported`.
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
    for (const band of precinct.bands) {
      const { states } = band;
      // One bit may exclude all blocks.
      if (!states.hasPasses && !states.inclusion.isRootBelow(bits, layer + 1)) continue;
      precinct.work.left -= band.count;
      if (precinct.work.left < 0) throw tooManyBlocks(band.count);
      for (let block = 0; block < band.count; block++)
        if (isIncluded(bits, states, band.across, block, layer))
          dataLength = readContribution(bits, band, block, style, dataLength);
    }
  let end = bits.end();
  // It cannot occur by chance: no byte above 0x8F follows 0xFF in data.
  if (isMarker(bytes, end, marker.eph)) end += 2;
  return { end, dataLength };
}

/**
 * True if the packet has passes of a code-block; reads its zero bit-planes if it is the first one with passes
 * (B.10.4, B.10.5).
 */
function isIncluded(
  bits: HeaderBits,
  states: BlockStates,
  across: number,
  block: number,
  layer: number,
): boolean {
  if (states.fields[fieldCount * block + field.passes]! > 0) return bits.bit() === 1;
  const x = block % across;
  const y = (block - x) / across;
  if (!states.inclusion.isBelow(bits, x, y, layer + 1)) return false;
  const planes = states.zeroPlanes.value(bits, x, y, maxZeroPlanes);
  if (planes > maxZeroPlanes) throw damagedJp2(`at most ${maxZeroPlanes} zero bit-planes, received more`);
  states.fields[fieldCount * block + field.zeroPlanes] = planes;
  states.hasPasses = true;
  return true;
}

/** Most passes of a code-block: more than three for each of the possible bit-planes. */
const maxPasses = 255;
const maxLengthBits = 31;
const maxPassBits = 7;

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
  const { fields } = band.states;
  const own = fieldCount * block;
  let at = offset;
  let left = passCount(bits);
  let passed = fields[own + field.passes]!;
  let lengthBits = 3 + fields[own + field.lengthBits]!;
  let room = fields[own + field.room]!;
  if (passed + left > maxPasses)
    throw damagedJp2(`at most ${maxPasses} passes of a code-block, received more`);
  while (bits.bit() === 1 && lengthBits <= maxLengthBits) lengthBits++;
  const isHt = (style & blockStyles.highThroughput) !== 0;
  if (isHt && lengthBits + maxPassBits > maxLengthBits)
    throw damagedJp2(`lengths of at most ${maxLengthBits} bits, received a longer one`);
  if (isHt) {
    const mixed = (style & blockStyles.mixed) !== 0;
    const state = { passes: passed, kind: room, lengthBits, mixed };
    const { kind, pieces } = readHtPieces(bits, state, left);
    for (const { passes, length, begins } of pieces) {
      band.add(block, at, length, passes, begins);
      at += length;
    }
    passed += left;
    room = kind;
    left = 0;
  }
  while (left > 0) {
    const begins = room === 0;
    if (begins) room = segmentPasses(style, passed);
    const passes = Math.min(left, room);
    const width = lengthBits + 31 - Math.clz32(passes);
    if (width > maxLengthBits)
      throw damagedJp2(`lengths of at most ${maxLengthBits} bits, received one of ${width}`);
    const length = bits.number(width);
    band.add(block, at, length, passes, begins);
    at += length;
    passed += passes;
    room -= passes;
    left -= passes;
  }
  fields[own + field.passes] = passed;
  fields[own + field.lengthBits] = lengthBits - 3;
  fields[own + field.room] = room;
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

const unbounded = maxPasses;

/** Returns the number of passes of a segment that begins with pass `pass` (D.4, D.6). */
function segmentPasses(style: number, pass: number): number {
  if (style & blockStyles.terminatesAll) return 1;
  if (!(style & blockStyles.bypass)) return unbounded;
  if (pass < 10) return 10 - pass;
  return (pass - 10) % 3 === 0 ? 2 : 1;
}
