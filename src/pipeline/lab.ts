// One colour of CIELAB under D50 to sRGB (CIE 15:2004, section 8.2.1; IEC 61966-2-1; Bradford, ICC.1:2022 annex E).

/** XYZ relative to D50 (0.9642, 1, 0.8249) to linear sRGB: rows of the matrix with the white's factors in its columns. */
const toLinear = [
  [3.1338561 * 0.9642, -1.6168667, -0.4906146 * 0.8249],
  [-0.9787684 * 0.9642, 1.9161415, 0.033454 * 0.8249],
  [0.0719453 * 0.9642, -0.2289914, 1.4052427 * 0.8249],
] as const;

const cube = (f: number) => (f > 6 / 29 ? f ** 3 : (f - 4 / 29) * 3 * (6 / 29) ** 2);

/** Encoded red, green and blue, 0 to 1; beyond that for colours outside sRGB. L* is 0 to 100. */
export function labToSrgb(l: number, a: number, b: number): [number, number, number] {
  const f = (l + 16) / 116;
  const [x, y, z] = [cube(f + a / 500), cube(f), cube(f - b / 200)];
  const encoded = (row: 0 | 1 | 2) => {
    const light = toLinear[row][0] * x + toLinear[row][1] * y + toLinear[row][2] * z;
    return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
  };
  return [encoded(0), encoded(1), encoded(2)];
}
