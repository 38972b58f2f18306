// An image of JPEG tiles, read by regions like one JPEG file: planes across the tiles, and lossless crops
// that join them.

import type { DerivableJpeg } from "../derive.ts";
import { piecesOf } from "../lossless/crop.ts";
import { type Engine, outcome } from "../region/engine.ts";
import { type ComponentWindow, type McuRange, mcuRange, type ScaleFactor } from "../region/geometry.ts";
import { withPlanes } from "../region/pixels.ts";
import { layOut, type MemoryPlane, targetOf, type WindowDecoder } from "../region/region.ts";
import { describeScan, runOver, startOf } from "../region/run.ts";
import { joinTiles } from "./join.ts";
import { type Tile, type TiledJpeg, unusableTilesError } from "./tiles.ts";

/** Decodes the components of tiles. Throws ImagingError `decode` if a part that is needed is damaged. */
export class TileDecoder implements WindowDecoder {
  readonly #image: TiledJpeg;

  constructor(image: TiledJpeg) {
    this.#image = image;
  }

  get engine() {
    return this.#image.engine;
  }

  get frame() {
    return this.#image.form.frame;
  }

  decode<T>(
    windows: readonly ComponentWindow[],
    _scale: ScaleFactor,
    use: (planes: readonly MemoryPlane[], free: number) => T,
  ): Promise<T> {
    const mcus = mcuRange(this.#image.form.scan, windows);
    return this.#image.withTiles(mcus, (tiles) => {
      const { planes, free } = layOut(this.engine, windows);
      for (const tile of tiles) decodeTile(this.engine, tile, mcus, windows, planes);
      return use(planes, free);
    });
  }
}

function decodeTile(
  engine: Engine,
  { form: { scan, tables }, data, left, top }: Tile,
  { bottom }: McuRange,
  windows: readonly ComponentWindow[],
  planes: readonly MemoryPlane[],
): void {
  const targets = scan.components.map(({ index, across, down }) => {
    const target = targetOf(windows[index]!, planes[index]!);
    return { ...target, left: target.left - left * across, top: target.top - top * down };
  });
  describeScan(engine, tables, scan, targets);
  const position = startOf(scan);
  const bounds = { stopRow: Math.min(scan.rows, bottom - top), endColumn: scan.columns };
  const input = { parts: [data.subarray(scan.start)], final: true };
  const result = runOver(engine, "decodeRows", position, bounds, input);
  if (result !== outcome.reached || position.damage > 0)
    throw unusableTilesError("sound JPEG strips or tiles", "damaged ones");
}

/**
 * Returns the tiles of an image as one JPEG of which derivatives are made. Throws ImagingError
 * `decode` if tiles are damaged.
 */
export function derivableTiles(image: TiledJpeg): DerivableJpeg {
  const { frame, scan } = image.form;
  return {
    reader: {
      frame,
      quant: scan.components[0]!.quant,
      codedBytes: undefined,
      withPlanes: (region, scale, chroma, use) =>
        withPlanes(new TileDecoder(image), region, scale, chroma, use),
      async cropPieces(region) {
        const crop = await joinTiles(image, region);
        return crop && piecesOf(crop);
      },
      cropData: (region, backwards) => joinTiles(image, region, backwards),
    },
  };
}
