// Formats that are decoded as a whole, whatever the region: the image stays in memory for a moment, since the
// job that builds its sidecar usually follows the read that needed it first.

import type { ByteSource } from "../../../base/index.ts";
import type { TakeRows } from "../codec.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import type { MasterPage } from "../plan.ts";
import type { RowsMaster } from "./rows.ts";

/** A decoded image. */
export interface WholeImage {
  /** Passes on the rows of a region from the top down. */
  take(region: Rectangle, take: TakeRows): Promise<void>;
}

export interface WholeFormat {
  /** Decodes an image. Throws ImagingError `decode` if the file is damaged. */
  decodeWhole(bytes: ByteSource, master: MasterPage): Promise<WholeImage>;
  /** Returns the bytes of a decoded image. */
  wholeBytes(header: ImageHeader): number;
}

/** Milliseconds for which an image stays in memory. */
const cacheMs = 1000;

/**
 * Returns a function that decodes an image, or takes the one that the previous call with this id left. An
 * image without an id does not stay, nor one that is the last or takes more than `maxBytes`.
 */
export function decodeOnce(format: WholeFormat, maxBytes: number) {
  let cached: { readonly id: string; readonly image: WholeImage } | undefined;
  let expiry: ReturnType<typeof setTimeout> | undefined;
  const forget = () => {
    cached = undefined;
    clearTimeout(expiry);
  };
  return async (bytes: ByteSource, { id, isLast, ...master }: RowsMaster): Promise<WholeImage> => {
    const known = cached;
    forget();
    if (known && known.id === id) return known.image;
    const image = await format.decodeWhole(bytes, master);
    if (id !== undefined && !isLast && format.wholeBytes(master.header) <= maxBytes) {
      cached = { id, image };
      expiry = setTimeout(forget, cacheMs);
      (expiry as { unref?(): void }).unref?.();
    }
    return image;
  };
}
