// The parts of a JP2 file that another container takes as they are, such as a PDF file: all boxes, or those
// that decoding needs.

import type { ByteRange, ByteSource } from "../../../base/index.ts";
import { fitsBands } from "../../colour/fits-bands.ts";
import { boxBytes } from "../boxes.ts";
import { fourCC, headerBytes } from "../header-bytes.ts";
import { blankComments } from "./blank-comments.ts";
import { readBoxes, walk } from "./boxes.ts";
import { isSubsampled, readCodestream } from "./codestream.ts";

export interface StoredJp2 {
  readonly bands: 1 | 3;
  /** Its ICC profile; absent: sRGB, or its tone curve. */
  readonly profile?: Uint8Array | undefined;
  /** The ranges of the file to take, in their order. */
  readonly parts: readonly ByteRange[];
  /** Returns a function that clears comments in the bytes of `parts`, all of which have to pass it. */
  readonly blank?: () => ReturnType<typeof blankComments>;
}

/** Profiles of more bytes are of printers, and not of masters. */
const maxProfileBytes = 2 ** 20;

/** Boxes without which no decoder reads the image (ITU-T T.800, table I.2). */
const needed = new Set(["jP  ", "ftyp", "jp2h", "jp2c"].map(fourCC));

/**
 * Returns the parts of a JP2 file; undefined if not all programs that show PDF files read it as the decoder
 * here does: only gray or RGB of 8 bits, in one colour space, without palette, channel definitions, Part 2 or
 * HTJ2K. `strips`: leaves out all other boxes, such as EXIF, XMP and XML, and clears comments. Throws
 * ImagingError `decode`, and what the source throws.
 */
export async function storedJp2(bytes: ByteSource, strips: boolean): Promise<StoredJp2 | undefined> {
  const { size } = bytes;
  if (size === undefined) return undefined;
  const file = await headerBytes(bytes);
  const first = await file.view(4, 4);
  if (first?.getUint32(0) !== fourCC("jP  ")) return undefined;
  const { labels, palette, mapping, definitions, codestream } = await readBoxes(file);
  const [label, ...others] = labels;
  if (!label || others.length > 0 || palette || mapping || definitions || label.inverted) return undefined;
  const { components, highThroughput, extension, offsetX, offsetY } = await readCodestream(
    file,
    codestream.start,
  );
  const bands = components.length;
  const isPlain =
    ((bands === 1 && label.space === "gray") || (bands === 3 && label.space === "rgb")) &&
    components.every((each) => each.bits === 8 && !each.signed && !isSubsampled(each));
  if (!isPlain || highThroughput || extension !== undefined || offsetX + offsetY > 0) return undefined;
  const stored = strips
    ? await strippedParts(bytes, size, codestream.start)
    : { parts: [{ offset: 0, length: size }] };
  if (!stored) return undefined;
  const own = label.profile;
  if (!own) return { bands, ...stored };
  if (own.length > maxProfileBytes) return undefined;
  const profile = await bytes.read(own.offset, own.length);
  return fitsBands(profile, bands) ? { bands, ...stored, profile } : undefined;
}

/**
 * Returns the ranges of the boxes that are needed, each once; undefined if the file ends before one of them,
 * or if the codestream, which begins at `start`, is not the last of them.
 */
async function strippedParts(
  bytes: ByteSource,
  size: number,
  start: number,
): Promise<Pick<StoredJp2, "parts" | "blank"> | undefined> {
  const parts: ByteRange[] = [];
  const left = new Set(needed);
  let at = 0;
  let before = 0;
  for await (const { type, body, length = size - body } of walk(boxBytes(bytes), 0, size)) {
    const end = body + length;
    if (end > size) return undefined;
    if (left.delete(type)) {
      parts.push({ offset: at, length: end - at });
      if (body === start) {
        const skipped = before + start - at;
        return left.size === 0 ? { parts, blank: () => blankComments(skipped) } : undefined;
      }
      before += end - at;
    }
    at = end;
  }
  return undefined;
}
