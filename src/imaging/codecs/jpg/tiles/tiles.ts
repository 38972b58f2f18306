// An image of JPEG tiles: strips or tiles of a file that is no JPEG file itself.

import { ImagingError } from "../../../../base/index.ts";
import type { Engine } from "../region/engine.ts";
import type { McuRange } from "../region/geometry.ts";
import type { Form, TileForm } from "./form.ts";

/** The bytes of a tile, and its position in the image in MCUs. */
export interface Tile {
  readonly form: TileForm;
  readonly data: Uint8Array;
  readonly left: number;
  readonly top: number;
}

export interface TiledJpeg {
  readonly engine: Engine;
  /** Form of the whole image. Its tiles have the same components. */
  readonly form: Form;
  /** Rows of MCUs in a tile. */
  readonly rowsOfTile: number;
  /**
   * Returns the result of `use` from all tiles with some MCUs, row by row. `use` must not wait: the bytes may
   * be in memory that the next read overwrites.
   */
  withTiles<T>(mcus: McuRange, use: (tiles: readonly Tile[]) => T): Promise<T>;
}

/** Returns an image of one tile. */
export function singleTile(engine: Engine, form: TileForm, data: Uint8Array): TiledJpeg {
  const tiles = [{ form, data, left: 0, top: 0 }];
  return { engine, form, rowsOfTile: form.scan.rows, withTiles: async (_, use) => use(tiles) };
}

/** Returns the ImagingError `decode` for tiles that cannot be read as one image. */
export const unusableTilesError = (expected: string, received: string): ImagingError =>
  new ImagingError("decode", `Expected ${expected}, received ${received}; check or replace the file.`, {
    code: "unusable_tiles",
  });
