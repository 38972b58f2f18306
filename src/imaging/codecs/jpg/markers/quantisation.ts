// Quantisation tables for encoding: the examples of ITU-T T.81, K.1, scaled by the quality of the Independent
// JPEG Group.

/** Positions in natural (row by row) order of the coefficients in zigzag order (ITU-T T.81, figure A.6). */
export const zigzag: readonly number[] = zigzagOrder();

/** Table K.1, luminance, and table K.2, chrominance, in natural order. */
const examples = {
  luma: [
    [16, 11, 10, 16, 24, 40, 51, 61],
    [12, 12, 14, 19, 26, 58, 60, 55],
    [14, 13, 16, 24, 40, 57, 69, 56],
    [14, 17, 22, 29, 51, 87, 80, 62],
    [18, 22, 37, 56, 68, 109, 103, 77],
    [24, 35, 55, 64, 81, 104, 113, 92],
    [49, 64, 78, 87, 103, 121, 120, 101],
    [72, 92, 95, 98, 112, 100, 103, 99],
  ],
  chroma: [
    [17, 18, 24, 47, 99, 99, 99, 99],
    [18, 21, 26, 66, 99, 99, 99, 99],
    [24, 26, 56, 99, 99, 99, 99, 99],
    [47, 66, 99, 99, 99, 99, 99, 99],
    [99, 99, 99, 99, 99, 99, 99, 99],
    [99, 99, 99, 99, 99, 99, 99, 99],
    [99, 99, 99, 99, 99, 99, 99, 99],
    [99, 99, 99, 99, 99, 99, 99, 99],
  ],
} as const;

export interface QuantisationTables {
  /** 64 values in natural order, 1 to 255. */
  readonly luma: Uint8Array;
  readonly chroma: Uint8Array;
}

/** Tables by quality: all tiles of a service usually have the same one. */
const known: (QuantisationTables | undefined)[] = [];

/**
 * Returns both tables for a quality, which is rounded and limited to 1 to 100: 50 selects the examples, 100
 * all ones. The tables are shared and must not be modified.
 */
export function quantisationTables(quality: number): QuantisationTables {
  const bounded = Math.min(100, Math.max(1, Math.round(quality) || 1));
  return (known[bounded] ??= tablesFor(bounded));
}

function tablesFor(bounded: number): QuantisationTables {
  const percent = bounded < 50 ? Math.floor(5000 / bounded) : 200 - 2 * bounded;
  const scaleTable = (table: readonly (readonly number[])[]) =>
    Uint8Array.from(table.flat(), (value) =>
      Math.min(255, Math.max(1, Math.floor((value * percent + 50) / 100))),
    );
  return { luma: scaleTable(examples.luma), chroma: scaleTable(examples.chroma) };
}

/** Visits diagonal by diagonal, odd ones from top right to bottom left, even ones the other way. */
function zigzagOrder(): number[] {
  const order: number[] = [];
  for (let diagonal = 0; diagonal < 15; diagonal++) {
    for (let step = 0; step <= diagonal; step++) {
      const [row, column] = diagonal % 2 === 1 ? [step, diagonal - step] : [diagonal - step, step];
      if (row < 8 && column < 8) order.push(row * 8 + column);
    }
  }
  return order;
}
