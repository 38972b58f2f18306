// Quality `bitonal`: black and white by threshold (IIIF Image API 3.0, section 4.4).

import { fullScale, type PixelBuffer, samplesLike } from "../pixels.ts";
import { flatten } from "./flatten.ts";
import { gray } from "./gray.ts";

/**
 * Returns one band: full scale if luma, over white, is at least half of the range, otherwise 0. Same depth.
 */
export function bitonal(pixels: PixelBuffer): PixelBuffer {
  const source = gray(flatten(pixels, [255, 255, 255]));
  const full = fullScale(source);
  const half = (full + 1) / 2;
  const data = samplesLike(source, source.data.length);
  for (let p = 0; p < data.length; p++) data[p] = source.data[p]! >= half ? full : 0;
  return { ...source, data };
}
