// Four printed inks to light: areas of the sixteen overprints, averaged in a power of light (Neugebauer, Yule
// and Nielsen).

import { inkCurves, inkExponent, inkKnots, inkRoots } from "./ink-table.ts";
import { linearSrgb } from "./lab.ts";

/** X, Y and Z of all inks together, relative to paper: they become black (black-point compensation). */
const darkest = inkRoots[15]!.map((root) => root ** inkExponent);

/** Returns the area that an amount of ink covers, interpolated between knots. */
function area(curve: readonly number[], ink: number): number {
  let k = 1;
  while (k < inkKnots.length - 1 && ink > inkKnots[k]!) k++;
  const [from, to] = [inkKnots[k - 1]!, inkKnots[k]!];
  return curve[k - 1]! + ((curve[k]! - curve[k - 1]!) * (ink - from)) / (to - from);
}

const fromBlack = (sum: number, i: number) => (sum ** inkExponent - darkest[i]!) / (1 - darkest[i]!);

/**
 * Linear red, green and blue of sRGB, three for each colour of four inks (cyan, magenta, yellow, black; 0 to
 * 1), under the print of `ink-table.ts`: paper is white. Beyond 0 to 1 for colours outside sRGB.
 */
export function inkToLight(inks: Float32Array): Float32Array {
  const light = new Float32Array((inks.length / 4) * 3);
  const shares = new Float64Array(16);
  for (let p = 0, q = 0; p < inks.length; p += 4, q += 3) {
    shares[0] = 1;
    for (let ink = 0; ink < 4; ink++) {
      const covered = area(inkCurves[ink]!, inks[p + ink]!);
      for (let mask = 0, bit = 1 << ink; mask < bit; mask++) {
        shares[mask + bit] = shares[mask]! * covered;
        shares[mask]! *= 1 - covered;
      }
    }
    let [x, y, z] = [0, 0, 0];
    for (let mask = 0; mask < 16; mask++) {
      const [rootX, rootY, rootZ] = inkRoots[mask] as [number, number, number];
      x += shares[mask]! * rootX;
      y += shares[mask]! * rootY;
      z += shares[mask]! * rootZ;
    }
    const [r, g, b] = linearSrgb(fromBlack(x, 0), fromBlack(y, 1), fromBlack(z, 2));
    light[q] = r;
    light[q + 1] = g;
    light[q + 2] = b;
  }
  return light;
}
