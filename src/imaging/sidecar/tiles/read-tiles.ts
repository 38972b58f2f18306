// Reads parts of a level that is stored as coded tiles.

import type { Area } from "../../pipeline/area.ts";
import type { BlockReader } from "../block-reader.ts";
import type { BytePlane, TileCoder } from "./tile-coder.ts";
import { type TiledLevel, type TilePosition, tileSide, toPlane } from "./tile-index.ts";

/** Where a level is stored. */
export interface StoredTiles {
  readonly level: TiledLevel;
  readonly tileAt: (column: number, row: number) => TilePosition;
  readonly blocks: BlockReader;
  readonly coder: TileCoder;
}

interface Tile {
  readonly column: number;
  readonly row: number;
}

/**
 * Returns the samples of an area of each of the first planes of a level; undefined if a tile is lost or
 * damaged.
 */
export async function readTiles(
  { level, tileAt, blocks, coder }: StoredTiles,
  areas: readonly Area[],
): Promise<readonly BytePlane[] | undefined> {
  const tiles = tilesOf(level, areas);
  const coded = await Promise.all(tiles.map(({ column, row }) => bytesOfTile(blocks, tileAt(column, row))));
  const out = areas.map(({ width, height }) => ({
    data: new Uint8Array(width * height),
    width,
    height,
    stride: width,
  }));
  for (const [n, { column, row }] of tiles.entries()) {
    let rest = coded[n];
    if (!rest) return undefined;
    for (const [i, area] of areas.entries()) {
      const shape = level.planes[i]!;
      const [left, top] = [toPlane(column * tileSide, shape), toPlane(row * tileSide, shape)];
      const right = toPlane(Math.min(level.width, (column + 1) * tileSide), shape);
      const bottom = toPlane(Math.min(level.height, (row + 1) * tileSide), shape);
      const decoded = coder.decode(rest, right - left, bottom - top);
      if (!decoded) return undefined;
      copyCommon(decoded.plane, { left, top }, out[i]!, area);
      rest = rest.subarray(decoded.taken);
    }
  }
  return out;
}

/** Returns the tiles that any of the areas touches. */
function tilesOf(level: TiledLevel, areas: readonly Area[]): readonly Tile[] {
  const span = (start: (area: Area) => number, length: (area: Area) => number) => {
    const sides = areas.map((_, i) => (level.planes[i]!.halved ? tileSide / 2 : tileSide));
    const first = Math.min(...areas.map((area, i) => Math.floor(start(area) / sides[i]!)));
    const end = Math.max(...areas.map((area, i) => Math.ceil((start(area) + length(area)) / sides[i]!)));
    return Array.from({ length: end - first }, (_, i) => first + i);
  };
  const columns = span(
    ({ left }) => left,
    ({ width }) => width,
  );
  const rows = span(
    ({ top }) => top,
    ({ height }) => height,
  );
  return rows.flatMap((row) => columns.map((column) => ({ column, row })));
}

/** Returns the coded bytes of a tile; undefined if a block is lost. */
export async function bytesOfTile(
  blocks: BlockReader,
  { at, length }: TilePosition,
): Promise<Uint8Array | undefined> {
  const known = blocks.recall(at, at + length);
  if (known) return known;
  const stretch = await blocks.stretch(at, at + length);
  if (!stretch) return undefined;
  const bytes = new Uint8Array(length);
  stretch.copy(at, length, bytes, 0);
  return bytes;
}

/** Copies the samples of a tile, whose corner is at `left`, `top` of its plane, that an area has. */
export function copyCommon(
  tile: BytePlane,
  { left, top }: Pick<Area, "left" | "top">,
  target: BytePlane,
  area: Area,
): void {
  const from = Math.max(left, area.left);
  const to = Math.min(left + tile.width, area.left + area.width);
  const end = Math.min(top + tile.height, area.top + area.height);
  if (from >= to) return;
  for (let y = Math.max(top, area.top); y < end; y++) {
    const start = (y - top) * tile.stride + from - left;
    target.data.set(
      tile.data.subarray(start, start + to - from),
      (y - area.top) * target.stride + from - area.left,
    );
  }
}
