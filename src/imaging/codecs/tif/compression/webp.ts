// WebP strips and tiles, as libtiff writes them since version 4.0.10: each an independent WebP file, decoded
// by libwebp.

import { memoryBytes } from "../../../../base/index.ts";
import type { CodecHost } from "../../codec.ts";
import { damagedTif } from "../../damaged.ts";
import { confirmWhole, stillDecoder } from "../../webp/decode.ts";
import { readContainer } from "../../webp/header.ts";

/** Required properties of an image's WebP block. */
export interface WebpBlock {
  readonly width: number;
  /** Required rows, and the maximum. */
  readonly rows: number;
  readonly maxRows: number;
  /** Number of samples returned per pixel. */
  readonly samples: 3 | 4;
}

/** Decodes WebP blocks to 8-bit RGB or RGBA of `width` by at least `rows`. Throws ImagingError `decode`. */
export type DecodeWebp = (data: Uint8Array, block: WebpBlock) => Promise<Uint8Array>;

/** Creates a decoder of the blocks of one master; see {@link stillDecoder}. */
export function webpDecoder(host: CodecHost): DecodeWebp {
  const decodeStill = stillDecoder(host);
  return async (data, { width, rows, maxRows, samples }) => {
    const stored = await readContainer(memoryBytes(data));
    if (stored.frames.length > 0) throw damagedTif("still WebP strips or tiles", "an animation");
    if (stored.width !== width || stored.height < rows || stored.height > maxRows)
      throw damagedTif(
        `WebP strips or tiles of ${width} by ${rows} to ${maxRows} pixels`,
        `${stored.width} by ${stored.height}`,
      );
    confirmWhole(data);
    const pixels = await decodeStill(data);
    if (pixels.width !== stored.width || pixels.height !== stored.height)
      throw damagedTif(
        `a WebP picture of ${stored.width} by ${stored.height}`,
        `${pixels.width} by ${pixels.height}`,
      );
    return samples === 4 ? pixels.data : withoutAlpha(pixels.data);
  };
}

function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const out = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4) {
    out[to++] = rgba[from] as number;
    out[to++] = rgba[from + 1] as number;
    out[to++] = rgba[from + 2] as number;
  }
  return out;
}
