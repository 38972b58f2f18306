// Properties that follow from the header and the length of a JPEG file: how it is read, the parts of its
// sidecar, and the maximum memory for both, whatever a slot contains.

import type { Reduction, SidecarAccess, SidecarWay } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { detailsOf } from "./markers/header.ts";

/** Maximum bytes of a stored level at 1/4. */
const level4Limit = 64 * 2 ** 20;
/** Maximum ratio of its bytes to those of the file: files of few bytes decode quickly anyway. */
const mostOfFile = 4;
/**
 * Maximum bytes of a level at 1/4 that a read makes while it begins the sidecar: a larger one would not fit
 * small memory budgets.
 */
const mostBegun = 24 * 2 ** 20;

/** Maximum bytes of a stored level at 1/2. */
const level2Limit = 256 * 2 ** 20;

/** True for progressive files, which are read through a baseline transcode. */
export const isProgressive = (header: ImageHeader) => header.variant === "progressive";

/**
 * Returns the maximum size of a transcode, except for very odd files: its codes fit less well, and no block
 * takes less than 6 bits.
 */
const transcodeBytes = (header: ImageHeader, fileSize: number) =>
  Math.ceil(1.25 * fileSize + (header.width * header.height * header.bands) / 64);

/** True if a valid file of this kind can have a sidecar; an unknown size counts as small. */
export function canHaveSidecar(header: ImageHeader, fileSize: number, room: number): boolean {
  if (header.unsupported || detailsOf(header).arithmetic) return false;
  return !isProgressive(header) || transcodeBytes(header, fileSize) <= room;
}

/**
 * Implements `SidecarFormat.way`. A progressive file is shown from its DC scans at 1/8, and from its
 * transcode otherwise.
 */
export function sidecarWay({ header, scaleFactor }: ReadRequest, fileSize: number, room: number): SidecarWay {
  if (!canHaveSidecar(header, fileSize, room)) return "none";
  if (!isProgressive(header)) return "begin";
  return scaleFactor === 8 ? "apart" : "wait";
}

/** Scale factor of the level whose samples are as good as a resampling. */
export const level4Scale = 4;
/**
 * True if the samples of that level are as good as a resampling: each component at 1/4 of its own size has
 * the size that the derivative needs.
 */
export function isFiltered(header: ImageHeader, halvesColour = false): boolean {
  const { arithmetic, subsampling } = detailsOf(header);
  return !arithmetic && (subsampling === "none" || (halvesColour && subsampling === "halved"));
}

/**
 * Returns the reductions that are decoded directly: by frequencies, except 1/4 if its samples are as good as
 * a resampling.
 */
export function reductions(header: ImageHeader, halvesColour: boolean): readonly Reduction[] {
  if (detailsOf(header).arithmetic) return [];
  return [
    { factor: 2, quality: "frequencies" },
    { factor: level4Scale, quality: isFiltered(header, halvesColour) ? "exact" : "frequencies" },
    { factor: 8, quality: "frequencies" },
  ];
}

/** True if the sidecar of a file with this header has the level at 1/4; an unknown size counts as large. */
function hasLevel4(header: ImageHeader, fileSize = Number.POSITIVE_INFINITY): boolean {
  const most = Math.min(level4Limit, 2 ** 20 + mostOfFile * fileSize);
  return isFiltered(header, true) && mostLevel4(header) <= most;
}

/**
 * True if a job that builds a sidecar makes the level at 1/4: its memory allows it, and there is room for the
 * blocks.
 */
export function buildsLevel4(
  header: ImageHeader,
  fileSize: number | undefined,
  access?: SidecarAccess,
): boolean {
  const { memory = Number.POSITIVE_INFINITY, blocks } = access ?? {};
  const room = blocks?.room ?? 0;
  return (
    hasLevel4(header, fileSize) &&
    mostLevel4(header) <= room &&
    leastMemory(header) + mostLevel4(header) <= memory
  );
}

/**
 * True if the sidecar of a file with this header has the level at 1/2. It takes about 0.2 bytes per pixel;
 * files of fewer bytes decode quickly anyway. An unknown size counts as large.
 */
function hasLevel2(header: ImageHeader, fileSize = Number.POSITIVE_INFINITY): boolean {
  const usual = (header.width * header.height) / 5;
  return isFiltered(header, true) && usual <= fileSize && mostLevel2(header) <= level2Limit;
}

/**
 * Returns the maximum bytes of the level at 1/2, with colour at half size; noise takes more than its samples.
 */
const mostLevel2 = ({ width, height, bands }: ImageHeader) =>
  Math.ceil((width * height * (bands === 1 ? 1 : 1.5) * 1.1) / 4);

