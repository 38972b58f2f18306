// Builds the sidecar of an image that is decoded in rows: all its levels as coded tiles.

import { ImagingError } from "../../errors.ts";
import { type PixelBuffer, samplesLike } from "../../pipeline/pixels.ts";
import { type BlockSink, blockWriter } from "../../sidecar/blocks.ts";
import type { NewPart } from "../../sidecar/entry.ts";
import type { TileCoder } from "../../sidecar/tiles/tile-coder.ts";
import {
  countTiles,
  mostTileBytes,
  saveTileIndex,
  type TilePlace,
  tileSide,
  tilesAcross,
} from "../../sidecar/tiles/tile-index.ts";
import type { TakeRows } from "../codec.ts";
import { createHalver, type Halver, type Resize } from "./halver.ts";
import { levelSizes, type Size } from "./levels.ts";

/** Makes and stores what the levels need. */
export interface PyramidTools {
  readonly resize: Resize;
  readonly coder: TileCoder;
}

/** A level that is being written. */
interface Level {
  readonly size: Size;
  /** Makes it from the level above; undefined for the image itself. */
  readonly halver: Halver | undefined;
  /** Places of its tiles so far, row by row. */
  readonly places: TilePlace[];
  /** Rows of the tiles that are not complete yet; `count` of them have arrived. */
  rows: PixelBuffer | undefined;
  count: number;
}

/**
 * Writes the levels of an image from `lowest` on to blocks and returns the parts of its sidecar. Holds a row
 * of tiles of each level. Throws ImagingError `unsupported` if there is no room, `decode` if the file ends
 * early.
 */
export async function buildPyramid(
  decodeRows: (take: TakeRows) => Promise<boolean>,
  { size, lowest }: { readonly size: Size; readonly lowest: 0 | 1 },
  sink: BlockSink,
  { resize, coder }: PyramidTools,
): Promise<readonly NewPart[]> {
  const sizes = levelSizes(size);
  const whole = sizes.map(({ width, height }) => ({ x: 0, y: 0, width, height }));
  const levels = sizes.map(
    (own, n): Level => ({
      size: own,
      halver: n > 0 ? createHalver(whole[n]!, whole[n - 1]!, sizes[n - 1]!, resize) : undefined,
      places: [],
      rows: undefined,
      count: 0,
    }),
  );
  const blocks = blockWriter(sink);
  let at = 0;
  const write = async (tile: Uint8Array): Promise<TilePlace> => {
    const place = { at, length: tile.length };
    at += tile.length;
    if (at > mostTileBytes) throw tooLarge();
    await blocks.add(tile);
    return place;
  };
  const stored = levels.slice(lowest);
  const incomplete = await decodeRows(async (piece) => {
    let made: PixelBuffer | undefined = piece;
    for (const [n, level] of levels.entries()) {
      made = level.halver ? made && level.halver.take(made) : made;
      if (made && n >= lowest) await takeRows(level, made, coder, write);
    }
  });
  if (incomplete || stored.some(({ count, places, size }) => count > 0 || places.length !== countTiles(size)))
    throw new ImagingError("decode", "Expected all rows of the image; some are missing. It may be damaged.");
  return [
    { kind: "pyramidIndex", inside: [saveTileIndex(stored.flatMap(({ places }) => places))] },
    { kind: "pyramid", blocks: await blocks.end() },
  ];
}

/** Adds rows to a level, and writes the tiles that they complete. */
async function takeRows(
  level: Level,
  piece: PixelBuffer,
  coder: TileCoder,
  write: (tile: Uint8Array) => Promise<TilePlace>,
): Promise<void> {
  const { width, height } = level.size;
  const rowLength = width * piece.bands;
  level.rows ??= { ...piece, width, height: tileSide, data: samplesLike(piece, rowLength * tileSide) };
  for (let from = 0; from < piece.height; ) {
    const done = Math.floor(level.places.length / tilesAcross(level.size)) * tileSide;
    const full = Math.min(tileSide, height - done);
    const taken = Math.min(full - level.count, piece.height - from);
    if (taken <= 0) throw new RangeError(`rows after the last of ${height}`);
    level.rows.data.set(
      piece.data.subarray(from * rowLength, (from + taken) * rowLength),
      level.count * rowLength,
    );
    from += taken;
    level.count += taken;
    if (level.count < full) break;
    await writeTiles(level, level.rows, full, coder, write);
    level.count = 0;
  }
}

/** Writes a row of tiles from the first `height` rows of `rows`. */
async function writeTiles(
  { places }: Level,
  { data, width, bands }: PixelBuffer,
  height: number,
  coder: TileCoder,
  write: (tile: Uint8Array) => Promise<TilePlace>,
): Promise<void> {
  const depth = data.BYTES_PER_ELEMENT as 1 | 2;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const pixelBytes = bands * depth;
  for (let x = 0; x < width; x += tileSide) {
    const size = { width: Math.min(tileSide, width - x), height };
    const from = { bytes, at: x * pixelBytes, stride: width * pixelBytes };
    places.push(await write(coder.encodePixels(from, size, { bands, depth })));
  }
}

function tooLarge(): ImagingError {
  return new ImagingError(
    "unsupported",
    `Expected an image whose levels take at most ${mostTileBytes} bytes; this one needs more. Convert it to a tiled TIFF.`,
  );
}
