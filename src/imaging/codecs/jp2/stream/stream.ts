// A codestream opened for reads of regions: its main header, its tile-parts, and the requested tiles.

import { type ByteSource, createLru } from "../../../../base/index.ts";
import type { Codestream } from "../codestream.ts";
import { marker } from "../markers.ts";
import { packedInMain } from "./packed-headers.ts";
import { parameterReader } from "./parameters.ts";
import { openTile, type Tile } from "./tile.ts";
import { readSegments, readTileParts, type TilePart } from "./tile-parts.ts";

export interface OpenTile extends Tile {
  /** Numbers of the precincts whose packet headers have been read. */
  readonly read: Set<number>;
}

export interface Stream {
  readonly codestream: Codestream;
  readonly parts: readonly TilePart[];
  /** True if tile-parts are so short that to read each on its own takes longer than to decode it. */
  readonly hasSmallTiles: boolean;
  /** Throws ImagingError `decode`, `unsupported`, and `source`. */
  tile(bytes: ByteSource, index: number): Promise<OpenTile>;
  /** Like `parts`, with the lengths of all packets except those whose headers are packed elsewhere. */
  index(bytes: ByteSource): Promise<readonly TilePart[]>;
}

/** Average bytes of a tile-part below which they are read together. */
const smallPart = 1 << 13;
/** Maximum bytes of the tiles of a stream that stay in memory; a single one may take more. */
const maxTileBytes = 32 << 20;

/** Returns the estimated bytes of a tile with its packets, sub-bands and code-blocks (measured). */
function tileBytes({ order, components }: Tile): number {
  let total = 4096 + 40 * order.count;
  for (const { resolutions } of components)
    for (const { bands, across, down, blockX, blockY } of resolutions) {
      total += 500 * bands.length * (1 + Math.min(across * down, order.count));
      for (const { x0, y0, x1, y1 } of bands)
        total += 200 * (1 + (x1 - x0) / 2 ** blockX) * (1 + (y1 - y0) / 2 ** blockY);
    }
  return Math.min(total, maxTileBytes);
}

/**
 * Opens the codestream at `start`; `end`: its end, if its box says so. `known`: its tile-parts, from an
 * index. Throws ImagingError `decode`, `unsupported` and `source`.
 */
export async function openStream(
  bytes: ByteSource,
  codestream: Codestream,
  start: number,
  end: number | undefined,
  known?: readonly TilePart[],
): Promise<Stream> {
  const main = await readSegments(bytes, start + 2, marker.sot);
  const parameters = parameterReader(codestream.components.length);
  parameters.take(main.segments);
  parameters.read();
  const header = { codestream, parameters, packed: packedInMain(main.segments) };
  const parts = known ?? (await readTileParts(bytes, main.end, codestream.tiles, end));
  const ofTile = new Map<number, (TilePart & { index: number })[]>();
  parts.forEach((part, index) => {
    const own = ofTile.get(part.tile);
    if (own) own.push({ ...part, index });
    else ofTile.set(part.tile, [{ ...part, index }]);
  });
  const open = (source: ByteSource, index: number) =>
    openTile(source, header, index, ofTile.get(index) ?? []);
  const tiles = createLru<number, OpenTile>(maxTileBytes);
  const bytesOfParts = parts.reduce((sum, part) => sum + part.end - part.start, 0);
  return {
    codestream,
    parts,
    hasSmallTiles: bytesOfParts < smallPart * parts.length,
    async tile(source, index) {
      const found = tiles.get(index);
      if (found) return found;
      const tile = await open(source, index);
      const read = new Set<number>();
      if (tile.isRead) for (const number of tile.order.precincts) read.add(number);
      const opened = { ...tile, read };
      tiles.set(index, opened, tileBytes(tile));
      return opened;
    },
    async index(source) {
      const all = [...parts];
      for (const [index, own] of ofTile) {
        if (own.every(({ packets }) => packets)) continue;
        const { packets, partOf } = await open(source, index);
        if (packets.packed || !partOf) continue;
        let n = 0;
        own.forEach((part, p) => {
          const { index: at, ...rest } = part;
          const first = n;
          while (n < packets.found && partOf[n] === p) n++;
          all[at] = { ...rest, packets: packets.lengths.slice(first, n) };
        });
      }
      return all;
    },
  };
}
