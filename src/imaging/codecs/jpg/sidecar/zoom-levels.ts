// The levels at 1/4 and 1/2 of a JPEG, as coded tiles. Their samples are those that reads make from the file,
// so derivatives do not depend on them.

import type { Area } from "../../../pipeline/area.ts";
import type { Plane as Samples } from "../../../pipeline/pixels.ts";
import type { ResampleAxis } from "../../../pipeline/step.ts";
import type { BlockReader } from "../../../sidecar/block-reader.ts";
import { type BlockList, type BlockSink, blockWriter } from "../../../sidecar/blocks.ts";
import { bytesOf, readEntry, writeEntry } from "../../../sidecar/entry.ts";
import { readTiles, type StoredTiles } from "../../../sidecar/tiles/read-tiles.ts";
import type { BytePlane, TileCoder } from "../../../sidecar/tiles/tile-coder.ts";
import {
  loadTileIndex,
  saveTileIndex,
  type TiledLevel,
  tileSide,
  toPlane,
} from "../../../sidecar/tiles/tile-index.ts";
import { tileWriter } from "../../../sidecar/tiles/write-tiles.ts";
import type { ZoomLevel } from "../estimates.ts";
import { halvedRows } from "../planes/planes.ts";
import type { CopyRows, Frame, PlaneArea, ResamplePlane, StoredPlanes } from "../region/index.ts";
import type { Level2 } from "./half-samples.ts";
import type { OpenJpeg } from "./opening.ts";

/** A stored level: the places of its tiles, and their blocks. */
export interface StoredLevel {
  readonly level: ZoomLevel;
  readonly index: Uint8Array;
  readonly blocks: BlockList;
}

interface LevelShape {
  readonly factor: number;
  shape(frame: Frame): TiledLevel;
  /** Returns `rows` rows of the level from row `top` on. */
  rows(
    file: OpenJpeg,
    top: number,
    rows: number,
    resample: ResamplePlane,
  ): Promise<readonly (BytePlane | Samples)[]>;
}

const sizeAt = ({ width, height }: Frame, factor: number) => ({
  width: Math.ceil(width / factor),
  height: Math.ceil(height / factor),
});

const shapes: Readonly<Record<ZoomLevel, LevelShape>> = {
  /** Each component at 1/4 of its own size. */
  level4: {
    factor: 4,
    shape: (frame) => ({
      ...sizeAt(frame, 4),
      planes: frame.components.map(({ h }) => ({ halved: h < frame.hMax })),
    }),
    rows({ reader }, top, rows) {
      const { width, height } = reader.frame;
      const y = 4 * top;
      return reader.decodePlanes({ x: 0, y, width, height: Math.min(4 * rows, height - y) }, 4);
    },
  },
  /** The planes of a derivative with halved colour. */
  level2: {
    factor: 2,
    shape: (frame) => ({
      ...sizeAt(frame, 2),
      planes: frame.components.map((_, i) => ({ halved: i > 0 })),
    }),
    rows: halvedRows,
  },
};

/**
 * Writes a level of a file to blocks and returns its entry; an empty one for colours whose derivatives are
 * not made from planes. Throws ImagingError `unsupported` if there is no room.
 */
export async function buildLevel(
  level: ZoomLevel,
  file: OpenJpeg,
  { resample, coder }: { readonly resample: ResamplePlane; readonly coder: TileCoder },
  sink: BlockSink,
): Promise<Uint8Array> {
  const { frame } = file.reader;
  if (frame.colour !== "ycc" && frame.colour !== "gray") return new Uint8Array();
  const { shape, rows } = shapes[level];
  const tiled = shape(frame);
  const blocks = blockWriter(sink);
  const tiles = tileWriter(tiled, coder, blocks.add);
  for (let top = 0; top < tiled.height; top += tileSide) {
    const planes = await rows(file, top, Math.min(tileSide, tiled.height - top), resample);
    await tiles.addRows(planes as readonly BytePlane[]);
  }
  return writeEntry([
    { kind: `${level}Index`, inside: [saveTileIndex(tiles.tiles)] },
    { kind: level, blocks: await blocks.end() },
  ]);
}

/** Returns the level in an entry; undefined if there is none, or it is damaged. */
export async function loadLevel(entry: Uint8Array): Promise<StoredLevel | undefined> {
  const parts = readEntry(entry);
  for (const level of ["level4", "level2"] as const) {
    const blocks = parts?.get(level)?.blocks;
    const part = parts?.get(`${level}Index`);
    const index = part && (await bytesOf(part));
    // The part of an entry keeps all of its memory.
    if (blocks && index) return { level, index: index.slice(), blocks };
  }
  return undefined;
}

/**
 * Makes reads of a file use a stored level; they do without if it is lost. Returns false if it does not fit
 * the file.
 */
export function useLevel(
  file: OpenJpeg,
  { level, index }: StoredLevel,
  blocks: BlockReader,
  coder: TileCoder,
): boolean {
  const tiled = shapes[level].shape(file.reader.frame);
  const tileAt = loadTileIndex(index, tiled, blocks.size);
  if (!tileAt) return false;
  const stored = { level: tiled, tileAt, blocks, coder };
  if (level === "level2") file.level2 = level2In(stored);
  else file.reader.readLevel4From(level4In(stored));
  return true;
}

const level2In = (stored: StoredTiles): Level2 => ({
  async samples(axes) {
    const { level } = stored;
    const areas: Area[] = [];
    for (const [i, { x, y }] of axes.entries()) {
      const shape = level.planes[i]!;
      const scale = shape.halved ? 4 : 2;
      const across = spanOf(x, scale, toPlane(level.width, shape));
      const down = spanOf(y, scale, toPlane(level.height, shape));
      if (!across || !down) return undefined;
      areas.push({ left: across.start, width: across.size, top: down.start, height: down.size });
    }
    return readTiles(stored, areas);
  },
});

/** Returns the samples of an axis on a plane of `side` samples at 1/scale; undefined if it has others. */
function spanOf({ size, origin, scale: step }: ResampleAxis, scale: number, side: number) {
  const start = origin / scale;
  const isInside = step === scale && Number.isInteger(start) && start >= 0 && start + size <= side;
  return isInside ? { start, size } : undefined;
}

const level4In =
  (stored: StoredTiles): StoredPlanes =>
  async (areas) => {
    if (areas.some(({ component }, i) => component !== i)) return undefined;
    const planes = await readTiles(stored, areas.map(areaOf));
    return planes?.map(copyOf);
  };

const areaOf = ({ left, right, top, bottom }: PlaneArea): Area => ({
  left,
  top,
  width: right - left,
  height: bottom - top,
});

const copyOf =
  ({ data, width, height }: BytePlane): CopyRows =>
  (target, at, stride) => {
    for (let y = 0; y < height; y++) target.set(data.subarray(y * width, (y + 1) * width), at + y * stride);
  };
