// Reads regions of a stored pyramid.

import type { Size } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { BlockReader } from "../../sidecar/block-reader.ts";
import { bytesOfTile, copyCommon } from "../../sidecar/tiles/read-tiles.ts";
import type { BytePlane, TileCoder } from "../../sidecar/tiles/tile-coder.ts";
import {
  countTiles,
  loadTilePositions,
  type TilePosition,
  tileSide,
  tilesAcross,
} from "../../sidecar/tiles/tile-index.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";

export interface StoredPyramid {
  /** Sizes of the levels, and the place of the first tile of each. */
  readonly levels: readonly (Size & { readonly first: number })[];
  readonly tileAt: (tile: number) => TilePosition;
  readonly blocks: BlockReader;
}

/** Opens a stored pyramid of levels with these sizes; undefined if its index does not fit them. */
export function openPyramid(
  sizes: readonly Size[],
  index: Uint8Array,
  blocks: BlockReader,
): StoredPyramid | undefined {
  let first = 0;
  const levels = sizes.map((size) => {
    const level = { ...size, first };
    first += countTiles(size);
    return level;
  });
  const tileAt = loadTilePositions(index, first, blocks.size);
  return tileAt && { levels, tileAt, blocks };
}

/** Returns part of a stored level; undefined if a tile is lost or damaged. */
export async function readPyramid(
  { levels, tileAt, blocks }: StoredPyramid,
  header: ImageHeader,
  part: Rectangle,
  level: number,
  coder: TileCoder,
): Promise<PixelBuffer | undefined> {
  const { width, height, first } = levels[level]!;
  const { bands, interpretation } = header;
  const depth = header.depth === 16 ? 2 : 1;
  const pixelBytes = bands * depth;
  const across = tilesAcross({ width });
  const samples = part.width * part.height * bands;
  const data = depth === 2 ? new Uint16Array(samples) : new Uint8Array(samples);
  const out = planeOf(new Uint8Array(data.buffer), part, pixelBytes);
  const area = { ...out, left: part.x * pixelBytes, top: part.y };
  const columns: number[] = [];
  for (let column = Math.floor(part.x / tileSide); column * tileSide < part.x + part.width; column++)
    columns.push(column);
  // A row of tiles at a time, so that few coded bytes are in memory.
  for (let row = Math.floor(part.y / tileSide); row * tileSide < part.y + part.height; row++) {
    const coded = await Promise.all(
      columns.map((column) => bytesOfTile(blocks, tileAt(first + row * across + column))),
    );
    for (const [n, column] of columns.entries()) {
      const [x, y] = [column * tileSide, row * tileSide];
      const tile = { width: Math.min(tileSide, width - x), height: Math.min(tileSide, height - y) };
      const bytes = coded[n] && coder.decodePixels(coded[n], tile.width, tile.height, { bands, depth });
      if (!bytes) return undefined;
      copyCommon(planeOf(bytes, tile, pixelBytes), { left: x * pixelBytes, top: y }, out, area);
    }
  }
  return { width: part.width, height: part.height, bands, interpretation, data };
}

/** Returns packed pixels as a plane of their bytes. */
function planeOf(data: Uint8Array, { width, height }: Size, pixelBytes: number): BytePlane {
  const rowBytes = width * pixelBytes;
  return { data, width: rowBytes, height, stride: rowBytes };
}
