// Formats that are decoded as a whole, whatever the region: the image stays in memory for a moment, since the
// job that builds its sidecar usually follows the read that needed it first.

import type { ByteSource } from "../../lib/byte-source.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import type { MasterPage } from "../plan.ts";
import type { TakeRows } from "./rows.ts";

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

/** Maximum bytes of the image that stays in memory, and milliseconds until it leaves. */
const mostBytes = 128 * 2 ** 20;
const keptMs = 1000;

/** True if an image stays in memory for the job that follows. */
export const staysForNext = ({ wholeBytes }: WholeFormat, header: ImageHeader) =>
  wholeBytes(header) <= mostBytes;

/**
 * Returns a function that decodes an image, or takes the one that the previous call with this id left. An
 * image without an id does not stay.
 */
export function decodeOnce(format: WholeFormat) {
  let kept: { readonly id: string; readonly image: WholeImage } | undefined;
  let expiry: ReturnType<typeof setTimeout> | undefined;
  const forget = () => {
    kept = undefined;
    clearTimeout(expiry);
  };
  return async (bytes: ByteSource, master: MasterPage, id: string | undefined): Promise<WholeImage> => {
    const known = kept;
    forget();
    if (known && known.id === id) return known.image;
    const image = await format.decodeWhole(bytes, master);
    if (id !== undefined && staysForNext(format, master.header)) {
      kept = { id, image };
      expiry = setTimeout(forget, keptMs);
      (expiry as { unref?(): void }).unref?.();
    }
    return image;
  };
}
