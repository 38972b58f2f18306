// The WebP container: RIFF chunks, frame headers and animation frames (WebP Container Specification; RFC 6386
// section 9.1 and the lossless bitstream, section 3).

import { type ByteSource, ImagingError } from "../../../base/index.ts";
import { colourFacts, joinPieces } from "../../metadata/colour.ts";
import { type Exif, readExif } from "../../metadata/exif.ts";
import { damagedWebpHeader } from "../damaged.ts";
import { fourCC, type HeaderBytes, headerBytes } from "../header-bytes.ts";
import type { ImageHeader } from "../image-header.ts";
import { drawnDetails } from "../pyramid/drawn.ts";

/** One animation frame, in canvas pixels; `start` and `end` delimit the frame's own chunks in the file. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** True if the frame is blended onto the canvas by its alpha, instead of replacing it. */
  readonly blend: boolean;
  /** True if its rectangle is cleared to the background after it was shown. */
  readonly dispose: boolean;
  readonly start: number;
  readonly end: number;
}

/** Contents of the chunks, before they become an ImageHeader. */
export interface Container {
  readonly width: number;
  readonly height: number;
  readonly alpha: boolean;
  readonly variant: "lossy" | "lossless" | "animated";
  /** Position of the profile. */
  readonly profile?: { readonly offset: number; readonly length: number };
  /** Colour space in EXIF. */
  readonly colour?: Exif["colour"];
  readonly orientation: number;
  readonly resolution?: ImageHeader["resolution"];
  /** Empty for a still picture. */
  readonly frames: readonly Frame[];
  /** Canvas background of an animation: red, green, blue. */
  readonly background: readonly [number, number, number];
}

/** Maximum number of chunks and frames that are read: each costs a read. */
const chunkLimit = 4096;
const exifLimit = 64 * 1024;
/** Bytes of a frame's chunk header and description. */
const frameBytes = 24;

/** True if these are the first bytes of a WebP file. */
export function isWebp(head: Uint8Array): boolean {
  if (head.length < 16) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  return view.getUint32(0) === fourCC("RIFF") && view.getUint32(8) === fourCC("WEBP");
}

/**
 * Returns the header facts of frame `page` (1-based). Throws ImagingError `decode`, and `not-found` for a
 * missing frame.
 */
export async function readHeader(bytes: ByteSource, page: number): Promise<ImageHeader> {
  const found = await readContainer(bytes);
  const pages = Math.max(1, found.frames.length);
  if (page < 1 || page > pages)
    throw new ImagingError(
      "not-found",
      `Expected a page from 1 to ${pages} of this WebP picture, received ${page}.`,
      { code: "page_not_found" },
    );
  const icc = found.profile && joinPieces(bytes, [found.profile]);
  const colour = await colourFacts({ icc, exif: found }, "rgb");
  const details = found.frames.length > 0 && drawnDetails(found, shownFrames(found, page), clearPixel(found));
  return {
    format: "webp",
    width: found.width,
    height: found.height,
    bands: found.alpha ? 4 : 3,
    depth: 8,
    interpretation: "rgb",
    orientation: found.orientation,
    pages,
    variant: found.variant,
    ...(found.resolution && { resolution: found.resolution }),
    ...(colour && { colour }),
    ...(details && { details }),
    ...(found.variant === "animated" &&
      Math.max(found.width, found.height) > 16383 && {
        unsupported: `The animated WebP canvas of ${found.width}x${found.height} is larger than 16383 pixels on a side; convert the file.`,
      }),
  };
}

/** Returns the frames that frame `page` (1-based) is made of, from the last one that hides all before it. */
export function shownFrames({ frames, width, height }: Container, page: number): readonly Frame[] {
  const covers = (frame: Frame | undefined) => frame?.width === width && frame.height === height;
  for (let i = page - 1; i > 0; i--) {
    const before = frames[i - 1];
    if ((covers(frames[i]) && frames[i]?.blend === false) || (covers(before) && before?.dispose))
      return frames.slice(i, page);
  }
  return frames.slice(0, page);
}

