// Writes a level as coded tiles, from the top down.

import type { BytePlane, TileCoder } from "./tile-coder.ts";
import { type TiledLevel, type TilePosition, tileSide, tilesAcross, toPlane } from "./tile-index.ts";

export interface TileWriter {
  /**
   * Adds the next rows: as many as a tile has, or the last ones. `planes` are those of the level, as wide as
   * it is.
   */
  addRows(planes: readonly BytePlane[]): Promise<void>;
  /** Places of the tiles so far, row by row. */
  readonly tiles: readonly TilePosition[];
}

/** Creates a writer; `add` receives the coded tiles in order. */
export function tileWriter(
  level: TiledLevel,
  coder: TileCoder,
  add: (tile: Uint8Array) => Promise<void>,
): TileWriter {
  const tiles: TilePosition[] = [];
  let at = 0;
  return {
    tiles,
    async addRows(planes) {
      for (let column = 0; column < tilesAcross(level); column++) {
        const right = Math.min(level.width, (column + 1) * tileSide);
        let length = 0;
        for (const [i, { data, height, stride }] of planes.entries()) {
          const shape = level.planes[i]!;
          const left = toPlane(column * tileSide, shape);
          const width = toPlane(right, shape) - left;
          const coded = coder.encode({ data: data.subarray(left), width, height, stride });
          length += coded.length;
          await add(coded);
        }
        tiles.push({ at, length });
        at += length;
      }
    },
  };
}
