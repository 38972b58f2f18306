// What the header and the length of a JPEG file tell before anything of it is decoded: how it is read, what of it can be kept,
// and the memory that this takes, whatever a slot holds.

import type { Reduction, SidecarWay } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { readEntry } from "../sidecar/entry.ts";
import { detailsOf } from "./decode/turbo-decoder.ts";

/** Planes at 1/4 of more bytes are not kept, or of more than so many times those of the file: what has few bytes is quickly decoded. */
const level4Limit = 64 * 2 ** 20;
const mostOfFile = 4;
const mostBegun = 24 * 2 ** 20;
export const level4LimitOf = (fileSize = Number.POSITIVE_INFINITY) =>
  Math.min(level4Limit, 2 ** 20 + mostOfFile * fileSize);

/** These files are read through a baseline transcode. */
export const isProgressive = (header: ImageHeader) => header.variant === "progressive";

/** What a transcode may take at most, but for very odd files: its codes are less exact, and no block takes less than 6 bits. */
const transcodeBytes = (header: ImageHeader, fileSize: number) =>
  Math.ceil(1.25 * fileSize + (header.width * header.height * header.bands) / 64);

/** Whether what is made of a sound file of this kind can be kept; an unknown size counts as small. */
export function isKept(header: ImageHeader, fileSize: number, room: number): boolean {
  if (header.unsupported || detailsOf(header).arithmetic) return false;
  return !isProgressive(header) || transcodeBytes(header, fileSize) <= room;
}

/** As `SidecarFormat.way` promises. A progressive file is shown at 1/8 by its DC scans, and else by its transcode. */
export function indexing({ header, scaleFactor }: ReadRequest, fileSize: number, room: number): SidecarWay {
  if (!isKept(header, fileSize, room)) return "none";
  if (!isProgressive(header)) return "begin";
  return scaleFactor === 8 ? "apart" : "wait";
}

/** The scale whose samples are as good as a resampling. */
export const level4Scale = 4;
/** Whether they are: each component is at a quarter of its own size there, which has to be what the answer holds of it. */
export function isFiltered(header: ImageHeader, halvesColour = false): boolean {
  const { arithmetic, subsampling } = detailsOf(header);
  return !arithmetic && (subsampling === "none" || (halvesColour && subsampling === "halved"));
}

/** What is decoded at a reduced size: in the frequencies, but for 1/4 where its samples are as good as a resampling. */
export function reductions(header: ImageHeader, halvesColour: boolean): readonly Reduction[] {
  if (detailsOf(header).arithmetic) return [];
  return [
    { factor: 2, quality: "frequencies" },
    { factor: level4Scale, quality: isFiltered(header, halvesColour) ? "exact" : "frequencies" },
    { factor: 8, quality: "frequencies" },
  ];
}

/**
 * As `SidecarFormat.lacks` promises: whether an index lacks planes at 1/4 that it could have, as far as the header tells, and the read is
 * made of them.
 */
export function gains(
  index: Uint8Array | undefined,
  { header, scaleFactor, halvesColour }: ReadRequest,
  fileSize: number,
): boolean {
  if (scaleFactor !== level4Scale || !isFiltered(header, halvesColour)) return false;
  if (mostLevel4(header) > level4LimitOf(fileSize)) return false;
  const parts = index && readEntry(index);
  // those of a transcode are made of it
  return parts ? !parts.has("level4") : index === undefined && !isProgressive(header);
}

/**
 * Estimated peak bytes of reading a region: planes, pixels, margins, what is kept of the whole, and for a progressive file
 * what transcoding it takes, since that may have to be done for this read alone.
 */
export function regionMemory({ header, region, scaleFactor }: ReadRequest): number {
  const side = (length: number) => Math.ceil(length / scaleFactor) + 64;
  const samples = side(region.width) * side(region.height) * header.bands;
  // at 1/4 four samples at 1/2 become one
  const planes = scaleFactor === level4Scale ? 8 : 3;
  const begun = scaleFactor === level4Scale && beginsLevel4(header) ? mostLevel4(header) : 0;
  return planes * samples + level8Bytes(header) + begun + transcodeMemory(header) + 16 * 2 ** 20;
}

const level8Bytes = ({ width, height, bands }: ImageHeader) => Math.ceil((width * height * bands) / 64);
/** The most that planes at 1/4 take: of subsampled components two have half the samples of the others, or fewer. */
function mostLevel4(header: ImageHeader): number {
  const { width, height, bands } = header;
  const whole = detailsOf(header).subsampling === "none" ? bands : bands - 1;
  return Math.ceil((width * height * whole) / 16);
}
/** Whether a read that has to begin an index makes planes at 1/4 with it: larger ones would keep small budgets from reading. */
export const beginsLevel4 = (header: ImageHeader) => mostLevel4(header) <= mostBegun;

/** Windows of all scans, a row of MCUs as coefficients of 2 bytes, and the blocks at hand. */
function transcodeMemory(header: ImageHeader): number {
  if (!isProgressive(header)) return 0;
  return 8 * 2 ** 20 + 2 * header.width * detailsOf(header).mcuHeight * header.bands;
}

/** Estimated peak bytes of making an index: a window of the file, tables, rows at 1/2, and what is kept of the whole. */
export function indexMemory(header: ImageHeader, full = true): number {
  const planes = full ? Math.min(level4Limit, mostLevel4(header)) : 0;
  return 12 * 2 ** 20 + level8Bytes(header) + planes + transcodeMemory(header);
}
