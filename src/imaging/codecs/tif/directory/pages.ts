// The chain of directories as pages, each with its reduced pictures: marked (TIFF 6.0 section 8), an unmarked
// pyramid, or a slide of Aperio.

import { ImagingError } from "../../../../base/index.ts";
import type { ImageHeader } from "../../image-header.ts";
import { type Directory, readDirectory, readNumber, readValues, type TiffFile } from "./ifd.ts";
import { scaleOf } from "./scale.ts";
import { tags } from "./tags.ts";

/** Maximum number of directories followed in the chain. */
const MAX_DIRECTORIES = 100_000;
/** Maximum number of reduced pictures of a page; further ones are ignored. */
export const MAX_LEVELS = 32;
/** Directories after which the walk lets other work of its thread go first. */
const TOGETHER = 500;

/** Where the pages of a file are: all that has to be remembered of its chain of directories. */
export interface PageTable {
  /** Offsets of the directories of pages, at least one. */
  readonly offsets: Float64Array;
  /** Offsets of the directories of reduced pictures, by the index of their page. */
  readonly reduced: ReadonlyMap<number, readonly number[]>;
  readonly cut?: ImageHeader["pagesCut"];
}

/** Returns the bytes of a table in memory. */
export const weightOf = ({ offsets, reduced }: PageTable): number =>
  256 + offsets.byteLength + 8 * MAX_LEVELS * reduced.size;

/** The parts of a directory in the chain that distinguish pages from levels. */
interface Link {
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  readonly tiled: boolean;
  readonly role: "page" | "reduced" | "mask" | "unsaid";
}

interface Chain {
  readonly links: readonly Link[];
  readonly first: Directory;
  readonly cut?: PageTable["cut"];
}

/** Follows the whole chain, which takes a time in proportion to it. Throws ImagingError `decode`. */
export async function readPageTable(file: TiffFile): Promise<PageTable> {
  const { links, first, cut } = await followChain(file);
  const table = group(links, (await isAperio(file, links, first)) ? aperioLevels : markedLevels(links));
  return cut ? { ...table, cut } : table;
}

async function followChain(file: TiffFile): Promise<Chain> {
  const links: Link[] = [];
  const seen = new Set<number>();
  let first: Directory | undefined;
  let cut: PageTable["cut"];
  for (let offset = file.first; offset !== 0 && !seen.has(offset) && !cut; ) {
    if (links.length === MAX_DIRECTORIES) {
      cut = "limit";
      break;
    }
    seen.add(offset);
    try {
      const directory = await readDirectory(file, offset);
      links.push(await readLink(file, directory));
      first ??= directory;
      offset = directory.next;
    } catch (error) {
      // Sound pages before a damaged one are served.
      if (!first || !(error instanceof ImagingError) || error.kind !== "decode") throw error;
      cut = "damage";
    }
    if (links.length % TOGETHER === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  if (!first)
    throw new ImagingError(
      "decode",
      "Expected at least one image in the TIFF file, received none; check or replace the file.",
    );
  return { links, first, cut };
}

async function readLink(file: TiffFile, directory: Directory): Promise<Link> {
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
    offset: directory.offset,
    width: (await readNumber(file, directory, tags.ImageWidth)) ?? 0,
    height: (await readNumber(file, directory, tags.ImageLength)) ?? 0,
    tiled: directory.entries.has(tags.TileWidth),
    role,
  };
}

/** A page that was found, with its index. */
interface Found {
  readonly link: Link;
  readonly index: number;
}

/** The pages before a link, as far as they matter for it. */
interface Before {
  readonly first: Found;
  readonly last: Found;
  readonly lastTiled?: Found | undefined;
}

/** Returns the page that a link is a level of; undefined for a page of its own, "none" for neither. */
type LevelOf = (link: Link, before: Before) => Found | undefined | "none";

/** Groups the chain into pages, each with the reduced pictures that belong to it. */
function group(links: readonly Link[], levelOf: LevelOf): PageTable {
  const offsets: number[] = [];
  const reduced = new Map<number, number[]>();
  let before: Before | undefined;
  for (const link of links) {
    const page = before && levelOf(link, before);
    if (page === "none") continue;
    if (page) {
      const levels = reduced.get(page.index) ?? [];
      if (levels.length < MAX_LEVELS) reduced.set(page.index, [...levels, link.offset]);
      continue;
    }
    const found = { link, index: offsets.push(link.offset) - 1 };
    before = {
      first: before?.first ?? found,
      last: found,
      lastTiled: link.tiled ? found : before?.lastTiled,
    };
  }
  return { offsets: Float64Array.from(offsets), reduced };
}

/**
 * Levels that are marked follow their page. Unmarked ones are in tiles, like their page, or each is half the
 * one before.
 */
function markedLevels(links: readonly Link[]): LevelOf {
  const halving = isHalving(links);
  return (link, { last, lastTiled }) => {
    if (link.role === "reduced" || halving) return last;
    if (link.role === "mask") return "none";
    if (link.role !== "unsaid" || !link.tiled || !lastTiled) return undefined;
    return scaleOf(lastTiled.link, link) === undefined ? undefined : lastTiled;
  };
}

/**
 * Slides of Aperio mark their label and macro as reduced, and not their levels ("Digital Slides and
 * Third-Party Data Interchange", revision C, page 14): "The first image in an SVS file is always the baseline
 * image", and intermediate images "have a tiled organization", whereas thumbnail, label and macro are
 * "always stripped".
 */
const aperioLevels: LevelOf = (link, { first }) =>
  link.tiled && scaleOf(first.link, link) !== undefined ? first : undefined;

const aperioMark = "Aperio";

/** True if the first picture is in tiles and its description one of Aperio's. */
async function isAperio(file: TiffFile, [first]: readonly Link[], { entries }: Directory): Promise<boolean> {
  const description = entries.get(tags.ImageDescription);
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
