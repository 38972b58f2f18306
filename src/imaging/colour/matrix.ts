// Three by three matrices, row by row, and the red-green-blue spaces that they represent.

/** Nine numbers, row after row. */
export type Matrix = readonly number[];

/** CIE 1931 x and y. */
export type Chromaticity = readonly [x: number, y: number];

export interface Primaries {
  readonly white: Chromaticity;
  readonly red: Chromaticity;
  readonly green: Chromaticity;
  readonly blue: Chromaticity;
}

/** XYZ of D50, the white of every profile (ICC.1:2022, 7.2.16). */
export const d50 = [0.9642, 1, 0.8249] as const;

/** Cone responses for chromatic adaptation: Bradford (ICC.1:2022, annex E). */
const bradford: Matrix = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296];

/** The product of two matrices. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 9 }, (_, i) => {
    const row = i - (i % 3);
    return a[row]! * b[i % 3]! + a[row + 1]! * b[3 + (i % 3)]! + a[row + 2]! * b[6 + (i % 3)]!;
  });
}

/** A matrix times a column. */
export function apply(m: Matrix, [x, y, z]: readonly [number, number, number]): [number, number, number] {
  const row = (r: number) => m[r]! * x + m[r + 1]! * y + m[r + 2]! * z;
  return [row(0), row(3), row(6)];
}

/** The determinant without row `r` and column `c`, with its sign. */
function minor(m: Matrix, r: number, c: number): number {
  const [r1, r2] = [((r + 1) % 3) * 3, ((r + 2) % 3) * 3];
  const [c1, c2] = [(c + 1) % 3, (c + 2) % 3];
  return m[r1 + c1]! * m[r2 + c2]! - m[r1 + c2]! * m[r2 + c1]!;
}

function determinant(m: Matrix): number {
  return m[0]! * minor(m, 0, 0) + m[1]! * minor(m, 0, 1) + m[2]! * minor(m, 0, 2);
}

/** Returns the inverse, or undefined if there is none. */
export function inverse(m: Matrix): Matrix | undefined {
  const divisor = determinant(m);
  if (!(Math.abs(divisor) > 1e-12)) return undefined;
  return Array.from({ length: 9 }, (_, i) => minor(m, i % 3, Math.floor(i / 3)) / divisor);
}

const xyz = ([x, y]: Chromaticity): [number, number, number] => [x / y, 1, (1 - x - y) / y];

/** Returns the adaptation of colours seen under `white` to D50. */
export function adaptation(white: Chromaticity): Matrix {
  const [from, to] = [apply(bradford, xyz(white)), apply(bradford, d50)];
  const gains = [to[0] / from[0], 0, 0, 0, to[1] / from[1], 0, 0, 0, to[2] / from[2]];
  return multiply(multiply(inverse(bradford)!, gains), bradford);
}

/** True if a chromaticity can be that of a white: all cones respond to it. */
export const isWhite = (white: Chromaticity): boolean =>
  white[1] > 0 && apply(bradford, xyz(white)).every((response) => response > 0.1);

/** Returns the same for XYZ relative to the white: 1, 1, 1 is unchanged. */
export function relativeAdaptation(white: Chromaticity): Matrix {
  const from = xyz(white);
  return adaptation(white).map((value, i) => (value * from[i % 3]!) / d50[Math.floor(i / 3) as 0 | 1 | 2]);
}

/**
 * Linear red, green and blue to XYZ under D50. Undefined for primaries that span no space. A primary may have
 * no luminance, as those of XYZ itself.
 */
export function toXyz({ white, red, green, blue }: Primaries): Matrix | undefined {
  if (!(white[1] > 0) || [red, green, blue].some(([, y]) => !(y >= 0))) return undefined;
  const direction = ([x, y]: Chromaticity) => [x, y, 1 - x - y] as const;
  const [r, g, b] = [direction(red), direction(green), direction(blue)];
  const columns = [r[0], g[0], b[0], r[1], g[1], b[1], r[2], g[2], b[2]];
  const back = inverse(columns);
  if (!back) return undefined;
  const gains = apply(back, xyz(white));
  return multiply(
    adaptation(white),
    columns.map((value, i) => value * gains[i % 3]!),
  );
}

/** CIE x of the daylight locus for which its formula of y is good enough here: 4,000 K to beyond 25,000 K. */
const daylight = { from: 0.24, to: 0.385 } as const;
/** Maximum distance of a white from that locus, in y: the equal-energy white is 0.015 below, C 0.01. */
const besideDaylight = 0.03;
/** sRGB spans 0.2, the narrowest displays a quarter of that. */
const leastSpan = 0.005;

/**
 * True if a matrix from linear red, green and blue to XYZ can be that of an RGB space. The sum of its
 * primaries has to be a white, of luminance about 1: D50 in a correct profile, but many displays of version 2
 * have their own white, up to 9300 K, and scanners are slightly off. Each primary may be imaginary, like the
 * blue of ProPhoto and ACES and those of cameras, but by no more than half the white. Numbers read from the
 * wrong bytes fail one of these checks.
 */
export function isRgbSpace(toXyz: Matrix): boolean {
  const [x, y, z] = apply(toXyz, [1, 1, 1]);
  const [whiteX, whiteY] = [x / (x + y + z), y / (x + y + z)];
  // CIE 15:2004, 3.1: y of daylight by its x
  const locus = -3 * whiteX ** 2 + 2.87 * whiteX - 0.275;
  return (
    y > 0.5 &&
    y < 2 &&
    whiteX > daylight.from &&
    whiteX < daylight.to &&
    Math.abs(whiteY - locus) < besideDaylight &&
    toXyz.every((value) => value > -0.5 * y && value < 1.5 * y) &&
    Math.abs(determinant(toXyz)) > leastSpan
  );
}
