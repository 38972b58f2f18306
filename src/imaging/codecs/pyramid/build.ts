// Builds layers of the sidecar of an image that is decoded in rows: its levels as coded tiles.

import { ImagingError, type Size } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { type BlockSink, blockWriter } from "../../sidecar/blocks.ts";
import { writeEntry } from "../../sidecar/entry.ts";
import type { TileCoder } from "../../sidecar/tiles/tile-coder.ts";
import { maxTileBytes, saveTileIndex, type TilePosition, tileSide } from "../../sidecar/tiles/tile-index.ts";
import type { TakeRows } from "../codec.ts";
import type { Resize } from "./halver.ts";
import { divideIntoTiles } from "./tile-rows.ts";

/** Makes and stores what the levels need. */
export interface PyramidTools {
  readonly resize: Resize;
  readonly coder: TileCoder;
}

/** The levels to make, the first of which `decodeRows` delivers, and the first that is stored. */
export interface BuiltLevels {
  readonly layer: "pyramid" | "overview";
  readonly sizes: readonly Size[];
  readonly lowest: number;
}

/**
 * Writes the levels of an image to blocks and returns the entry of the layer. Holds a row of tiles of each
 * level. Throws ImagingError `unsupported` if there is no room, `decode` if the file ends early.
 */
export async function buildPyramid(
  decodeRows: (take: TakeRows) => Promise<boolean>,
  { layer, sizes, lowest }: BuiltLevels,
  sink: BlockSink,
  { resize, coder }: PyramidTools,
): Promise<Uint8Array> {
  /** Places of the tiles of each level, row by row. */
  const tiles = sizes.map((): TilePosition[] => []);
  const blocks = blockWriter(sink);
  let at = 0;
  const incomplete = await divideIntoTiles(
    decodeRows,
    { sizes, side: tileSide },
    resize,
    async (level, rows) => {
      if (level < lowest) return;
      for (const tile of codedTiles(rows, coder)) {
        tiles[level]!.push({ at, length: tile.length });
        at += tile.length;
        if (at > maxTileBytes) throw tooLarge();
        await blocks.add(tile);
      }
    },
  );
  if (incomplete)
    throw new ImagingError("decode", "Expected a whole file; this one ends early. It may be damaged.");
  return writeEntry([
    { kind: `${layer}Index`, inside: [saveTileIndex(tiles.flat())] },
    { kind: layer, blocks: await blocks.end() },
  ]);
}

/** Codes a row of tiles. */
function codedTiles({ data, width, height, bands }: PixelBuffer, coder: TileCoder): Generator<Uint8Array> {
  const depth = data.BYTES_PER_ELEMENT as 1 | 2;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return coder.encodeRow(
    { bytes, at: 0, stride: width * bands * depth },
    { width, height },
    { bands, depth },
  );
}

function tooLarge(): ImagingError {
  return new ImagingError(
    "unsupported",
    `Expected an image whose levels take at most ${maxTileBytes} bytes; this one needs more. Convert it to a tiled TIFF.`,
  );
}
