// Three by three matrices, row after row, and the red-green-blue spaces that they stand for.

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

/** Cone responses by which whites are adapted: Bradford (ICC.1:2022, annex E). */
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

/** The inverse, or undefined where there is none. */
export function inverse(m: Matrix): Matrix | undefined {
  const minor = (r: number, c: number) => {
    const [r1, r2] = [((r + 1) % 3) * 3, ((r + 2) % 3) * 3];
    const [c1, c2] = [(c + 1) % 3, (c + 2) % 3];
    return m[r1 + c1]! * m[r2 + c2]! - m[r1 + c2]! * m[r2 + c1]!;
  };
  const determinant = m[0]! * minor(0, 0) + m[1]! * minor(0, 1) + m[2]! * minor(0, 2);
  if (!(Math.abs(determinant) > 1e-12)) return undefined;
  return Array.from({ length: 9 }, (_, i) => minor(i % 3, Math.floor(i / 3)) / determinant);
}

const xyz = ([x, y]: Chromaticity): [number, number, number] => [x / y, 1, (1 - x - y) / y];

/** What adapts colours seen under `white` to D50. */
export function adaptation(white: Chromaticity): Matrix {
  const [from, to] = [apply(bradford, xyz(white)), apply(bradford, d50)];
  const gains = [to[0] / from[0], 0, 0, 0, to[1] / from[1], 0, 0, 0, to[2] / from[2]];
  return multiply(multiply(inverse(bradford)!, gains), bradford);
}

/** Linear red, green and blue to XYZ under D50. Undefined for primaries that span no space. */
export function toXyz({ white, red, green, blue }: Primaries): Matrix | undefined {
  if ([white, red, green, blue].some(([, y]) => !(y > 0))) return undefined;
  const [r, g, b] = [xyz(red), xyz(green), xyz(blue)];
  const columns = [r[0], g[0], b[0], r[1], g[1], b[1], r[2], g[2], b[2]];
  const back = inverse(columns);
  if (!back) return undefined;
  const gains = apply(back, xyz(white));
  return multiply(
    adaptation(white),
    columns.map((value, i) => value * gains[i % 3]!),
  );
}
