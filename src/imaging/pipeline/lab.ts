// Colours under D50 to sRGB (CIE 15:2004, section 8.2.1; IEC 61966-2-1; adapted by Bradford, ICC.1:2022 annex
// E).

/**
 * XYZ relative to D50 to linear sRGB, row after row: the inverse of sRGB's primaries adapted to D50; rows add
 * up to 1.
 */
const toLinear = [
  [3.02198249, -1.61720896, -0.40477353],
  [-0.94370931, 1.9161301, 0.02757921],
  [0.06938762, -0.22899387, 1.15960625],
] as const;

/** Linear red, green and blue of X, Y and Z relative to D50; beyond 0 to 1 for colours outside sRGB. */
export function linearSrgb(x: number, y: number, z: number): [number, number, number] {
  const band = (row: 0 | 1 | 2) => toLinear[row][0] * x + toLinear[row][1] * y + toLinear[row][2] * z;
  return [band(0), band(1), band(2)];
}

const cube = (f: number) => (f > 6 / 29 ? f ** 3 : (f - 4 / 29) * 3 * (6 / 29) ** 2);

type Xyz = [x: number, y: number, z: number];

const underD50 = (relative: Xyz): Xyz => relative;

/**
 * Returns linear red, green and blue of CIELAB colours, three values each in the form of interpretation
 * `lab`, 0 to 1; beyond that for colours outside sRGB. `adapt` converts XYZ relative to their white to XYZ
 * relative to D50, if that is another.
 */
export function labToLight(colours: Float32Array, adapt = underD50): Float32Array {
  const light = new Float32Array(colours.length);
  for (let i = 0; i < colours.length; i += 3) {
    const f = (colours[i]! * 100 + 16) / 116;
    const a = colours[i + 1]! * 255 - 128;
    const b = colours[i + 2]! * 255 - 128;
    light.set(linearSrgb(...adapt([cube(f + a / 500), cube(f), cube(f - b / 200)])), i);
  }
  return light;
}
