// Facts about an image for manifests: its upright size and its number of pages, from its header alone.

import { forEachConcurrently, ServiceError } from "../../../base/index.ts";
import { splitPage } from "../../../iiif/index.ts";
import { asShown, formats, shownSize } from "../../../imaging/index.ts";
import { type Caller, everythingPublic } from "../../access/access.ts";
import { unnoted } from "../../access/decisions.ts";
import {
  checkMemory,
  checkServable,
  checkSupported,
  describe,
  inspect,
  type Master,
} from "../../images/describe.ts";
import { verdicts } from "../../images/failed-reads.ts";
import type { LookParts } from "../../images/look.ts";
import { withMaster } from "../../images/open.ts";
import { describePages, errorOf, type PageFacts } from "../../images/pages.ts";
import type { Folder, ImageFacts } from "./folder.ts";
import type { ListedFile, Listing } from "./listing.ts";

type ImageHeader = Awaited<ReturnType<typeof describe>>;

/** Images of a folder that are examined simultaneously. */
const atOnce = 16;

/**
 * Returns the facts of one image for any caller: sizes are no secret, since the image information of a gated
 * image is public. Throws `not-found` if there is none, `unsupported` (code unsupported_format) for anything
 * but an image, and temporary errors.
 */
export async function imageFacts(parts: LookParts, caller: Caller): Promise<ImageFacts> {
  const { facts, error } = await lookAt(parts, caller);
  // Many web servers have a page for a folder.
  if (error?.code === "origin_not_image")
    throw new ServiceError("not-found", error.message, { cause: error });
  if (error && (facts.passes || error.code === "unsupported_format")) throw error;
  return facts;
}

/**
 * Examines images of one folder for one caller. Results are cached with the folder if they depend only on its
 * files.
 */
export interface FolderReader {
  /** True if nothing has to be opened for the facts of a file. */
  knows(file: ListedFile): boolean;
  /** The facts of files in their order; undefined for one that is no longer there. */
  facts(files: readonly ListedFile[]): Promise<readonly (ImageFacts | undefined)[]>;
  /** The facts of the pages of a file with several. */
  pages(file: ListedFile, facts: ImageFacts): Promise<readonly ImageFacts[]>;
}

/** A reader of a folder; `callerOf` returns the caller for the file of that name. */
export function readImages(
  parts: LookParts,
  folder: Folder,
  callerOf: (name: string) => Caller,
): FolderReader {
  // A listing says nothing about identifiers that a hook maps.
  const remembers = !parts.hooks?.has("resolve");
  const own = new Map<string, KnownFacts>();
  const findKnown = ({ name }: ListedFile): KnownFacts | undefined =>
    own.get(name) ?? (remembers ? folder.facts.get(name) : undefined);
  const remember = ({ name, validator }: ListedFile, found: KnownFacts) => {
    const { facts, pages = [] } = found;
    const lasts = facts && ![facts, ...pages].some(({ passes }) => passes);
    if (remembers && lasts && validator !== undefined) folder.facts.set(name, { ...found, facts, validator });
    else own.set(name, found);
  };
  /** The latest file with more pages than are kept: sheets are asked for in their order. */
  let latest: { readonly name: string; readonly pages: Promise<readonly ImageFacts[]> } | undefined;
  const readPages = ({ name }: ListedFile, facts: ImageFacts) =>
    pageFacts(parts, callerOf(name), facts, pagesByFile(folder.listing).get(name));
  const look = async (file: ListedFile) => {
    try {
      const { facts } = await lookAt(parts, callerOf(file.name), file.validator);
      remember(file, { facts });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "not-found") throw error;
      remember(file, {});
    }
  };
  return {
    knows: (file) => findKnown(file) !== undefined,
    async facts(files) {
      const missing = files.filter((file) => findKnown(file) === undefined);
      if (missing.length > 0) await forEachConcurrently(missing, atOnce, look);
      return files.map((file) => findKnown(file)?.facts);
    },
    async pages(file, facts) {
      const known = findKnown(file)?.pages;
      if (known) return known;
      if (latest?.name !== file.name) latest = { name: file.name, pages: readPages(file, facts) };
      const pages = await latest.pages;
      if (pages.length <= maxCachedPages) remember(file, { facts, pages });
      return pages;
    },
  };
}

const namedPages = new WeakMap<Listing, ReadonlyMap<string, readonly number[]>>();

/**
 * Returns the numbers of pages by file of which there is an image of that very name, such as `a.tif;2`, which
 * takes precedence.
 */
export function pagesByFile(listing: Listing): ReadonlyMap<string, readonly number[]> {
  const known = namedPages.get(listing);
  if (known) return known;
  const found = new Map<string, number[]>();
  for (const { name } of listing.images) {
    const paged = splitPage(name);
    if (!paged) continue;
    const pages = found.get(paged.identifier) ?? [];
    pages.push(paged.page);
    found.set(paged.identifier, pages);
  }
  namedPages.set(listing, found);
  return found;
}

/** What is known of a file; without facts if it no longer exists. */
interface KnownFacts {
  readonly facts?: ImageFacts;
  readonly pages?: readonly ImageFacts[];
}

/** Pages of one file that are opened simultaneously, if a hook maps each. */
const pagesAtOnce = 4;

/** Maximum of a file's pages in a manifest: as many as are read of a TIFF, and fewer of an animation. */
export const maxPages = 100_000;
const maxFrames = 2000;

/** Returns the number of a file's pages that manifests show. */
export const shownPages = ({ pages, inFolders }: Pick<ImageFacts, "pages" | "inFolders">): number =>
  Math.min(pages, inFolders ? maxPages : maxFrames);

