// The images of a folder as one caller may know them, with the consecutive pages of those that have several.

import { forEachConcurrently } from "../../../base/index.ts";
import type { Caller } from "../../access/access.ts";
import type { LookParts } from "../../images/look.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folder, ImageFacts } from "../folders/folder.ts";
import { cutText, type FolderReader, maxPages, readImages, shownPages } from "../folders/image-facts.ts";
import type { ListedFile, Listing } from "../folders/listing.ts";
import type { Gate, Pass } from "../gate.ts";
import { type FolderLocation, identifierOf, inside, isReached } from "../locations.ts";
import type { PresentationOptions } from "../options.ts";

/** An image of a folder with its identifier. */
export interface FolderImage extends ListedFile {
  readonly identifier: string;
  /** According to its name. */
  readonly mayHaveSheets: boolean;
}

/** An image, or a page of one, that the caller may know of. */
export interface Sheet {
  readonly file: FolderImage;
  /** From 1; absent for a file of one page. */
  readonly page?: number;
  readonly identifier: string;
  readonly pass: Pass;
}

const reached = new WeakMap<Listing, readonly FolderImage[]>();

const isPdf = ({ name }: ListedFile) => /\.pdf$/i.test(name);

/**
 * Returns the images of a folder that requests reach under the identifiers of its listing. A PDF next to
 * other images is usually a copy of them: below the top of a source it is no image of its folder then, like
 * an archive.
 */
export function imagesOf(
  sources: Sources,
  location: FolderLocation,
  { listing }: Pick<Folder, "listing">,
): readonly FolderImage[] {
  const known = reached.get(listing);
  if (known) return known;
  const leavesOut = location.key !== "" && !listing.images.every(isPdf);
  const found = listing.images
    .filter((file) => !(leavesOut && isPdf(file)))
    .filter(({ name }) => isReached(sources, inside(location, name), "file"))
    .map((file) => ({
      ...file,
      identifier: identifierOf(inside(location, file.name)),
      mayHaveSheets: /\.(?:tiff?|pdf)$/i.test(file.name),
    }));
  reached.set(listing, found);
  return found;
}

/** A reader of images of a folder for one caller. */
export function readerOf(
  parts: LookParts,
  location: FolderLocation,
  folder: Folder,
  caller: Caller,
): FolderReader {
  const callerOf = (name: string) => ({ ...caller, identifier: identifierOf(inside(location, name)) });
  return readImages(parts, folder, callerOf);
}

/** Images of one document about which a hook is asked simultaneously. */
const decidedAtOnce = 8;

/** Images that are looked at together. */
const batch = 100;

/** Files of which a manifest says that pages are missing. */
const maxNotes = 10;

interface Room {
  left: number;
}

export interface SheetsParts {
  readonly images: Pick<LookParts, "hooks">;
  readonly options: Pick<PresentationOptions, "pages">;
}

/** The sheets of images of a folder. */
export interface Sheets {
  /** Number of files that they come from. */
  readonly files: number;
  /** Returns the authorization services of one of the files for each rule; empty if none is gated. */
  auths(): readonly (readonly object[])[];
  /** True if no file has to be opened for its facts in manifests. */
  areRead(): boolean;
  /** True if all are known without opening a file. */
  areKnown(): boolean;
  /** All of them. The gate is asked about each. */
  all(): Promise<readonly Sheet[]>;
  /** Returns sentences about files of which `all` or `batches` has left out pages. */
  notes(): readonly string[];
  /** Yields all sheets in their order, a few at a time; files are opened only for those that come next. */
  batches(): AsyncIterable<readonly Sheet[]>;
}

