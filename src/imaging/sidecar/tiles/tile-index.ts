// Places of the coded tiles of a level, as stored in the entry of a sidecar.

import { maxSide } from "./tile-coder.ts";

/**
 * A level of an image as planes: the first has `width` by `height` samples, planes that are `halved` have
 * half of that, rounded up.
 */
export interface TiledLevel {
  readonly width: number;
  readonly height: number;
  readonly planes: readonly { readonly halved: boolean }[];
}

/** Sides of the first plane of a tile, except at the right and bottom edges. */
export const tileSide = maxSide;

/** Returns the side of a plane, or the position of an edge on it, from that on the first plane. */
export const toPlane = (length: number, { halved }: TiledLevel["planes"][number]) =>
  halved ? Math.ceil(length / 2) : length;

type Size = Pick<TiledLevel, "width" | "height">;

export const tilesAcross = ({ width }: Pick<Size, "width">) => Math.ceil(width / tileSide);
/** Returns the number of tiles of a level. */
export const countTiles = (level: Size) => tilesAcross(level) * Math.ceil(level.height / tileSide);

/** Place of a tile in the blocks, in bytes. */
export interface TilePosition {
  readonly at: number;
  readonly length: number;
}

const positionBytes = 8;
/** Maximum bytes of all tiles, since places have 4 bytes. */
export const maxTileBytes = 2 ** 32 - 1;

/**
 * Serializes the places of tiles, row by row: start and length of each as 4-byte integers (little-endian).
 */
export function saveTileIndex(tiles: readonly TilePosition[]): Uint8Array {
  const saved = new Uint8Array(positionBytes * tiles.length);
  const view = new DataView(saved.buffer);
  for (const [i, { at, length }] of tiles.entries()) {
    view.setUint32(positionBytes * i, at, true);
    view.setUint32(positionBytes * i + 4, length, true);
  }
  return saved;
}

/**
 * Returns a function from the number of a tile to its place. Returns undefined if the index is not one of
 * `count` tiles, or if a tile ends after `size`.
 */
export function loadTilePositions(
  saved: Uint8Array,
  count: number,
  size: number,
): ((tile: number) => TilePosition) | undefined {
  if (saved.length !== positionBytes * count) return undefined;
  const view = new DataView(saved.buffer, saved.byteOffset, saved.length);
  const tileAt = (tile: number): TilePosition => ({
    at: view.getUint32(positionBytes * tile, true),
    length: view.getUint32(positionBytes * tile + 4, true),
  });
  for (let tile = 0; tile < count; tile++) {
    const { at, length } = tileAt(tile);
    if (at + length > size) return undefined;
  }
  return tileAt;
}

/** Returns the place of a tile of a level, given its column and row. See {@link loadTilePositions}. */
export function loadTileIndex(
  saved: Uint8Array,
  level: TiledLevel,
  size: number,
): ((column: number, row: number) => TilePosition) | undefined {
  const across = tilesAcross(level);
  const tileAt = loadTilePositions(saved, countTiles(level), size);
  return tileAt && ((column, row) => tileAt(row * across + column));
}
