// Averages boxes of pixels as rows arrive, so that a small picture of a large master needs no large buffer.

type Samples = Uint8Array | Uint16Array;

/**
 * A reduction of a region of `width` by `height` pixels to 1/factor; boxes at the far edges may be smaller.
 */
export interface Reduction {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly alpha: boolean;
  readonly factor: number;
}

/** Part of a row; see {@link BoxReducer.add}. */
export interface RowPart {
  readonly pixels: Samples;
  readonly from: number;
  readonly count: number;
  readonly x: number;
  readonly y: number;
  readonly side?: number;
}

/** Takes parts of rows; see {@link boxReducer}. */
export interface BoxReducer {
  /**
   * Adds `count` pixels from sample `from` of `pixels`, in row `y` from column `x` on. With `side` each
   * covers `side` by `side` pixels of the region, at `x` and `y` that are multiples of it; it divides the
   * factor.
   */
  add(part: RowPart): void;
  /** Reports that all pixels of the rows above `y` have arrived; complete boxes among them are written. */
  complete(y: number): void;
}

/**
 * A reducer for parts of rows in any order, as long as no more than `held` rows of boxes are incomplete at a
 * time. Sums are exact. Averages are rounded, halves up; colours are weighted by alpha, and 0 if the whole
 * box is transparent.
 */
export function boxReducer(reduction: Reduction, held: number, out: Samples): BoxReducer {
  const { width, bands, alpha, factor } = reduction;
  const rowLength = Math.ceil(width / factor) * bands;
  const ring = boxRing(
    reduction,
    held,
    () => new Float64Array(rowLength),
    (sums, rows, row) => settle(sums, reduction, rows, out, row * rowLength),
  );
  const sum = alpha ? sumWeighted : (sumsOf[bands] ?? sumBands);
  return {
    add({ pixels, from, count, x, y, side = 1 }) {
      const perBox = factor / side;
      const sums = { pixels, row: ring.row(y), weight: side * side, bands };
      let at = from;
      let box = Math.floor(x / factor) * bands;
      let room = perBox - (x % factor) / side;
      for (let left = count; left > 0; box += bands, room = perBox) {
        const n = left < room ? left : room;
        sum(sums, at, n, box);
        at += n * bands;
        left -= n;
      }
    },
    complete: ring.complete,
  };
}

/** Sums of a row of boxes. */
type Sums = Float64Array | Int32Array;

/**
 * A ring of rows of sums: `row` returns the one for row `y` of the region; `complete` passes complete ones to
 * `write`, with their number of rows and their index of boxes, and clears them.
 */
export function boxRing<T extends Sums>(
  { height, factor }: Pick<Reduction, "height" | "factor">,
  held: number,
  create: () => T,
  write: (sums: T, rows: number, row: number) => void,
) {
  const rows = Array.from({ length: held }, create);
  let next = 0;
  return {
    row: (y: number) => rows[Math.floor(y / factor) % held] as T,
    complete(y: number): void {
      for (; next * factor < height && Math.min(height, (next + 1) * factor) <= y; next++) {
        const sums = rows[next % held] as T;
        write(sums, Math.min(factor, height - next * factor), next);
        sums.fill(0);
      }
    },
  };
}

/**
 * Adds `n` pixels from `pixels[at]`, times `weight`, to the sums of a box at `row[box]`. The hot loop of
 * reducing.
 */
type Sum = (sums: RowSums, at: number, n: number, box: number) => void;

/** Pixels of a row, and the sums of its boxes. */
interface RowSums {
  readonly pixels: Samples;
  readonly row: Float64Array;
  readonly weight: number;
  readonly bands: number;
}

const sumsOf: Readonly<Record<number, Sum>> = {
  1: ({ pixels, row, weight }, at, n, box) => {
    let total = 0;
    for (let i = at; i < at + n; i++) total += pixels[i]!;
    row[box] = row[box]! + total * weight;
  },
  3: ({ pixels, row, weight }, at, n, box) => {
    let [first, second, third] = [0, 0, 0];
    for (let i = at, end = at + 3 * n; i < end; i += 3) {
      first += pixels[i]!;
      second += pixels[i + 1]!;
      third += pixels[i + 2]!;
    }
    row[box] = row[box]! + first * weight;
    row[box + 1] = row[box + 1]! + second * weight;
    row[box + 2] = row[box + 2]! + third * weight;
  },
};

const sumBands: Sum = ({ pixels, row, weight, bands }, at, n, box) => {
  const end = at + n * bands;
  for (let band = 0; band < bands; band++) {
    let total = 0;
    for (let i = at + band; i < end; i += bands) total += pixels[i]!;
    row[box + band] = row[box + band]! + total * weight;
  }
};

const sumWeighted: Sum = ({ pixels, row, weight, bands }, at, n, box) => {
  const last = bands - 1;
  for (let i = at, end = at + n * bands; i < end; i += bands) {
    const alpha = pixels[i + last]! * weight;
    for (let band = 0; band < last; band++) row[box + band] = row[box + band]! + alpha * pixels[i + band]!;
    row[box + last] = row[box + last]! + alpha;
  }
};

/** Turns the sums of one row of boxes, each `rows` high, into averages at `out[at]`. */
function settle(sums: Float64Array, reduction: Reduction, rows: number, out: Samples, at: number): void {
  const { width, bands, alpha, factor } = reduction;
  const colours = alpha ? bands - 1 : bands;
  for (let i = 0, left = width; i < sums.length; i += bands, left -= factor) {
    const area = rows * Math.min(factor, left);
    const weight = alpha ? sums[i + colours]! : area;
    for (let band = 0; band < colours; band++)
      out[at + i + band] = weight === 0 ? 0 : roundQuotient(sums[i + band]!, weight);
    if (alpha) out[at + i + colours] = roundQuotient(weight, area);
  }
}

/**
 * Returns sum / count rounded to the nearest whole number, halves up, without the error of adding 0.5 to a
 * quotient.
 */
export function roundQuotient(sum: number, count: number): number {
  return Math.floor((2 * sum + count) / (2 * count));
}
