// The level at 1/2 of a JPEG: the planes of a derivative of that size with halved colour, as coded tiles. Its
// samples are those that `planes/planes.ts` makes from the file, so derivatives do not depend on it.

import type { ResampleAxis } from "../../../pipeline/step.ts";
import type { BlockReader } from "../../../sidecar/block-reader.ts";
import { type BlockList, type BlockSink, blockBytes, blockWriter } from "../../../sidecar/blocks.ts";
import { readTiles, type TiledArea } from "../../../sidecar/tiles/read-tiles.ts";
import type { BytePlane, TileCoder } from "../../../sidecar/tiles/tile-coder.ts";
import {
  loadTileIndex,
  onPlane,
  saveTileIndex,
  type TiledLevel,
  tileSide,
} from "../../../sidecar/tiles/tile-index.ts";
import { tileWriter } from "../../../sidecar/tiles/write-tiles.ts";
import type { Frame } from "../region/index.ts";

/** A stored level at 1/2: the places of its tiles, and their blocks. */
export interface StoredLevel2 {
  readonly index: Uint8Array;
  readonly blocks: BlockList;
}

/** A level at 1/2, ready to read. */
export interface Level2 {
  /**
   * Returns a component's samples along two axes on the full-size image, for each of the first components;
   * undefined if they are not samples of the level, or if it is lost.
   */
  samples(axes: readonly Axes[]): Promise<readonly BytePlane[] | undefined>;
}

/** Axes of a component's samples, in full-size pixels. */
export interface Axes {
  readonly x: ResampleAxis;
  readonly y: ResampleAxis;
}

const levelOf = ({ width, height, components }: Frame): TiledLevel => ({
  width: Math.ceil(width / 2),
  height: Math.ceil(height / 2),
  planes: components.map((_, i) => ({ halved: i > 0 })),
});

/** Maximum ratio of coded bytes to samples. */
const mostOfSamples = 1.1;

/** Returns the maximum bytes of a level. */
const mostBytes = ({ width, height, planes }: TiledLevel) =>
  mostOfSamples *
  planes.reduce((sum, plane) => sum + onPlane(width + 15, plane) * onPlane(height + 15, plane), 0);

/**
 * Writes the level to blocks from number `first` on. `planesOf` returns `rows` rows of the level from row
 * `top` on. Returns undefined if there is no room.
 */
export async function writeLevel2(
  frame: Frame,
  planesOf: (top: number, rows: number) => Promise<readonly BytePlane[]>,
  coder: TileCoder,
  sink: BlockSink,
  first: number,
): Promise<StoredLevel2 | undefined> {
  const level = levelOf(frame);
  if (first * blockBytes + mostBytes(level) > sink.room) return undefined;
  const blocks = blockWriter(sink, first);
  const tiles = tileWriter(level, coder, blocks.add);
  for (let top = 0; top < level.height; top += tileSide) {
    const planes = await planesOf(top, Math.min(tileSide, level.height - top));
    await tiles.addRows(planes);
  }
  return { blocks: await blocks.end(), index: saveTileIndex(tiles.places) };
}

/** Opens a stored level; undefined if its index does not fit the file. */
export function openLevel2(
  frame: Frame,
  index: Uint8Array,
  blocks: BlockReader,
  coder: TileCoder,
): Level2 | undefined {
  const level = levelOf(frame);
  const placeOf = loadTileIndex(index, level, blocks.size);
  return (
    placeOf && {
      async samples(axes) {
        const areas: TiledArea[] = [];
        for (const [i, { x, y }] of axes.entries()) {
          const shape = level.planes[i]!;
          const scale = shape.halved ? 4 : 2;
          const across = spanOf(x, scale, onPlane(level.width, shape));
          const down = spanOf(y, scale, onPlane(level.height, shape));
          if (!across || !down) return undefined;
          areas.push({ left: across.start, width: across.size, top: down.start, height: down.size });
        }
        return readTiles({ level, placeOf, blocks, coder }, areas);
      },
    }
  );
}

/** Returns the samples of an axis on a plane of `side` samples at 1/scale; undefined if it has others. */
function spanOf({ size, origin, scale: step }: ResampleAxis, scale: number, side: number) {
  const start = origin / scale;
  const isInside = step === scale && Number.isInteger(start) && start >= 0 && start + size <= side;
  return isInside ? { start, size } : undefined;
}
