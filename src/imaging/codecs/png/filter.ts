// Filters rows for writing (PNG specification 9.2, 12.7), in the module "png".

import type { PixelBuffer } from "../../pipeline/pixels.ts";
import { layOut } from "../areas.ts";
import type { PngModule } from "./module.ts";

/** Bytes of rows that are filtered together, unless a row is longer. */
const bandBytes = 128 * 1024;

/**
 * Returns the rows of an image, each preceded by its filter type, ready to be deflated; 16-bit samples
 * big-endian. Each row gets the filter whose output has the least sum of absolute values (as signed bytes).
 * Throws RangeError if there is no memory for two rows.
 */
export function filterRows(module: PngModule, pixels: PixelBuffer): Uint8Array {
  const { width, height, bands, data } = pixels;
  const step = bands * data.BYTES_PER_ELEMENT;
  const length = width * step;
  const out = new Uint8Array((length + 1) * height);
  const samples = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const max = Math.min(height, Math.max(1, Math.floor(bandBytes / length)));
  const [above, to] = layOut(module, (max + 1) * length, max * (length + 1)) as [number, number];
  const from = above + length;
  const memory = new Uint8Array(module.memory.buffer);
  memory.fill(0, above, from);
  for (let y = 0; y < height; y += max) {
    const count = Math.min(max, height - y);
    memory.set(samples.subarray(y * length, (y + count) * length), from);
    if (data instanceof Uint16Array) module.swapBytes(from, count * length);
    module.filterRows(from, length, count, step, to);
    out.set(memory.subarray(to, to + count * (length + 1)), y * (length + 1));
    memory.copyWithin(above, above + count * length, from + count * length);
  }
  return out;
}
