// What follows from the header and the length of a JPEG file alone: how it is read, what its sidecar may have, and the memory
// that this takes at most, whatever a slot holds.

import type { Reduction, SidecarAccess, SidecarWay } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { detailsOf } from "./markers/header.ts";

/** The largest level at 1/4 that is stored. */
const level4Limit = 64 * 2 ** 20;
/** It takes at most this many times the bytes of the file: files of few bytes decode quickly anyway. */
const mostOfFile = 4;
/** The largest level at 1/4 that a read makes while it begins the sidecar: larger ones would not fit small memory budgets. */
const mostBegun = 24 * 2 ** 20;

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

/** Whether the sidecar of a file with this header has the level at 1/4; an unknown size counts as large. */
function hasLevel4(header: ImageHeader, fileSize = Number.POSITIVE_INFINITY): boolean {
  const most = Math.min(level4Limit, 2 ** 20 + mostOfFile * fileSize);
  return isFiltered(header, true) && mostLevel4(header) <= most;
}

/** Whether a job that builds a sidecar makes the level at 1/4: its memory allows that, and there is room for the blocks. */
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

/** Whether a read that begins the sidecar makes the level at 1/4 with it, so that one pass makes all. */
export const beginsLevel4 = (header: ImageHeader, fileSize?: number) =>
  !isProgressive(header) && hasLevel4(header, fileSize) && mostLevel4(header) <= mostBegun;

/**
 * Estimated peak bytes of reading a region: planes, pixels, margins, reduced levels, and for a progressive file what transcoding
 * takes, since this read alone may need that.
 */
export function regionMemory({ header, region, scaleFactor }: ReadRequest): number {
  const side = (length: number) => Math.ceil(length / scaleFactor) + 64;
  const samples = side(region.width) * side(region.height) * header.bands;
  // at 1/4 four samples at 1/2 become one
  const planes = scaleFactor === level4Scale ? 8 : 3;
  const begun = beginsLevel4(header) ? mostLevel4(header) : 0;
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

/** Windows of all scans, a row of MCUs as coefficients of 2 bytes, and the blocks being written. */
function transcodeMemory(header: ImageHeader): number {
  if (!isProgressive(header)) return 0;
  return 8 * 2 ** 20 + 2 * header.width * detailsOf(header).mcuHeight * header.bands;
}

/** As `SidecarFormat.nsPerPixel` promises: of a baseline transcode, or of one pass over the codes with the level at 1/4 or without. */
export function sidecarNsPerPixel(header: ImageHeader): number {
  if (isProgressive(header)) return 15;
  return hasLevel4(header) ? 2 : 1;
}

/** As `SidecarFormat.memory` promises. */
export function sidecarMemory(
  header: ImageHeader,
  fileSize: number | undefined,
  allows: (bytes: number) => boolean,
): number {
  const least = leastMemory(header);
  const full = least + mostLevel4(header);
  return hasLevel4(header, fileSize) && allows(full) ? full : least;
}

/** A window of the file, tables, rows at 1/2, and the levels below 1/4, of which the entry is a copy. */
const leastMemory = (header: ImageHeader) =>
  12 * 2 ** 20 + 2 * smallLevelBytes(header) + transcodeMemory(header);
