// Properties that follow from the header and the length of a JPEG file: how it is read, the layers of its
// sidecar, and the maximum memory for both, whatever a slot contains.

import type { Reduction, SidecarLayer, SidecarUse } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { detailsOf } from "./markers/header.ts";

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
 * Implements `SidecarFormat.use`. A progressive file is shown from its DC scans at 1/8, and from its
 * transcode otherwise.
 */
export function sidecarUse(read: ReadRequest, fileSize: number, room: number): SidecarUse | undefined {
  const { header, scaleFactor } = read;
  if (
    isProgressive(header) &&
    scaleFactor === 8 &&
    canHaveSidecar(header, fileSize, Number.POSITIVE_INFINITY)
  )
    return { layers: ["overview", "ground"], way: "begin" };
  if (!canHaveSidecar(header, fileSize, room)) return undefined;
  const faster = levelFor(read);
  return {
    layers: ["ground"],
    way: isProgressive(header) ? "wait" : "begin",
    ...(faster && levelsOf(header, fileSize, room).includes(faster) && { faster }),
  };
}

/** Implements `SidecarFormat.layers`. */
export function sidecarLayers(header: ImageHeader, fileSize: number, room: number): readonly SidecarLayer[] {
  if (!canHaveSidecar(header, fileSize, room))
    return canHaveSidecar(header, fileSize, Number.POSITIVE_INFINITY) ? ["overview"] : [];
  return ["ground", ...levelsOf(header, fileSize, room)];
}

/** A level that is built when readers zoom in. */
export type ZoomLevel = Extract<SidecarLayer, "level4" | "level2">;

/** Returns the level that has the samples of a read; undefined if there is none. */
function levelFor({ header, scaleFactor, halvesColour, halvesSize }: ReadRequest): ZoomLevel | undefined {
  if (scaleFactor === level4Scale && isFiltered(header, halvesColour)) return "level4";
  return scaleFactor === 1 && halvesSize && halvesColour && isFiltered(header, true) ? "level2" : undefined;
}

/**
 * Returns the levels that a file may have. The one at 1/2 takes about 0.2 bytes per pixel; files of fewer
 * bytes decode quickly anyway.
 */
function levelsOf(header: ImageHeader, fileSize: number, room: number): readonly ZoomLevel[] {
  const pixels = header.width * header.height;
  if (!isFiltered(header, true) || pixels / 5 > fileSize) return [];
  return (["level4", "level2"] as const).filter((level) => maxLevel(header, level) <= room);
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

/** Returns the maximum bytes of a level, with colour at half size; noise takes more than its samples. */
function maxLevel({ width, height, bands }: ImageHeader, level: ZoomLevel): number {
  const samples = level === "level2" ? (width * height) / 4 : (width * height) / 16;
  return Math.ceil(samples * (bands === 1 ? 1 : level === "level2" ? 1.5 : bands) * 1.1);
}

/** Returns the bytes of a row of tiles of a level and of the samples that it is made from. */
const levelRowBytes = ({ width }: ImageHeader) => 2000 * width;

/**
 * Returns the estimated peak bytes of reading a region: planes, pixels, margins, reduced levels and, for a
 * progressive file, the memory for transcoding, which this read alone may need.
 */
export function regionMemory({ header, region, scaleFactor }: ReadRequest): number {
  const side = (length: number) => Math.ceil(length / scaleFactor) + 64;
  const samples = side(region.width) * side(region.height) * header.bands;
  // at 1/4, four samples at 1/2 become one
  const planes = scaleFactor === level4Scale ? 8 : 3;
  return planes * samples + smallLevelBytes(header) + transcodeMemory(header) + 16 * 2 ** 20;
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
 * Returns the bytes that transcoding needs: windows of all scans, a row of MCUs as coefficients of 2 bytes,
 * and the blocks being written.
 */
function transcodeMemory(header: ImageHeader): number {
  if (!isProgressive(header)) return 0;
  return 8 * 2 ** 20 + 2 * header.width * detailsOf(header).mcuHeight * header.bands;
}

/** Nanoseconds per pixel of the master that the layers take; those of `ground` in one pass over the codes. */
const layerNs: Readonly<Record<SidecarLayer, number>> = {
  ground: 1.5,
  overview: 3,
  level4: 4,
  level2: 7,
  pyramid: 0,
};

/** Implements `SidecarFormat.nsPerPixel`. */
export const sidecarNsPerPixel = (header: ImageHeader, layer: SidecarLayer): number =>
  layer === "ground" && isProgressive(header) ? 15 : layerNs[layer];

/** Implements `SidecarFormat.nsWithout`: a read makes what a pass makes. */
export const nsWithout = ({ header, scaleFactor }: Pick<ReadRequest, "header" | "scaleFactor">) =>
  header.width *
  header.height *
  sidecarNsPerPixel(header, isProgressive(header) && scaleFactor === 8 ? "overview" : "ground");

/**
 * Implements `SidecarFormat.memory`: a window of the file, tables, and the levels below 1/4 twice, since the
 * entry is a copy; or a row of tiles of a level.
 */
export const sidecarMemory = (header: ImageHeader, _fileSize: number, layer: SidecarLayer): number =>
  layer === "level4" || layer === "level2"
    ? 16 * 2 ** 20 + levelRowBytes(header)
    : 12 * 2 ** 20 + 2 * smallLevelBytes(header) + transcodeMemory(header);
