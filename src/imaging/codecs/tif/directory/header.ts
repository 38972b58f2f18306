// Header facts of a TIFF page, and its stored pyramid levels.

import { type ByteSource, ImagingError } from "../../../../base/index.ts";
import { isWhite } from "../../../colour/matrix.ts";
import { colourFacts, joinPieces } from "../../../metadata/colour.ts";
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
  streamBytes,
  type TiffFile,
} from "./ifd.ts";
import type { FindPages } from "./page-tables.ts";
import { MAX_LEVELS, type PageTable } from "./pages.ts";
import { photometrics } from "./photometrics.ts";
import type { Picture } from "./picture.ts";
import { readPicture } from "./read-picture.ts";
import { scaleOf } from "./scale.ts";
import { hasTiles, stageFacts, stageOf, storesLevels } from "./stages.ts";
import { tags } from "./tags.ts";

/** Maximum number of SubIFDs of a page; a page with more has no levels in them. */
const MAX_SUBIFDS = 1024;

/**
 * Returns the header facts of a page (1-based). `find` and `version` as in {@link FindPages}. Throws
 * ImagingError `decode` if the file is damaged, `not-found` with code page_not_found if there is no such
 * page.
 */
export async function probeTiff(
  bytes: ByteSource,
  page: number,
  find: FindPages,
  version?: string,
): Promise<ImageHeader> {
  const file = await openTiff(bytes, true);
  const table = await find(file, version);
  const pages = table.offsets.length;
  if (!Number.isInteger(page) || page < 1 || page > pages)
    throw new ImagingError(
      "not-found",
      `Expected a page from 1 to ${pages} of this image, received ${page}.`,
      {
        code: "page_not_found",
      },
    );
  const found = await readPage(file, table, page);
  const stored = await readStored(bytes, file, table, found);
  const { directory } = found;
  const colour = await readColour(file, directory, stored.interpretation);
  const labWhite =
    stored.interpretation === "lab" &&
    (await readNumber(file, directory, tags.PhotometricInterpretation)) === 8
      ? await readWhite(file, directory)
      : undefined;
  const isCut = await endsBefore(file, [...found.reduced, directory]);
  return {
    ...stored,
    resolution: await readResolution(file, directory),
    ...(colour ? { colour } : {}),
    ...(labWhite ? { labWhite } : {}),
    ...(isCut ? { incomplete: true as const } : {}),
  };
}

/**
 * Yields the facts about the storage of the first `count` pages of a file that has them: all but colours,
 * resolution and completeness. For a damaged page, the ImagingError `decode`.
 */
export async function* probeTiffPages(
  bytes: ByteSource,
  count: number,
  find: FindPages,
  version?: string,
): AsyncGenerator<ImageHeader | ImagingError> {
  const file = await openTiff(bytes, true);
  const table = await find(file, version);
  for (let page = 1; page <= Math.min(count, table.offsets.length); page++)
    try {
      yield await readStored(bytes, file, table, await readPage(file, table, page));
    } catch (error) {
      if (!(error instanceof ImagingError) || error.kind !== "decode") throw error;
      yield error;
    }
}

/** A page and its reduced pictures in the chain. */
interface Page {
  readonly directory: Directory;
  readonly reduced: readonly Directory[];
}

async function readPage(file: TiffFile, { offsets, reduced }: PageTable, page: number): Promise<Page> {
  const directory = await readDirectory(file, offsets[page - 1]!);
  const levels: Directory[] = [];
  for (const offset of reduced.get(page - 1) ?? []) levels.push(await readDirectory(file, offset));
  return { directory, reduced: levels };
}

/** Returns the facts about the storage of a page. */
async function readStored(
  bytes: ByteSource,
  file: TiffFile,
  { offsets, cut }: PageTable,
  page: Page,
): Promise<ImageHeader> {
  const { directory } = page;
  const picture = await readPicture(file, directory);
  const old = picture.compression === OLD_JPEG && !picture.unsupported;
  const stream = old ? await oldJpegFacts(streamBytes(file, bytes), file, directory, picture) : undefined;
  const { bands, interpretation, unsupported } = stream ?? picture;
  const levels = unsupported || stream ? [] : await readLevels(file, picture, page);
  const orientation = (await readNumber(file, directory, tags.Orientation)) ?? 1;
  const kind = compressions[picture.compression]?.name ?? `compression ${picture.compression}`;
  const all = [{ scale: 1, offset: directory.offset, picture }, ...levels];
  const header: ImageHeader = {
    format: "tif",
    width: picture.width,
    height: picture.height,
    bands,
    depth: picture.depth,
    interpretation,
    ...(picture.bits === 1 && bands === 1 && { bilevel: true as const }),
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    pages: offsets.length,
    ...(cut ? { pagesCut: cut } : {}),
    variant: [file.big ? "BigTIFF" : "", kind, levels.length > 0 ? "pyramid" : ""].filter(Boolean).join(" "),
    ...(picture.tiled ? { tile: { width: picture.blockWidth, height: picture.blockHeight } } : {}),
    ...(unsupported ? { unsupported } : {}),
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
    if (!sub || sub.count > MAX_SUBIFDS) continue;
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
      { icc: joinPieces(file.bytes, [{ offset: profile.at, length: profile.count }]) },
      interpretation,
    );
  try {
    const at = await readNumber(file, directory, tags.ExifIFD);
    if (!at) return undefined;
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
  for (const directory of page.reduced) await consider(async () => directory);
  if (sub && sub.count <= MAX_SUBIFDS) {
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