/** Returns the bytes of a row of its tiles and of the pixels at 1/1 that it is made from. */
const level2RowBytes = ({ width }: ImageHeader) => 2000 * width;

/** Returns the peak bytes of building a sidecar with the level at 1/2, which is made after that at 1/4. */
const memoryWithLevel2 = (header: ImageHeader, fileSize?: number) =>
  leastMemory(header) +
  Math.max(hasLevel4(header, fileSize) ? mostLevel4(header) : 0, level2RowBytes(header));

/**
 * True if a job that builds a sidecar makes the level at 1/2: its memory allows it, and reads need not wait
 * for it.
 */
export const buildsLevel2 = (header: ImageHeader, fileSize: number | undefined, access?: SidecarAccess) =>
  access?.blocks !== undefined &&
  access.keepEntry !== undefined &&
  hasLevel2(header, fileSize) &&
  memoryWithLevel2(header, fileSize) <= (access.memory ?? Number.POSITIVE_INFINITY);

/** True if a read that begins the sidecar also makes the level at 1/4, so that one pass makes everything. */
export const beginsLevel4 = (header: ImageHeader, fileSize?: number) =>
  !isProgressive(header) && hasLevel4(header, fileSize) && mostLevel4(header) <= mostBegun;

/**
 * Returns the estimated peak bytes of reading a region: planes, pixels, margins, reduced levels and, for a
 * progressive file, the memory for transcoding, which this read alone may need.
 */
export function regionMemory({ header, region, scaleFactor }: ReadRequest): number {
  const side = (length: number) => Math.ceil(length / scaleFactor) + 64;
  const samples = side(region.width) * side(region.height) * header.bands;
  // at 1/4, four samples at 1/2 become one
  const planes = scaleFactor === level4Scale ? 8 : 3;
  const begun = beginsLevel4(header) ? mostLevel4(header) : 0;
  return planes * samples + smallLevelBytes(header) + begun + transcodeMemory(header) + 16 * 2 ** 20;
}

/**
 * Returns the maximum bytes of the levels at 1/8 and below, each a quarter of the one before. With
 * subsampling they take half as much, plus some room.
 */
function smallLevelBytes(header: ImageHeader): number {
  const { width, height, bands } = header;
  return Math.ceil((width * height * bands) / (detailsOf(header).subsampling === "none" ? 48 : 64));
}
/**
 * Returns the maximum bytes of the level at 1/4. If components are subsampled, two of them have at most half
 * the samples of the others.
 */
function mostLevel4(header: ImageHeader): number {
  const { width, height, bands } = header;
  const whole = detailsOf(header).subsampling === "none" ? bands : bands - 1;
  return Math.ceil((width * height * whole) / 16);
}

/**
 * Returns the bytes that transcoding needs: windows of all scans, a row of MCUs as coefficients of 2 bytes,
 * and the blocks being written.
 */
function transcodeMemory(header: ImageHeader): number {
  if (!isProgressive(header)) return 0;
  return 8 * 2 ** 20 + 2 * header.width * detailsOf(header).mcuHeight * header.bands;
}

/** Returns the nanoseconds per pixel of a baseline transcode, or of one pass over the codes. */
function passNsPerPixel(header: ImageHeader): number {
  if (isProgressive(header)) return 15;
  return hasLevel4(header) ? 2 : 1;
}

/** Implements `SidecarFormat.nsPerPixel`; the level at 1/2 follows the pass. */
export const sidecarNsPerPixel = (header: ImageHeader) =>
  passNsPerPixel(header) + (hasLevel2(header) ? 7 : 0);

/** Implements `SidecarFormat.nsWithout`: a read makes what a pass makes. */
export const nsWithout = ({ header }: Pick<ReadRequest, "header">) =>
  header.width * header.height * passNsPerPixel(header);

/** Implements `SidecarFormat.memory`. */
export function sidecarMemory(
  header: ImageHeader,
  fileSize: number | undefined,
  allows: (bytes: number) => boolean,
): number {
  const least = leastMemory(header);
  const most = hasLevel2(header, fileSize) ? memoryWithLevel2(header, fileSize) : 0;
  if (most > 0 && allows(most)) return most;
  const withLevel4 = least + mostLevel4(header);
  return hasLevel4(header, fileSize) && allows(withLevel4) ? withLevel4 : least;
}

/**
 * Returns the least bytes for building a sidecar: a window of the file, tables, rows at 1/2, and the levels
 * below 1/4 twice, since the entry is a copy.
 */
const leastMemory = (header: ImageHeader) =>
  12 * 2 ** 20 + 2 * smallLevelBytes(header) + transcodeMemory(header);
