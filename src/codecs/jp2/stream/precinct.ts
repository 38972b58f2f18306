// Precincts: their code-blocks, and what packet headers say of them (ITU-T T.800 B.10; T.814 for HT blocks).

import { damaged } from "../codestream.ts";
import { type Band, type Box, isEmpty, precinctBox, type Resolution } from "./geometry.ts";
import { HeaderBits } from "./header-bits.ts";
import { blockStyle } from "./parameters.ts";
import { marker } from "./segments.ts";
import { TagTree } from "./tag-tree.ts";

/** Bytes of a code-block in one packet. */
export interface Piece {
  readonly offset: number;
  readonly length: number;
  readonly passes: number;
  /** Whether it begins a segment (a codeword segment of its own). */
  readonly begins: boolean;
}

/** A code-block. Its box is in samples of the sub-band. */
export interface CodeBlock extends Box {
  readonly pieces: Piece[];
  passes: number;
  zeroPlanes: number;
  /** State of the lengths (B.10.7.1). */
  lengthBits: number;
  /** Passes that the segment at work still takes. */
  room: number;
}

/** The part of a sub-band in one precinct. */
export interface PrecinctBand {
  readonly band: Band;
  readonly across: number;
  readonly down: number;
  readonly blocks: readonly CodeBlock[];
  readonly inclusion: TagTree;
  readonly zeroPlanes: TagTree;
}

export interface Precinct {
  readonly bands: readonly PrecinctBand[];
  readonly blockCount: number;
}

/** The code-blocks of a precinct before any packet was read. */
export function emptyPrecinct(resolution: Resolution, column: number, row: number): Precinct {
  let blockCount = 0;
  const bands = resolution.bands
    .map((band) => ({ band, box: precinctBox(resolution, band, column, row) }))
    .filter(({ box }) => !isEmpty(box))
    .map(({ band, box }) => {
      const [width, height] = [2 ** resolution.blockX, 2 ** resolution.blockY];
      const [left, top] = [Math.floor(box.x0 / width), Math.floor(box.y0 / height)];
      const across = Math.ceil(box.x1 / width) - left;
      const down = Math.ceil(box.y1 / height) - top;
      blockCount += across * down;
      const blocks = Array.from({ length: across * down }, (_, i): CodeBlock => {
        const x = (left + (i % across)) * width;
        const y = (top + Math.floor(i / across)) * height;
        return {
          x0: Math.max(box.x0, x),
          y0: Math.max(box.y0, y),
          x1: Math.min(box.x1, x + width),
          y1: Math.min(box.y1, y + height),
          pieces: [],
          passes: 0,
          zeroPlanes: 0,
          lengthBits: 3,
          room: 0,
        };
      });
      const tree = () => new TagTree(across, down);
      return { band, across, down, blocks, inclusion: tree(), zeroPlanes: tree() };
    });
  return { bands, blockCount };
}

/** Zero bit-planes that are told at most: bit-planes that there can be. */
const mostZeroPlanes = 74;
/** D.3 and table B.4. */
const mostPasses = 164;

/** Bytes of a code-block in one packet. */
export interface Contribution extends Piece {
  readonly block: CodeBlock;
}

/** What the header of a packet says. */
export interface PacketHeader {
  /** The place behind it, in the bytes that hold it. */
  readonly end: number;
  /** Bytes of the data behind it. */
  readonly dataLength: number;
  /** In the order of the data; offsets count from where these begin. */
  readonly contributions: readonly Contribution[];
}

/**
 * Reads the header of the packet of the next layer of a precinct, which begins at `at`. Throws HeaderEnd if the
 * bytes end within it, and ServiceError `decode`.
 */
export function readPacketHeader(
  precinct: Precinct,
  layer: number,
  style: number,
  bytes: Uint8Array,
  at: number,
): PacketHeader {
  const bits = new HeaderBits(bytes, at);
  const contributions: Contribution[] = [];
  if (bits.bit() === 1)
    for (const band of precinct.bands)
      band.blocks.forEach((block, i) => {
        if (isIncluded(bits, band, block, i, layer)) readContributions(bits, block, style, contributions);
      });
  const last = contributions.at(-1);
  let end = bits.end();
  // It cannot stand there by chance: no byte above 0x8F follows 0xFF in data.
  if (isMarker(bytes, end, marker.eph)) end += 2;
  return { end, dataLength: last ? last.offset + last.length : 0, contributions };
}

/** Whether the packet has passes of a code-block; reads its zero bit-planes if it is the first that has (B.10.4, B.10.5). */
function isIncluded(
  bits: HeaderBits,
  { across, inclusion, zeroPlanes }: PrecinctBand,
  block: CodeBlock,
  index: number,
  layer: number,
): boolean {
  if (block.passes > 0) return bits.bit() === 1;
  const [x, y] = [index % across, Math.floor(index / across)];
  if (!inclusion.isBelow(bits, x, y, layer + 1)) return false;
  block.zeroPlanes = zeroPlanes.value(bits, x, y, mostZeroPlanes);
  if (block.zeroPlanes > mostZeroPlanes)
    throw damaged(`at most ${mostZeroPlanes} zero bit-planes, received more`);
  return true;
}

/** Reads how many passes a packet has of a code-block, and the lengths of their segments (B.10.6, B.10.7). */
function readContributions(bits: HeaderBits, block: CodeBlock, style: number, to: Contribution[]): void {
  let left = passCount(bits);
  if (block.passes + left > mostPasses)
    throw damaged(`at most ${mostPasses} coding passes of a code-block, received ${block.passes + left}`);
  while (bits.bit() === 1) block.lengthBits++;
  while (left > 0) {
    const begins = block.room === 0;
    if (begins) block.room = segmentPasses(style, block.passes, left);
    const passes = Math.min(left, block.room);
    const width = block.lengthBits + 31 - Math.clz32(passes);
    if (width > 31) throw damaged(`lengths of at most 31 bits, received one of ${width}`);
    const last = to.at(-1);
    const offset = last ? last.offset + last.length : 0;
    to.push({ block, offset, length: bits.number(width), passes, begins });
    block.passes += passes;
    block.room -= passes;
    left -= passes;
  }
}

/** The place behind an SOP segment, if there is one at `at` (A.8.1). */
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

/** How many passes a segment takes that begins with pass `pass` (D.4, D.6); HT blocks (T.814 B.3): cleanup, then the others. */
function segmentPasses(style: number, pass: number, coming: number): number {
  if (style & blockStyle.highThroughput) return pass === 0 ? 3 * Math.floor((coming - 1) / 3) + 1 : 2;
  if (style & blockStyle.terminatesAll) return 1;
  if (!(style & blockStyle.bypass)) return unbounded;
  if (pass < 10) return 10 - pass;
  return (pass - 10) % 3 === 0 ? 2 : 1;
}