/** Returns a pixel of the unfilled canvas: transparent, or the background of a file without alpha. */
export const clearPixel = ({ alpha, background }: Container): readonly number[] =>
  alpha ? [0, 0, 0, 0] : background;

/** Walks the chunks by their headers; image data itself is not read. */
export async function readContainer(bytes: ByteSource): Promise<Container> {
  const file = await headerBytes(bytes);
  const seen = await readChunks(file);
  const flags = seen.canvas?.flags ?? 0;
  const animated = (flags & 0x02) !== 0;
  const { width, height, alpha, variant } = animated ? animationOf(seen) : stillOf(seen);
  return {
    width,
    height,
    alpha: alpha || (flags & 0x10) !== 0,
    variant,
    ...(seen.profile && (flags & 0x20) !== 0 && { profile: seen.profile }),
    ...(seen.exif ? readExif(seen.exif) : { orientation: 1 }),
    frames: animated ? seen.frames : [],
    background: seen.background,
  };
}

/** Contents of the chunks so far. */
interface WebpChunks {
  canvas?: { readonly width: number; readonly height: number; readonly flags: number };
  /** The first bitstream outside of frames. */
  still?: Bitstream;
  hasAlphaChunk: boolean;
  background: Container["background"];
  exif?: Uint8Array;
  profile?: { readonly offset: number; readonly length: number };
  readonly frames: Frame[];
}

/** A chunk: its kind, and the position of its content. */
interface Chunk {
  readonly kind: number;
  readonly body: number;
  readonly length: number;
}

/**
 * Readers of chunks by kind; other chunks are skipped. Of several of a kind the first counts, except for
 * frames and ANIM.
 */
const chunkReaders = new Map<
  number,
  (file: HeaderBytes, chunk: Chunk, seen: WebpChunks) => Promise<void> | void
>([
  [
    fourCC("VP8X"),
    async (file, { body }, seen) => {
      if (seen.canvas) return;
      const view = await need(file, body, 10);
      seen.canvas = { flags: view.getUint8(0), width: uint24(view, 4) + 1, height: uint24(view, 7) + 1 };
    },
  ],
  [
    fourCC("VP8 "),
    async (file, { body }, seen) => {
      seen.still ??= readLossy(await need(file, body, 10));
    },
  ],
  [
    fourCC("VP8L"),
    async (file, { body }, seen) => {
      seen.still ??= readLossless(await need(file, body, 5));
    },
  ],
  [
    fourCC("ALPH"),
    (_file, _chunk, seen) => {
      seen.hasAlphaChunk = true;
    },
  ],
  [
    fourCC("ANIM"),
    async (file, { body }, seen) => {
      const view = await need(file, body, 4);
      seen.background = [view.getUint8(2), view.getUint8(1), view.getUint8(0)]; // stored as BGRA
    },
  ],
  [
    fourCC("ANMF"),
    async (file, { body, length }, seen) => {
      seen.frames.push(readFrame(await need(file, body, 16), body, length));
    },
  ],
  [
    fourCC("ICCP"),
    (_file, { body, length }, seen) => {
      seen.profile ??= { offset: body, length };
    },
  ],
  [
    fourCC("EXIF"),
    async (file, { body, length }, seen) => {
      if (seen.exif || length > Math.min(exifLimit, file.remaining())) return;
      const view = await file.view(body, length);
      if (view) seen.exif = new Uint8Array(view.buffer, view.byteOffset, length);
    },
  ],
]);

