// Divides an image that arrives in rows from the top down, and each half of it, into rows of tiles.

import { ImagingError, type Size } from "../../../base/index.ts";
import { type PixelBuffer, samplesLike } from "../../pipeline/pixels.ts";
import type { TakeRows } from "../codec.ts";
import { createHalver, type Halver, type Resize } from "./halver.ts";
import { rowsOf } from "./rows.ts";

/** The levels to make: their sizes, the image first, and the side of a tile in pixels. */
export interface TiledLevels {
  readonly sizes: readonly Size[];
  readonly side: number;
}

/**
 * Takes a row of tiles of a level, numbered from 0: pixels as wide as the level and as high as a tile, or
 * fewer rows at the bottom. They are valid until it resolves.
 */
export type TakeTiles = (level: number, rows: PixelBuffer) => Promise<void>;

/** A level that is being made. */
interface Level {
  readonly size: Size;
  /** Makes it from the level above; undefined for the image itself. */
  readonly halver: Halver | undefined;
  /** Rows that were passed on. */
  done: number;
  /** Room for a row of tiles; `count` rows of it have arrived. */
  rows: PixelBuffer | undefined;
  count: number;
}

/**
 * Passes on the rows of tiles of all levels, each as soon as it is complete: those of one level from the top
 * down, in an order that does not depend on how rows arrive. Holds little more than a row of tiles of each
 * level. Returns what `decodeRows` does. Throws ImagingError `decode` if rows are missing.
 */
export async function divideIntoTiles(
  decodeRows: (take: TakeRows) => Promise<boolean>,
  { sizes, side }: TiledLevels,
  resize: Resize,
  takeTiles: TakeTiles,
): Promise<boolean> {
  const whole = sizes.map(({ width, height }) => ({ x: 0, y: 0, width, height }));
  const levels = sizes.map(
    (size, n): Level => ({
      size,
      halver: n > 0 ? createHalver(whole[n]!, whole[n - 1]!, sizes[n - 1]!, resize) : undefined,
      done: 0,
      rows: undefined,
      count: 0,
    }),
  );
  /** Adds rows to a level; those of a complete row of tiles make the next level. */
  const addRows = async (n: number, piece: PixelBuffer): Promise<void> => {
    const level = levels[n]!;
    for (const rows of completeRows(level, piece, side)) {
      await takeTiles(n, rows);
      // The next level holds what it is given as well.
      for (const part of rowsOf(rows)) {
        const made = levels[n + 1]?.halver?.take(part);
        if (made) await addRows(n + 1, made);
      }
    }
  };
  const incomplete = await decodeRows((piece) => addRows(0, piece));
  if (levels.some(({ done, size }) => done !== size.height))
    throw new ImagingError("decode", "Expected all rows of the image; some are missing. It may be damaged.");
  return incomplete;
}

/** Adds rows to a level, and yields the rows of tiles that they complete. */
function* completeRows(level: Level, piece: PixelBuffer, side: number): Generator<PixelBuffer> {
  const { width, height } = level.size;
  const rowLength = width * piece.bands;
  level.rows ??= { ...piece, width, height: side, data: samplesLike(piece, rowLength * side) };
  for (let from = 0; from < piece.height; ) {
    const full = Math.min(side, height - level.done);
    const taken = Math.min(full - level.count, piece.height - from);
    if (taken <= 0) throw new RangeError(`rows after the last of ${height}`);
    const added = piece.data.subarray(from * rowLength, (from + taken) * rowLength);
    level.rows.data.set(added, level.count * rowLength);
    from += taken;
    level.count += taken;
    if (level.count < full) break;
    level.done += full;
    level.count = 0;
    yield { ...level.rows, height: full, data: level.rows.data.subarray(0, full * rowLength) };
  }
}