/** The sheets of images that a caller may know of. The gate is asked about each image before it returns. */
export async function sheetsOf(
  { images, options }: SheetsParts,
  files: readonly FolderImage[],
  reader: FolderReader,
  gate: Gate,
): Promise<Sheets> {
  const isHooked = images.hooks?.has("authorize") === true;
  const listed = await listSheets(files, gate, isHooked);
  const mayHavePages = ({ mayHaveSheets }: FolderImage) => mayHaveSheets && options.pages === "all";

  const cuts = new Map<string, string>();
  /** `room`: pages after the first of each file that the sheets may still have together. */
  const expand = async (some: readonly Sheet[], room: Room): Promise<readonly Sheet[]> => {
    const paged = some.filter(({ file }) => mayHavePages(file)).map(({ file }) => file);
    if (paged.length === 0) return some;
    const found = await reader.facts(paged);
    const facts = new Map(paged.map((file, at) => [file, found[at]]));
    const sheets: Sheet[] = [];
    for (const one of some) {
      const own = facts.get(one.file);
      const count = Math.min(pagesInFolder(own), 1 + room.left);
      room.left -= count - 1;
      const cut = own?.inFolders && cutText(one.file.name, own, count);
      if (cut) cuts.set(one.file.name, cut);
      if (!own?.inFolders) sheets.push(one);
      else for (const page of await pagesOf(one.file, count, gate, isHooked)) sheets.push(page);
    }
    return sheets;
  };
  let all: Promise<readonly Sheet[]> | undefined;
  return {
    files: listed.length,
    areRead: () => listed.every(({ file }) => reader.knows(file)),
    auths: () => {
      const passes = new Map(listed.map(({ pass }) => [pass.requirement, pass]));
      return [...passes.values()].flatMap(({ services }) => (services ? [services()] : []));
    },
    areKnown: () => listed.every(({ file }) => !mayHavePages(file) || reader.knows(file)),
    all() {
      all ??= expand(listed, { left: maxPages });
      return all;
    },
    notes: () => [...cuts.values()].slice(0, maxNotes),
    async *batches() {
      const whole = await all;
      if (whole) return yield* slices(whole);
      const room = { left: maxPages };
      for (const some of slices(listed)) yield* slices(await expand(some, room));
    },
  };
}

function* slices<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += batch) yield list.slice(at, at + batch);
}

const publicSheets = new WeakMap<readonly FolderImage[], readonly Sheet[]>();

/** The images that the caller may know of, each as one sheet. */
async function listSheets(
  files: readonly FolderImage[],
  gate: Gate,
  isHooked: boolean,
): Promise<readonly Sheet[]> {
  const common = gate.passForAll();
  const known = common && publicSheets.get(files);
  if (known) return known;
  const identifiers = files.map(({ identifier }) => identifier);
  const passes = common ? [] : await passesOf(identifiers, gate, isHooked);
  const sheets = files
    .map((file, at) => ({ file, identifier: file.identifier, pass: common ?? (passes[at] as Pass) }))
    .filter(({ pass }) => pass.listed);
  if (common) publicSheets.set(files, sheets);
  return sheets;
}

/** Frames of animations are no pages of a folder. */
const pagesInFolder = (facts: ImageFacts | undefined) => (facts?.inFolders ? shownPages(facts) : 1);

async function pagesOf(
  file: FolderImage,
  count: number,
  gate: Gate,
  isHooked: boolean,
): Promise<readonly Sheet[]> {
  const identifiers = Array.from({ length: count }, (_, at) => `${file.identifier};${at + 1}`);
  const passes = await passesOf(identifiers, gate, isHooked);
  return identifiers
    .map((identifier, at) => ({ file, page: at + 1, identifier, pass: passes[at] as Pass }))
    .filter(({ pass }) => pass.listed);
}

async function passesOf(
  identifiers: readonly string[],
  gate: Gate,
  isHooked: boolean,
): Promise<readonly Pass[]> {
  const passes: Pass[] = [];
  if (isHooked)
    await forEachConcurrently(identifiers.entries(), decidedAtOnce, async ([at, identifier]) => {
      passes[at] = await gate.pass(identifier);
    });
  else
    for (const identifier of identifiers) {
      const pass = gate.pass(identifier);
      // Waits only for promises: not at all if everything is public, and once for each profile.
      passes.push(pass instanceof Promise ? await pass : pass);
    }
  return passes;
}
