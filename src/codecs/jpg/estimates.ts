// What follows from the header and the length of a JPEG file alone: how it is read, what its sidecar may have, and the memory
// that this takes at most, whatever a slot holds.

import type { Reduction, SidecarWay } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { readEntry } from "../sidecar/entry.ts";
import { detailsOf } from "./markers/header.ts";

/** The largest level at 1/4 that is stored. */
const level4Limit = 64 * 2 ** 20;
/** It takes at most this many times the bytes of the file: files of few bytes decode quickly anyway. */
const mostOfFile = 4;
/** The largest level at 1/4 that a read makes while it begins the sidecar: larger ones would not fit small memory budgets. */
const mostBegun = 24 * 2 ** 20;
/** Bytes of the largest level at 1/4 that is stored of a file of this size. */
export const level4LimitOf = (fileSize = Number.POSITIVE_INFINITY) =>
  Math.min(level4Limit, 2 ** 20 + mostOfFile * fileSize);

/** Progressive files are read through a baseline transcode. */
export const isProgressive = (header: ImageHeader) => header.variant === "progressive";

/** The most that a transcode takes, but for very odd files: its codes fit less well, and no block takes less than 6 bits. */
const transcodeBytes = (header: ImageHeader, fileSize: number) =>
  Math.ceil(1.25 * fileSize + (header.width * header.height * header.bands) / 64);

/** Whether a sound file of this kind can have a sidecar; an unknown size counts as small. */
export function canHaveSidecar(header: ImageHeader, fileSize: number, room: number): boolean {
  if (header.unsupported || detailsOf(header).arithmetic) return false;
  return !isProgressive(header) || transcodeBytes(header, fileSize) <= room;
}

/** As `SidecarFormat.way` promises. A progressive file is shown at 1/8 by its DC scans, and else by its transcode. */
export function sidecarWay({ header, scaleFactor }: ReadRequest, fileSize: number, room: number): SidecarWay {
  if (!canHaveSidecar(header, fileSize, room)) return "none";
  if (!isProgressive(header)) return "begin";
  return scaleFactor === 8 ? "apart" : "wait";
}

/** The scale factor of the level whose samples are as good as a resampling. */
export const level4Scale = 4;
/** Whether they are: each component has 1/4 of its own size there, which has to be the size that the derivative wants. */
export function isFiltered(header: ImageHeader, halvesColour = false): boolean {
  const { arithmetic, subsampling } = detailsOf(header);
  return !arithmetic && (subsampling === "none" || (halvesColour && subsampling === "halved"));
}

/** Reductions that are decoded directly: in the frequencies, but for 1/4 where its samples are as good as a resampling. */
export function reductions(header: ImageHeader, halvesColour: boolean): readonly Reduction[] {
  if (detailsOf(header).arithmetic) return [];
  return [
    { factor: 2, quality: "frequencies" },
    { factor: level4Scale, quality: isFiltered(header, halvesColour) ? "exact" : "frequencies" },
    { factor: 8, quality: "frequencies" },
  ];
}

/** As `SidecarFormat.lacks` promises: a read at 1/4 lacks the level at 1/4, if a file with this header may have one. */
export function lacksLevel4(
  entry: Uint8Array | undefined,
  { header, scaleFactor, halvesColour }: ReadRequest,
  fileSize: number,
): boolean {
  if (scaleFactor !== level4Scale || !isFiltered(header, halvesColour)) return false;
  if (mostLevel4(header) > level4LimitOf(fileSize)) return false;
  const parts = entry && readEntry(entry);
  // the level of a progressive file is made from its transcode
  return parts ? !parts.has("level4") : entry === undefined && !isProgressive(header);
}

/**
 * Estimated peak bytes of reading a region: planes, pixels, margins, reduced levels, and for a progressive file what transcoding
 * takes, since this read alone may need that.
 */
export function regionMemory({ header, region, scaleFactor }: ReadRequest): number {
  const side = (length: number) => Math.ceil(length / scaleFactor) + 64;
  const samples = side(region.width) * side(region.height) * header.bands;
  // at 1/4 four samples at 1/2 become one
  const planes = scaleFactor === level4Scale ? 8 : 3;
  const begun = scaleFactor === level4Scale && beginsLevel4(header) ? mostLevel4(header) : 0;
  return planes * samples + smallLevelBytes(header) + begun + transcodeMemory(header) + 16 * 2 ** 20;
}

/** The most that the levels at 1/8 and below take, each a quarter of the one before; with subsampling half as much, and room. */
function smallLevelBytes(header: ImageHeader): number {
  const { width, height, bands } = header;
  return Math.ceil((width * height * bands) / (detailsOf(header).subsampling === "none" ? 48 : 64));
}
/** The most that the level at 1/4 takes: where components are subsampled, two have half the samples of the others, or fewer. */
function mostLevel4(header: ImageHeader): number {
  const { width, height, bands } = header;
  const whole = detailsOf(header).subsampling === "none" ? bands : bands - 1;
  return Math.ceil((width * height * whole) / 16);
}
/** Whether a read that begins the sidecar makes the level at 1/4 with it. */
export const beginsLevel4 = (header: ImageHeader) => mostLevel4(header) <= mostBegun;

/** Windows of all scans, a row of MCUs as coefficients of 2 bytes, and the blocks being written. */
function transcodeMemory(header: ImageHeader): number {
  if (!isProgressive(header)) return 0;
  return 8 * 2 ** 20 + 2 * header.width * detailsOf(header).mcuHeight * header.bands;
}

/** As `SidecarFormat.nsPerPixel` promises: a baseline transcode of all scans, or one pass over the codes, with the level at 1/4 or without. */
export function sidecarNsPerPixel(header: ImageHeader, allParts: boolean): number {
  if (isProgressive(header)) return 15;
  return allParts ? 5 : 2;
}

/** Estimated peak bytes of building a sidecar: a window of the file, tables, rows at 1/2, and reduced levels. */
export function sidecarMemory(header: ImageHeader, allParts: boolean): number {
  const planes = allParts ? Math.min(level4Limit, mostLevel4(header)) : 0;
  // the entry is a copy of the levels
  return 12 * 2 ** 20 + 2 * smallLevelBytes(header) + planes + transcodeMemory(header);
}
