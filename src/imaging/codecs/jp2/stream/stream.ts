// A codestream opened for reads of regions: its main header, its tile-parts, and the requested tiles.

import type { ByteSource } from "../../../lib/byte-source.ts";
import { createLru } from "../../../lib/lru.ts";
import type { Codestream } from "../codestream.ts";
import { marker } from "../markers.ts";
import { packedInMain } from "./packed-headers.ts";
import { type Precincts, precinctsOf } from "./packet-places.ts";
import { parameterReader } from "./parameters.ts";
import { openTile, type Tile } from "./tile.ts";
import { readSegments, readTileParts, type TilePart } from "./tile-parts.ts";

export interface OpenTile extends Tile {
  readonly precincts: Precincts;
  /** Numbers of the precincts whose packet headers have been read. */
  readonly read: Set<number>;
}

export interface Stream {
  readonly codestream: Codestream;
  readonly parts: readonly TilePart[];
  /** Throws ImagingError `decode`, `unsupported`, and `source`. */
  tile(bytes: ByteSource, index: number): Promise<OpenTile>;
  /** Like `parts`, with the lengths of all packets except those whose headers are packed elsewhere. */
  index(bytes: ByteSource): Promise<readonly TilePart[]>;
}

/** Maximum of packets that stay in memory, for the tiles of a stream: about 30 bytes each. */
const mostPackets = 1 << 20;

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
  const ofTile = new Map<number, (TilePart & { place: number })[]>();
  parts.forEach((part, place) => {
    const own = ofTile.get(part.tile);
    if (own) own.push({ ...part, place });
    else ofTile.set(part.tile, [{ ...part, place }]);
  });
  const open = (source: ByteSource, index: number) =>
    openTile(source, header, index, ofTile.get(index) ?? []);
  const tiles = createLru<number, OpenTile>(mostPackets);
  return {
    codestream,
    parts,
    async tile(source, index) {
      const found = tiles.get(index);
      if (found) return found;
      const tile = await open(source, index);
      const opened = { ...tile, precincts: precinctsOf(tile.components), read: new Set<number>() };
      tiles.set(index, opened, Math.max(1, tile.order.count));
      return opened;
    },
    async index(source) {
      const all = [...parts];
      for (const [index, own] of ofTile) {
        if (own.every(({ packets }) => packets)) continue;
        const { places, partOf } = await open(source, index);
        if (places.packed || !partOf) continue;
        own.forEach((part, p) => {
          const { place, ...rest } = part;
          all[place] = {
            ...rest,
            packets: places.lengths.filter((_, n) => partOf[n] === p && n < places.found),
          };
        });
      }
      return all;
    },
  };
}
