// Header facts of a TIFF page, and its stored pyramid levels.

import { isWhite } from "../../../colour/matrix.ts";
import { ImagingError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import { colourFacts, piecewise } from "../../../metadata/colour.ts";
import type { Interpretation } from "../../../pipeline/pixels.ts";
import type { ImageHeader, Resolution } from "../../image-header.ts";
import { compressions, OLD_JPEG } from "../compression/compression.ts";
import { oldJpegFacts } from "../old-jpeg/reading.ts";
import {
  type Directory,
  openTiff,
  readDirectory,
  readField,
  readNumber,
  readValues,
  type TiffFile,
} from "./ifd.ts";
import { type Page, readPages } from "./pages.ts";
import { photometrics } from "./photometrics.ts";
import type { Picture } from "./picture.ts";
import { readPicture } from "./read-picture.ts";
import { scaleOf } from "./scale.ts";
import { hasTiles, stageFacts, stageOf, storesLevels } from "./stages.ts";
import { tags } from "./tags.ts";

const MAX_LEVELS = 32;

/**
 * Returns the header facts of a page (1-based). Throws ImagingError `decode` when the file is damaged,
 * `not-found` with code page_not_found when there is no such page.
 */
export async function probeTiff(bytes: ByteSource, page: number): Promise<ImageHeader> {
  const file = await openTiff(bytes);
  const pages = await readPages(file);
  const found = pages[page - 1];
  if (!found)
    throw new ImagingError(
      "not-found",
      `Expected a page from 1 to ${pages.length} of this image, received ${page}.`,
      { code: "page_not_found" },
    );
  const { directory } = found;
  const picture = await readPicture(file, directory);
  const old = picture.compression === OLD_JPEG && !picture.unsupported;
  const stream = old ? await oldJpegFacts(bytes, file, directory, picture) : undefined;
  const { bands, interpretation, unsupported } = stream ?? picture;
  const levels = unsupported || stream ? [] : await readLevels(file, picture, found);
  const orientation = (await readNumber(file, directory, tags.Orientation)) ?? 1;
  const kind = compressions[picture.compression]?.name ?? `compression ${picture.compression}`;
  const colour = await readColour(file, directory, interpretation);
  const labWhite = picture.photometric === 8 ? await readWhite(file, directory) : undefined;
  const all = [{ scale: 1, offset: directory.offset, picture }, ...levels];
  const isCut = await endsBefore(file, [...found.reduced, directory]);
  const header: ImageHeader = {
    format: "tif",
    width: picture.width,
    height: picture.height,
    bands,
    depth: picture.depth,
    interpretation,
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    pages: pages.length,
    variant: [file.big ? "BigTIFF" : "", kind, levels.length > 0 ? "pyramid" : ""].filter(Boolean).join(" "),
    resolution: await readResolution(file, directory),
    ...(picture.tiled ? { tile: { width: picture.blockWidth, height: picture.blockHeight } } : {}),
    ...(colour ? { colour } : {}),
    ...(labWhite ? { labWhite } : {}),
    ...(unsupported ? { unsupported } : {}),
    ...(isCut ? { incomplete: true as const } : {}),
    details: {
      ...stream?.details,
      photometric: photometrics[picture.photometric]?.name ?? `${picture.photometric}`,
      ...stageFacts(all.map((level) => stageOf(level.scale, level.offset, level.picture))),
    },
  };
  return storesLevels(header) && hasTiles(header) ? { ...header, scalable: true } : header;
}

/**
 * True if the file ends before a profile, a level or a directory that one of a page's directories refers to.
 */
async function endsBefore(file: TiffFile, directories: readonly Directory[]): Promise<boolean> {
  const { size = Number.POSITIVE_INFINITY } = file.bytes;
  for (const { next, entries } of directories) {
    const profile = entries.get(tags.InterColorProfile);
    if (next >= size || (profile && profile.at + profile.count > size)) return true;
    const sub = entries.get(tags.SubIFDs);
    if (!sub || sub.count > 1024) continue;
    const offsets = await readValues(file, sub, 0, Math.min(sub.count, MAX_LEVELS)).catch(() => [size]);
    if (offsets.some((offset) => offset >= size)) return true;
  }
  return false;
}

/** Returns the embedded profile, else the colour space of the EXIF directory. */
async function readColour(file: TiffFile, directory: Directory, interpretation: Interpretation) {
  const profile = directory.entries.get(tags.InterColorProfile);
  if (profile)
    return colourFacts(
      { icc: piecewise(file.bytes, [{ offset: profile.at, length: profile.count }]) },
      interpretation,
    );
  const at = await readNumber(file, directory, tags.ExifIFD).catch(() => undefined);
  if (!at) return undefined;
  try {
    const space = await readNumber(file, await readDirectory(file, at), tags.ColorSpace);
    const colour = space === 1 ? "srgb" : space === 2 ? "adobe-rgb" : undefined;
    return colourFacts({ exif: { colour } }, interpretation);
  } catch (error) {
    if (error instanceof ImagingError && error.kind === "decode") return undefined; // damaged: absent
    throw error;
  }
}

/** White points this near D50 are D50 with other decimals. */
const sameWhite = 0.001;

/**
 * Returns the white of CIELab samples (TIFF 6.0 section 23), if it differs from D50. Impossible values are
 * ignored.
 */
async function readWhite(
  file: TiffFile,
  directory: Directory,
): Promise<readonly [number, number] | undefined> {
  const [x = 0, y = 0] = (await readField(file, directory, tags.WhitePoint, 2).catch(() => undefined)) ?? [];
  const like = Math.abs(x - 0.3457) < sameWhite && Math.abs(y - 0.3585) < sameWhite;
  return !like && isWhite([x, y]) ? [x, y] : undefined;
}

interface Level {
  readonly scale: number;
  readonly offset: number;
  readonly picture: Picture;
}

/**
 * Returns the reduced pictures of a page that have the size of a level and its kind of pixels, by ascending
 * scale.
 */
async function readLevels(file: TiffFile, full: Picture, page: Page): Promise<Level[]> {
  const directories = [...page.reduced.slice(0, MAX_LEVELS)];
  const sub = page.directory.entries.get(tags.SubIFDs);
  const levels: Level[] = [];
  const consider = async (read: () => Promise<Directory>) => {
    try {
      const directory = await read();
      const picture = await readPicture(file, directory);
      const scale = scaleOf(full, picture);
      const alike =
        picture.bands === full.bands &&
        picture.depth === full.depth &&
        picture.interpretation === full.interpretation &&
        picture.compression !== OLD_JPEG &&
        picture.unsupported === undefined;
      if (scale !== undefined && alike && !levels.some((level) => level.scale === scale))
        levels.push({ scale, offset: directory.offset, picture });
    } catch (error) {
      // A damaged level is ignored: the full picture is sound.
      if (!(error instanceof ImagingError) || error.kind !== "decode") throw error;
    }
  };
  for (const directory of directories) await consider(async () => directory);
  if (sub && sub.count <= 1024) {
    const offsets = await readValues(file, sub, 0, Math.min(sub.count, MAX_LEVELS)).catch(
      () => [] as number[],
    );
    for (const offset of offsets) await consider(() => readDirectory(file, offset));
  }
  return levels.sort((a, b) => a.scale - b.scale);
}

/** Returns pixels per centimetre, by unit: inch (the default) or centimetre. */
async function readResolution(file: TiffFile, directory: Directory): Promise<Resolution | undefined> {
  const [x] = (await readField(file, directory, tags.XResolution, 1).catch(() => undefined)) ?? [];
  const [y] = (await readField(file, directory, tags.YResolution, 1).catch(() => undefined)) ?? [];
  const perCentimetre = { 2: 1 / 2.54, 3: 1 }[(await readNumber(file, directory, tags.ResolutionUnit)) ?? 2];
  if (x === undefined || y === undefined || perCentimetre === undefined) return undefined;
  const sound = Number.isFinite(x) && Number.isFinite(y) && x > 0 && y > 0;
  return sound ? { x: x * perCentimetre, y: y * perCentimetre } : undefined;
}
