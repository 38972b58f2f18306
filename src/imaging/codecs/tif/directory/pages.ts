// The chain of directories as pages, each with its reduced pictures: marked (TIFF 6.0 section 8), an unmarked
// pyramid, or a slide of Aperio.

import { ImagingError } from "../../../errors.ts";
import { type Directory, readDirectory, readNumber, readValues, type TiffFile } from "./ifd.ts";
import { scaleOf } from "./scale.ts";
import { tags } from "./tags.ts";

/** Maximum number of directories followed in the chain; the rest of a longer chain is ignored. */
const MAX_DIRECTORIES = 1024;

/** The parts of a directory in the chain that distinguish pages from levels. */
interface Link {
  readonly directory: Directory;
  readonly width: number;
  readonly height: number;
  readonly tiled: boolean;
  readonly role: "page" | "reduced" | "mask" | "unsaid";
}

export interface Page {
  readonly directory: Directory;
  readonly reduced: readonly Directory[];
}

/** Returns the pages of a file, at least one. Throws ImagingError `decode`. */
export async function readPages(file: TiffFile): Promise<readonly Page[]> {
  const links = await followChain(file);
  return group(links, (await isAperio(file, links)) ? aperioLevels : markedLevels(links));
}

async function followChain(file: TiffFile): Promise<Link[]> {
  const links: Link[] = [];
  const seen = new Set<number>();
  for (let offset = file.first; offset !== 0 && links.length < MAX_DIRECTORIES && !seen.has(offset); ) {
    seen.add(offset);
    try {
      const link = await readLink(file, offset);
      links.push(link);
      offset = link.directory.next;
    } catch (error) {
      // Sound pages before a damaged one are served.
      if (links.length > 0 && error instanceof ImagingError && error.kind === "decode") break;
      throw error;
    }
  }
  if (links.length === 0)
    throw new ImagingError(
      "decode",
      "Expected at least one image in the TIFF file, received none; check or replace the file.",
    );
  return links;
}

async function readLink(file: TiffFile, offset: number): Promise<Link> {
  const directory = await readDirectory(file, offset);
  const subfile = await readNumber(file, directory, tags.NewSubfileType);
  const older = await readNumber(file, directory, tags.SubfileType);
  const flags = subfile ?? 0;
  const role =
    flags & 4
      ? "mask"
      : flags & 1 || older === 2
        ? "reduced"
        : flags & 2 || older === 3 || older === 1
          ? "page"
          : "unsaid";
  return {
    directory,
    width: (await readNumber(file, directory, tags.ImageWidth)) ?? 0,
    height: (await readNumber(file, directory, tags.ImageLength)) ?? 0,
    tiled: directory.entries.has(tags.TileWidth),
    role,
  };
}

/** Index of the page that a link is a level of; undefined for a page of its own, "none" for neither. */
type LevelOf = (link: Link, pages: readonly Link[]) => number | undefined | "none";

/** Groups the chain into pages, each with the reduced pictures that belong to it. */
function group(links: readonly Link[], levelOf: LevelOf): Page[] {
  const pages: Link[] = [];
  const reduced: Directory[][] = [];
  for (const link of links) {
    const page = pages.length === 0 ? undefined : levelOf(link, pages);
    if (page === undefined) reduced[pages.push(link) - 1] = [];
    else if (page !== "none") reduced[page]?.push(link.directory);
  }
  return pages.map(({ directory }, i) => ({ directory, reduced: reduced[i]! }));
}

/**
 * Levels that are marked follow their page. Unmarked ones are in tiles, like their page, or each is half the
 * one before.
 */
function markedLevels(links: readonly Link[]): LevelOf {
  const halving = isHalving(links);
  return (link, pages) => {
    if (link.role === "reduced" || halving) return pages.length - 1;
    if (link.role === "mask") return "none";
    const tiled = link.role === "unsaid" && link.tiled ? pages.findLastIndex((page) => page.tiled) : -1;
    return tiled >= 0 && scaleOf(pages[tiled]!, link) !== undefined ? tiled : undefined;
  };
}

/**
 * Slides of Aperio mark their label and macro as reduced, and not their levels ("Digital Slides and
 * Third-Party Data Interchange", revision C, page 14): "The first image in an SVS file is always the baseline
 * image", and intermediate images "have a tiled organization", whereas thumbnail, label and macro are
 * "always stripped".
 */
const aperioLevels: LevelOf = (link, [first]) =>
  first && link.tiled && scaleOf(first, link) !== undefined ? 0 : undefined;

const aperioMark = "Aperio";

/** True if the first picture is in tiles and its description one of Aperio's. */
async function isAperio(file: TiffFile, [first]: readonly Link[]): Promise<boolean> {
  const description = first?.directory.entries.get(tags.ImageDescription);
  if (!first?.tiled || !description || description.count < aperioMark.length) return false;
  // Text is stored like bytes (TIFF 6.0 page 15).
  const text = await readValues(file, { ...description, type: 1 }, 0, aperioMark.length).catch(() => []);
  return String.fromCharCode(...text) === aperioMark;
}

/**
 * True if the chain is an unmarked pyramid: at least three directories, of which every one is half the one
 * before, rounded up or down. Two may be pages of which one happens to have half the size.
 */
function isHalving(links: readonly Link[]): boolean {
  const half = (whole: number, part: number) =>
    part === Math.max(1, Math.floor(whole / 2)) || part === Math.ceil(whole / 2);
  if (links.length < 3) return false;
  return links.every((link, i) => {
    const before = links[i - 1];
    return (
      link.role === "unsaid" &&
      (!before ||
        (half(before.width, link.width) &&
          half(before.height, link.height) &&
          (link.width < before.width || link.height < before.height)))
    );
  });
}
