// Pictures of grain that are the same in every run: sharp's own noise takes another seed each time.

import sharp, { type Sharp } from "sharp";
import { seeded } from "./seeded.ts";

/**
 * Returns gray of level 128 with nearly Gaussian grain of this standard deviation, independently in each of 3
 * bands; 8 bit, clipped.
 */
export function grain(width: number, height: number, sigma: number, seed = 1): Sharp {
  const below = seeded(seed);
  // The sum of four uniform values is nearly normal, with a variance of a third.
  const uniform = () => below(65_536) / 65_536;
  const levels = Uint8ClampedArray.from(
    { length: 4096 },
    () => 128 + sigma * Math.sqrt(3) * (uniform() + uniform() + uniform() + uniform() - 2),
  );
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < data.length; i++) data[i] = levels[below(levels.length)]!;
  return sharp(data, { raw: { width, height, channels: 3 } });
}