/** Reads chunk after chunk, up to the limits of a file's header. Throws ImagingError `decode`. */
async function readChunks(file: HeaderBytes): Promise<WebpChunks> {
  const start = await need(file, 0, 16);
  if (!isWebp(new Uint8Array(start.buffer, start.byteOffset, 16)))
    throw damagedWebpHeader("a RIFF header of form WEBP, received something else");
  const end = Math.min(8 + start.getUint32(4, true), file.size ?? Number.POSITIVE_INFINITY);
  const seen: WebpChunks = { hasAlphaChunk: false, background: [0, 0, 0], frames: [] };
  let at = 12;
  for (let n = 0; n < chunkLimit && at + 8 <= end && file.remaining() >= frameBytes; n++) {
    const head = await file.view(at, 8);
    if (!head) break;
    const chunk = { kind: head.getUint32(0), length: head.getUint32(4, true), body: at + 8 };
    await chunkReaders.get(chunk.kind)?.(file, chunk, seen);
    if (seen.still && !seen.canvas) break; // the simple format has nothing else
    at = chunk.body + chunk.length + (chunk.length & 1);
  }
  return seen;
}

type Size = Pick<Container, "width" | "height" | "alpha" | "variant">;

/** Throws ImagingError `decode` if there are no frames, or one exceeds the canvas. */
function animationOf({ canvas, still, frames }: WebpChunks): Size {
  if (!frames.length) throw damagedWebpHeader("at least one frame of the animation, found none");
  const { width, height } = canvas ?? (still as Bitstream);
  if (frames.some((frame) => frame.x + frame.width > width || frame.y + frame.height > height))
    throw damagedWebpHeader("animation frames inside the canvas, found one that reaches beyond");
  return { width, height, alpha: false, variant: "animated" };
}

/** Throws ImagingError `decode` if there is no image, or its size differs from the canvas. */
function stillOf({ canvas, still, hasAlphaChunk }: WebpChunks): Size {
  if (!still) throw damagedWebpHeader("a VP8 or VP8L chunk, found none");
  const { width, height } = canvas ?? still;
  if (still.width !== width || still.height !== height)
    throw damagedWebpHeader(
      `a canvas of the picture's ${still.width}x${still.height}, received ${width}x${height}`,
    );
  return { width, height, alpha: hasAlphaChunk || still.alpha, variant: still.variant };
}

interface Bitstream {
  readonly width: number;
  readonly height: number;
  readonly alpha: boolean;
  readonly variant: "lossy" | "lossless";
}

/** Reads the header of a lossless bitstream (its section 3). */
function readLossless(view: DataView): Bitstream {
  if (view.getUint8(0) !== 0x2f) throw damagedWebpHeader("the VP8L signature 0x2f, received something else");
  const bits = view.getUint32(1, true);
  return {
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    alpha: ((bits >>> 28) & 1) === 1,
    variant: "lossless",
  };
}

/** Reads the header of a VP8 key frame (RFC 6386, section 9.1). */
function readLossy(view: DataView): Bitstream {
  if ((view.getUint8(0) & 1) !== 0 || view.getUint8(3) !== 0x9d || view.getUint16(4) !== 0x012a)
    throw damagedWebpHeader("a VP8 key frame, received something else");
  const width = view.getUint16(6, true) & 0x3fff;
  const height = view.getUint16(8, true) & 0x3fff;
  if (!width || !height) throw damagedWebpHeader("a width and height of at least 1, received 0");
  return { width, height, alpha: false, variant: "lossy" };
}

function readFrame(view: DataView, body: number, length: number): Frame {
  const flags = view.getUint8(15);
  return {
    x: uint24(view, 0) * 2,
    y: uint24(view, 3) * 2,
    width: uint24(view, 6) + 1,
    height: uint24(view, 9) + 1,
    blend: (flags & 2) === 0,
    dispose: (flags & 1) !== 0,
    start: body + 16,
    end: body + length,
  };
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

async function need(file: HeaderBytes, offset: number, length: number): Promise<DataView> {
  const view = await file.view(offset, length);
  if (!view) throw damagedWebpHeader("a complete header, but the file ends early");
  return view;
}
