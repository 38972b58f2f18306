// Undoes predictors: horizontal differencing (TIFF 6.0 section 14) and the floating-point one (TIFF Technical
// Note 3).

import { type Picture, rowBytes } from "../directory/picture.ts";
import type { TiffModule } from "./module.ts";

/**
 * Converts whole rows of samples at address `at` of the module to machine order, which is little-endian, and
 * undoes predictor 2 or 3, in place. `scratch` has room for a row.
 */
export function undoPredictor(
  module: TiffModule,
  { picture, littleEndian }: { readonly picture: Picture; readonly littleEndian: boolean },
  at: number,
  rows: number,
  scratch: number,
): void {
  const { predictor, bits, planar, samples } = picture;
  const size = bits / 8;
  const perRow = rowBytes(picture);
  const step = planar ? 1 : samples;
  // Packed samples, and the bytes of predictor 3, have only one order.
  if (!littleEndian && predictor !== 3 && size > 1 && Number.isInteger(size))
    module.swapBytes(at, rows * perRow, size);
  if (predictor === 2) module.undoDifferences(at, rows, perRow, step, size);
  if (predictor === 3) module.undoFloatDifferences(at, rows, perRow, step, size, scratch);
}
