import type { Size } from "../../../../base/index.ts";

const powers = Array.from({ length: 30 }, (_, i) => 2 ** (i + 1));

/**
 * Returns the scale factor at which the whole image has the size of `part`: a power of two if one fits, at
 * least 2. Sizes that are rounded down belong to powers of two as well: their writers omit partial boxes.
 */
export function scaleOf(full: Size, part: Size): number | undefined {
  const rounded = Math.round(full.width / part.width);
  const fits = (whole: number, size: number, s: number) =>
    size === Math.ceil(whole / s) || size === Math.floor(whole / s);
  return (
    [...powers, rounded].find(
      (s) => s > 1 && Math.ceil(full.width / s) === part.width && Math.ceil(full.height / s) === part.height,
    ) ?? powers.find((s) => fits(full.width, part.width, s) && fits(full.height, part.height, s))
  );
}
