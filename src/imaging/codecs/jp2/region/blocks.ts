// Finds the code-blocks in windows of sub-bands, and the packets that contain them.

import type { ByteRange } from "../../../../base/index.ts";
import { damagedJp2 } from "../../damaged.ts";
import { joinRanges, type RangeSource, type ReadRanges, withRanges } from "../../ranges.ts";
import { type Band, type Box, isEmpty } from "../stream/geometry.ts";
import { HeaderEnd } from "../stream/header-bits.ts";
import { behindSop, type CodeBlock, readPacketHeader } from "../stream/precinct.ts";
import type { OpenTile } from "../stream/stream.ts";
import type { ResolutionWindow } from "./windows.ts";

/** Returns the numbers of the precincts in a window of a sub-band. */
function precinctsIn(tile: OpenTile, component: number, r: number, band: Band, window: Box): number[] {
  if (isEmpty(window)) return [];
  const { firstX, firstY, across, before, precinctX, precinctY } =
    tile.components[component]!.resolutions[r]!;
  const halves = band.orientation === "LL" ? 0 : 1;
  const [width, height] = [2 ** (precinctX - halves), 2 ** (precinctY - halves)];
  const numbers: number[] = [];
  for (let y = Math.floor(window.y0 / height); y < Math.ceil(window.y1 / height); y++)
    for (let x = Math.floor(window.x0 / width); x < Math.ceil(window.x1 / width); x++)
      numbers.push(before + (y - firstY) * across + (x - firstX));
  return numbers;
}

/** Returns the code-blocks with passes in a window of a sub-band, from precincts that have been read. */
export function blocksIn(
  tile: OpenTile,
  component: number,
  r: number,
  band: Band,
  window: Box,
): readonly CodeBlock[] {
  const found: CodeBlock[] = [];
  for (const number of precinctsIn(tile, component, r, band, window))
    for (const own of tile.precincts.get(number).bands) if (own.band === band) own.addBlocksIn(window, found);
  return found;
}

/** Bytes of a packet that are first read for its header: more than most headers have. */
const headerBytes = { each: 16, least: 256 };

/**
 * Reads the missing packet headers of all precincts that windows of components need. Throws ImagingError
 * `decode`.
 */
export async function readPrecincts(
  tile: OpenTile,
  windows: readonly { readonly component: number; readonly levels: readonly ResolutionWindow[] }[],
  source: RangeSource,
): Promise<void> {
  const wanted = new Set<number>();
  for (const { component, levels } of windows)
    for (const { resolution, bands } of levels)
      for (const { band, window } of bands)
        for (const number of precinctsIn(tile, component, resolution, band, window))
          if (!tile.read.has(number)) wanted.add(number);
  const numbers = [...wanted];
  const tooShort = await read(numbers, (number) => {
    const { blockCount } = tile.precincts.get(number);
    return headerBytes.least + headerBytes.each * blockCount;
  });
  const left = await read(tooShort, () => Number.POSITIVE_INFINITY);
  if (left.length > 0) throw damagedJp2("complete packet headers, but one ends early");

  /** Reads headers of at most that many bytes; returns the numbers of precincts with longer ones. */
  async function read(some: readonly number[], max: (number: number) => number): Promise<number[]> {
    if (some.length === 0) return [];
    if (tile.packets.packed) return some.filter((number) => !take(number));
    const ranges = some.flatMap((number) => packetRanges(tile, number, max(number)));
    return withRanges(ranges, source, (parts) => some.filter((number) => !take(number, parts, max(number))));
  }

  /** Returns true if the bytes were enough. */
  function take(number: number, parts?: ReadRanges, max = 0): boolean {
    // Another job in this thread may have read it meanwhile; its pieces must not be added twice.
    if (tile.read.has(number)) return true;
    try {
      for (const n of packetsOf(tile, number)) takePacket(tile, n.packet, n.layer, parts, max);
      tile.read.add(number);
      return true;
    } catch (error) {
      tile.precincts.forget(number);
      if (error instanceof HeaderEnd) return false;
      throw error;
    }
  }
}

/** Reads the header of a packet, and adds its pieces to the code-blocks. */
function takePacket(
  { precincts, packets, order }: OpenTile,
  packet: number,
  layer: number,
  parts: ReadRanges | undefined,
  max: number,
): void {
  const number = order.precincts[packet]!;
  const offset = packets.offsets[packet]!;
  const length = packets.lengths[packet]!;
  const bytes = packets.packed?.bytes ?? parts!.bytesOf({ offset, length: Math.min(length, max) });
  const at = packets.packed?.starts[packet] ?? behindSop(bytes, 0);
  const header = readPacketHeader(precincts.get(number), layer, precincts.styleOf(number), bytes, at);
  const data = packets.packed ? offset + length - header.dataLength : offset + header.end;
  if (data < offset || data + header.dataLength > offset + length)
    throw damagedJp2("packets of the length that the file says, received a longer one");
  for (const band of precincts.get(number).bands) band.place(data);
}

/** Returns the packets of a precinct in the file, layer by layer. */
function packetsOf(
  { order, packets: positions }: OpenTile,
  number: number,
): { packet: number; layer: number }[] {
  const { layers, packets } = order;
  const found: { packet: number; layer: number }[] = [];
  for (let layer = 0; layer < layers; layer++) {
    const packet = packets[number * layers + layer]!;
    if (packet >= positions.found) break;
    found.push({ packet, layer });
  }
  return found;
}

const packetRanges = (tile: OpenTile, number: number, max: number): ByteRange[] =>
  packetsOf(tile, number).map(({ packet }) => ({
    offset: tile.packets.offsets[packet]!,
    length: Math.min(tile.packets.lengths[packet]!, max),
  }));

/**
 * Ranges of the bytes of code-blocks: one for each block with adjacent pieces, otherwise one for each piece.
 */
export const pieceRanges = (blocks: readonly CodeBlock[]): ByteRange[] =>
  blocks.flatMap(({ pieces }): readonly ByteRange[] =>
    pieces.length === 1 ? pieces : joinRanges(pieces, 0),
  );