/** Pages of a file that are remembered with its folder. */
const maxCachedPages = 2000;

/** Returns the sentence that says which pages of a file are missing; undefined if it has `count` pages. */
export function cutText(name: string, { pages, cut }: ImageFacts, count: number): string | undefined {
  if (cut === "damage")
    return `${name} is damaged: its pages after page ${count} cannot be found, and are missing here.`;
  return cut === "limit" || count < pages
    ? `Only the first ${count} pages of ${name} are shown: the file has more.`
    : undefined;
}

/**
 * The facts of the pages of an image with several, in their order: of the page `n` of `exceptions`, those of
 * the image with the identifier `name;n`. Throws `not-found` if there is none.
 */
export async function pageFacts(
  parts: LookParts,
  caller: Caller,
  facts: ImageFacts,
  exceptions: readonly number[] = [],
): Promise<readonly ImageFacts[]> {
  const count = shownPages(facts);
  const isMapped = parts.hooks?.has("resolve");
  const found = isMapped ? [] : await factsInFile(parts, caller, facts, count);
  const numbers = isMapped
    ? Array.from({ length: count }, (_, at) => at + 1)
    : exceptions.filter((number) => number <= count);
  await forEachConcurrently(numbers, pagesAtOnce, async (number) => {
    const page = await lookAt(parts, { ...caller, identifier: `${caller.identifier};${number}` });
    // Most pages are of one size, and thousands of them may be remembered.
    found[number - 1] = isAlike(page.facts, facts) ? facts : page.facts;
  });
  return found;
}

/** The facts of the pages of a file, which is opened once. */
async function factsInFile(
  parts: LookParts,
  caller: Caller,
  facts: ImageFacts,
  count: number,
): Promise<ImageFacts[]> {
  const read = async (master: Master): Promise<ImageFacts[]> => {
    const first = await inspect(parts, master, caller.signal);
    const { kinds, kindOf } = await describePages(parts, master, first, count, caller.signal);
    const factsOfKinds = kinds.map((kind) => {
      const own = factsOfPage(parts, master, first, kind);
      return isAlike(own, facts) ? facts : own;
    });
    return kindOf.map((kind) => factsOfKinds[kind]!);
  };
  try {
    return await withMaster(asEveryone(parts), caller, read);
  } catch (error) {
    return new Array<ImageFacts>(count).fill(failedFacts(readable(error)));
  }
}

/** Returns the facts of a page of a file, of which `first` is the header of another. */
function factsOfPage(parts: LookParts, master: Master, first: ImageHeader, page: PageFacts): ImageFacts {
  try {
    if ("error" in page) throw errorOf(page);
    checkSupported(parts, page);
    checkMemory(parts, first.format, master.image.bytes.size ?? 0, page.memory);
    // The label is that of the other page.
    const { pageLabel: _, ...header } = first;
    return shownFacts(parts, { ...header, ...page });
  } catch (error) {
    return failedFacts(readable(error));
  }
}

const isAlike = (one: ImageFacts, other: ImageFacts): boolean =>
  one.size?.width === other.size?.width &&
  one.size?.height === other.size?.height &&
  one.orientation === other.orientation &&
  one.pageLabel === other.pageLabel &&
  one.problem === other.problem &&
  one.passes === other.passes;

interface LookResult {
  readonly facts: ImageFacts;
  readonly error?: ServiceError;
}

async function lookAt(parts: LookParts, caller: Caller, validator?: string): Promise<LookResult> {
  const everyone = asEveryone(parts);
  const look = async (master: Master) => {
    // The source remembers an earlier state than the listing.
    if (validator !== undefined && master.validator !== validator) master.source.forget?.(master.key);
    const header = await describe(parts, master, caller.signal);
    return { facts: servedFacts(parts, master, header), of: master.validator };
  };
  try {
    const { facts, of } = await withMaster(everyone, caller, look);
    if (validator === undefined || of === validator) return { facts };
    return { facts: (await withMaster(everyone, caller, look)).facts };
  } catch (thrown) {
    const error = readable(thrown);
    return { facts: failedFacts(error), error };
  }
}

const asEveryone = (parts: LookParts): LookParts => ({
  ...parts,
  access: everythingPublic,
  decisions: unnoted,
});

/** Returns an error about an image itself. Throws any other. */
function readable(error: unknown): ServiceError {
  if (!(error instanceof ServiceError)) throw error;
  if (error.kind === "not-found" || error.kind === "cancelled" || error.kind === "hook") throw error;
  return error;
}

/** Returns the facts of an image that cannot be shown. */
function failedFacts({ kind, message }: ServiceError): ImageFacts {
  return { problem: message, pages: 1, ...(!verdicts.has(kind) && { passes: true }) };
}

/** Returns the facts of a supported image. Throws as {@link checkServable} does. */
function servedFacts(parts: LookParts, master: Master, header: ImageHeader): ImageFacts {
  checkServable(parts, master, header);
  return shownFacts(parts, header);
}

function shownFacts(parts: LookParts, header: ImageHeader): ImageFacts {
  const size = shownSize(header, parts.policy);
  const { orientation } = asShown(header, parts.policy);
  const pages = Math.max(1, header.pages);
  const inFolders = pages > 1 && formats[header.format]?.read?.hasSheets;
  const cut = header.pagesCut ?? (!inFolders && pages > maxFrames ? "limit" : undefined);
  return {
    size,
    ...(orientation > 1 && { orientation }),
    pages,
    ...(inFolders && { inFolders }),
    ...(header.pageLabel !== undefined && { pageLabel: header.pageLabel }),
    ...(cut && { cut }),
  };
}
