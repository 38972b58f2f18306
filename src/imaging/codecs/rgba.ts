// Pixels as encoders of packages take them.

import { ImagingError } from "../../base/index.ts";
import { hasAlpha, type PixelBuffer } from "../pipeline/pixels.ts";

/**
 * Returns gray or RGB of 8 or 16 bits as red, green, blue and alpha of the same depth, opaque if there is no
 * alpha. Throws ImagingError `encode`, code not_encodable, for other colours; `title` names the format.
 */
export function toRgba(pixels: PixelBuffer, title: string): Uint8Array | Uint16Array {
  const { data, bands, width, height, interpretation } = pixels;
  if (interpretation !== "gray" && interpretation !== "rgb")
    throw new ImagingError("encode", `Expected gray or RGB pixels for ${title}, received another kind.`, {
      code: "not_encodable",
    });
  if (bands === 4) return data;
  const count = width * height;
  const isDeep = data instanceof Uint16Array;
  const out = isDeep ? new Uint16Array(count * 4).fill(65535) : new Uint8Array(count * 4).fill(255);
  const [green, blue] = bands >= 3 ? [1, 2] : [0, 0];
  const alpha = hasAlpha(pixels) ? bands - 1 : undefined;
  for (let i = 0, from = 0, to = 0; i < count; i++, from += bands, to += 4) {
    out[to] = data[from] as number;
    out[to + 1] = data[from + green] as number;
    out[to + 2] = data[from + blue] as number;
    if (alpha !== undefined) out[to + 3] = data[from + alpha] as number;
  }
  return out;
}
