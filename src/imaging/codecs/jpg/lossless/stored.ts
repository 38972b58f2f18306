// The parts of a JPEG file that another container takes as they are, such as a PDF file: all of it, or all
// but its metadata.

import { type ByteRange, type ByteSource, inFewReads } from "../../../../base/index.ts";
import { fitsBands } from "../../../colour/fits-bands.ts";
import { type FrameHeader, readFrameHeader } from "../markers/frame.ts";
import { readJpegMetadata } from "../markers/metadata.ts";
import { isNamed, type MarkerWalk, marker, type Segment, walkMarkers } from "../markers/walk.ts";
import { colourOf } from "../region/header.ts";
import { blankScans } from "./blank-scans.ts";

export interface StoredJpeg {
  readonly bands: 1 | 3;
  /** True if its three bands are luma and chroma. */
  readonly isYcc: boolean;
  /** Its ICC profile, if that fits its bands. */
  readonly profile?: Uint8Array | undefined;
  /** The ranges of the file to take, in their order. */
  readonly parts: readonly ByteRange[];
  /** Returns a function that clears metadata in the bytes of `parts`, all of which have to pass it. */
  readonly blank?: typeof blankScans;
}

/** Bytes that are read first: most headers, with an EXIF segment of 64 KiB. */
const frontBytes = 80 * 1024;
const laterBytes = 16 * 1024;
const windowBytes = 4096;

/**
 * Returns the parts of a JPEG file; undefined if not all decoders of PDF files read it as the decoders here
 * do (only sequential and progressive Huffman-coded files of 8 bits with one or three components), or if its
 * size is not known. `strips`: leaves out EXIF, XMP, IPTC, comments and the segments of makers, or clears
 * them if they lie behind the first scan; files with a film behind the image, or with a list of other images,
 * are then undefined. Throws ImagingError `decode`, code damaged_header, and what the source throws.
 */
export async function storedJpeg(bytes: ByteSource, strips: boolean): Promise<StoredJpeg | undefined> {
  const { size } = bytes;
  if (size === undefined) return undefined;
  const file = await inFewReads(bytes, frontBytes, laterBytes);
  const walk = walkMarkers(file, windowBytes);
  if (!(await walk.isImage())) return undefined;
  const parts: ByteRange[] = [{ offset: 0, length: 2 }];
  const seen: Seen = { frame: undefined, jfif: false, adobe: undefined };
  for await (const segment of walk.segments(2)) {
    const { at, code, end, length } = segment;
    if (length === undefined) return undefined;
    if (code === marker.sos) {
      if (strips && !(await endsWithImage(file, size))) return undefined;
      add(parts, at, size);
      const stored = await describe(file, seen, parts);
      return stored && strips ? { ...stored, blank: blankScans } : stored;
    }
    const use = await useOf(segment, walk, seen);
    if (use === "none") return undefined;
    if (use === "image" || !strips) add(parts, at, end);
    else if (use === "other images") return undefined;
  }
  return undefined;
}

interface Seen {
  frame: FrameHeader | undefined;
  jfif: boolean;
  adobe: number | undefined;
}

/**
 * Returns what a segment is for: `image` if decoding needs it, `none` if no decoder of PDF files reads such a
 * file. Notes what colours follow from.
 */
async function useOf(
  segment: Segment,
  walk: MarkerWalk,
  seen: Seen,
): Promise<"image" | "metadata" | "other images" | "none"> {
  const { code } = segment;
  if (code === 0xc0 || code === 0xc1 || code === 0xc2) {
    if (seen.frame) return "none";
    seen.frame = readFrameHeader(await walk.body(segment), segment);
    return "image";
  }
  if (code === marker.dht || code === marker.dqt || code === marker.dri) return "image";
  if (code === marker.com) return "metadata";
  if (code < marker.app0 || code > marker.app15) return "none";
  const body = await walk.body(segment, 14);
  if (code === marker.app0 && isNamed(body, "JFIF\0", 5)) {
    seen.jfif = true;
    return "image";
  }
  if (code === marker.app14 && isNamed(body, "Adobe", 12)) {
    seen.adobe ??= body[11];
    return "image";
  }
  if (code === marker.app2 && isNamed(body, "ICC_PROFILE\0", 14)) return "image";
  return code === marker.app2 && isNamed(body, "MPF\0", 4) ? "other images" : "metadata";
}

async function endsWithImage(bytes: ByteSource, size: number): Promise<boolean> {
  const [first, second] = await bytes.read(size - 2, 2);
  return first === 0xff && second === marker.eoi;
}

/** Adds a range to those before, joined with the last one if it follows it. */
function add(parts: ByteRange[], from: number, to: number): void {
  const last = parts.at(-1);
  if (last && last.offset + last.length === from)
    parts[parts.length - 1] = { offset: last.offset, length: to - last.offset };
  else parts.push({ offset: from, length: to - from });
}

async function describe(
  file: ByteSource,
  { frame, jfif, adobe }: Seen,
  parts: readonly ByteRange[],
): Promise<StoredJpeg | undefined> {
  if (frame?.precision !== 8 || frame.height === 0) return undefined;
  const bands = frame.components.length;
  if (bands !== 1 && bands !== 3) return undefined;
  const isYcc = colourOf(frame, { jfif, adobe }) === "ycc";
  // A reader of PDF files goes by the Adobe segment, a decoder of JPEG files by JFIF.
  if (jfif && adobe === 0 && bands === 3) return undefined;
  const { icc } = await readJpegMetadata(file, "icc");
  const profile = icc && fitsBands(icc, bands) ? icc : undefined;
  return { bands, isYcc, parts, ...(profile && { profile }) };
}
