// Levels of deep zoom and their tiles, as viewers ask for them, held against each other.

import { expect } from "vitest";
import type { Served } from "../../../served.ts";
import { cut, difference, type Information, informationOf, type Picture, pixelsOf } from "../derivatives.ts";

export interface Tile {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly target: string;
}

const up = Math.ceil;

/**
 * The tiles of a level with their addresses as OpenSeadragon writes them: version 3 `w,h`, version 2 `w,`.
 */
export function* tilesOf(version: 2 | 3, name: string, info: Information, s: number): Generator<Tile> {
  const side = (info.tiles[0]?.width ?? 0) * s;
  const size = (w: number, h: number) =>
    w === info.width && (version === 2 || h === info.height)
      ? version === 2
        ? "full"
        : "max"
      : version === 2
        ? `${w},`
        : `${w},${h}`;
  for (let y = 0; y < info.height; y += side)
    for (let x = 0; x < info.width; x += side) {
      const [w, h] = [Math.min(side, info.width - x), Math.min(side, info.height - y)];
      const whole = w === info.width && h === info.height;
      const [width, height] = [up(w / s), up(h / s)];
      yield {
        x: x / s,
        y: y / s,
        width,
        height,
        target: `/iiif/${version}/${name}/${whole ? "full" : `${x},${y},${w},${h}`}/${size(width, height)}/0/default.png`,
      };
    }
}

/** The address of a whole level. */
export const wholeTarget = (version: 2 | 3, name: string, { width, height }: Information, s: number) =>
  `/iiif/${version}/${name}/full/${up(width / s)},${up(height / s)}/0/default.png`;

/**
 * Compares every tile of every level of a picture with that level. An edge one pixel wide has the same
 * address at two levels: its response is that of the finer level, so the coarser level is not checked there.
 */
export async function expectNoSeams(app: Served, version: 2 | 3, name: string): Promise<void> {
  const info = await informationOf(app, version, name);
  const seen = new Set<string>();
  for (const s of info.tiles[0]?.scaleFactors ?? []) {
    const level = await pixelsOf(app, wholeTarget(version, name, info, s));
    expect([level.width, level.height]).toEqual([up(info.width / s), up(info.height / s)]);
    for (const tile of tilesOf(version, name, info, s)) {
      if (seen.has(tile.target)) {
        expect(tile.width === 1 && (version === 2 || tile.height === 1), tile.target).toBe(true);
        continue;
      }
      seen.add(tile.target);
      expectPart(level, await pixelsOf(app, tile.target), tile);
    }
  }
}

/** Fails unless a tile is its part of the level, sample for sample. */
export function expectPart(level: Picture, picture: Picture, tile: Tile): void {
  const { largest } = difference(picture, cut(level, tile.x, tile.y, tile.width, tile.height));
  expect(largest, tile.target).toBe(0);
}
