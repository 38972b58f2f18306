// A page of a folder as the operator sees it: folders, images and other files as the source lists them,
// whatever access rules say.

import { compareNaturally, createLru, ServiceError } from "../../../base/index.ts";
import { checkIdentifier } from "../../../iiif/index.ts";
import type { Sources } from "../../sources/index.ts";
import type { Source, SourceEntry } from "../../sources/source.ts";
import {
  type FolderLocation,
  identifierOf,
  inside,
  isReached,
  locationOf,
  parentOf,
  type Trail,
  trailOf,
} from "../locations.ts";
import type { Search, SearchResult } from "../search/search.ts";

export interface OperatorEntry {
  /** `other`: a file that is no image by its name, or that no identifier can name. */
  readonly kind: "folder" | "image" | "other";
  /** Identifier in requests; only the name if no identifier is possible. */
  readonly identifier: string;
  readonly name: string;
}

export interface OperatorFolder {
  readonly source: Source;
  /** "" is the root. */
  readonly identifier: string;
  readonly trail: Trail;
  readonly entries: readonly OperatorEntry[];
  /** Number of the first of them, from 0. */
  readonly from: number;
  readonly total: number;
  /** Counts of all entries of a folder; absent for a search. */
  readonly counts?: Readonly<Record<OperatorEntry["kind"], number>>;
  /** For a search: whether it is complete, see {@link SearchResult}. */
  readonly found?: Pick<SearchResult, "isCut" | "stoppedAt" | "lack">;
}

export interface OperatorFolderRequest {
  /** Identifier of the folder; "" is the top of the default source. */
  readonly identifier: string;
  /** Index of the first entry; that of the last page if there are fewer. */
  readonly from: number;
  /** Entries of a page. */
  readonly count: number;
  /** Words of a search in the folder and everything below it; empty for the folder itself. */
  readonly words: readonly string[];
  readonly signal?: AbortSignal;
}

export interface OperatorFolders {
  /**
   * Returns one page. Throws `unsupported` (code source_cannot_list) if the source has no listings,
   * `not-found` (code no_such_folder) if there is no such folder, and what the source throws.
   */
  open(request: OperatorFolderRequest): Promise<OperatorFolder>;
}

/** Entries of listings that are remembered, so that the pages of a long folder are pages of one listing. */
const maxEntries = 200_000;
/** How long they are remembered, in milliseconds. */
const cacheMs = 10_000;

interface ListedEntries {
  readonly entries: readonly OperatorEntry[];
  readonly at: number;
}

/** Folders of the sources for the operator. */
export function createOperatorFolders(
  { sources, search }: { readonly sources: Sources; readonly search: Search },
  now = () => performance.now(),
): OperatorFolders {
  const cache = createLru<string, ListedEntries>(maxEntries);

  const listingOf = async (location: FolderLocation): Promise<readonly OperatorEntry[]> => {
    const { source, key } = location;
    const name = `${source.name}\0${key}`;
    const known = cache.get(name);
    if (known && now() - known.at < cacheMs) return known.entries;
    const listed = await source.list?.(key);
    if (!listed) throw source.list ? noFolder() : cannotList(source);
    const entries = entriesIn(sources, location, listed);
    cache.set(name, { entries, at: now() }, entries.length + 1);
    return entries;
  };

  return {
    async open({ identifier, from, count, words, signal }) {
      const location = locationOf(sources, identifier);
      if (!location.source.list) throw cannotList(location.source);
      const isRoot = parentOf(sources, location) === undefined;
      const listing = await listingOf(location);
      const everything = { mayLookInto: () => true, mayHave: () => true, showsHidden: true };
      const found =
        words.length > 0 ? await search.find({ location, isRoot, words, signal, ...everything }) : undefined;
      const entries = found
        ? found.entries.map(({ kind, identifier }) => ({ kind, identifier, name: identifier }))
        : listing;
      const start =
        from < entries.length ? from : Math.max(0, Math.floor((entries.length - 1) / count) * count);
      return {
        source: location.source,
        identifier: isRoot ? "" : identifierOf(location),
        trail: trailOf(sources, location),
        entries: entries.slice(start, start + count),
        from: start,
        total: entries.length,
        ...(found ? { found } : { counts: countsOf(entries) }),
      };
    },
  };
}

const kinds = ["folder", "image", "other"] as const;

/** Folders, images, other files, each in natural order. */
function entriesIn(
  sources: Sources,
  location: FolderLocation,
  listed: readonly SourceEntry[],
): readonly OperatorEntry[] {
  const entries = listed.map(({ name, kind }): OperatorEntry => {
    const inner = inside(location, name);
    const identifier = identifierOf(inner);
    const isNamed =
      isIdentifier(identifier) && isReached(sources, inner, kind === "directory" ? "folder" : "file");
    if (kind === "other" || !isNamed) return { kind: "other", identifier: name, name };
    return { kind: kind === "directory" ? "folder" : "image", identifier, name };
  });
  const rank = (entry: OperatorEntry) => kinds.indexOf(entry.kind);
  return entries.sort((one, other) => rank(one) - rank(other) || compareNaturally(one.name, other.name));
}

/** Systems allow names that no request can ask for. */
function isIdentifier(text: string): boolean {
  try {
    return checkIdentifier(text) === text;
  } catch {
    return false;
  }
}

function countsOf(entries: readonly OperatorEntry[]): Record<OperatorEntry["kind"], number> {
  const counts = { folder: 0, image: 0, other: 0 };
  for (const { kind } of entries) counts[kind]++;
  return counts;
}

const cannotList = ({ name }: Source) =>
  new ServiceError(
    "unsupported",
    `The source ${name} cannot list its images, because a web server has no listings. They are available by their identifiers.`,
    { code: "source_cannot_list" },
  );

const noFolder = () =>
  new ServiceError(
    "not-found",
    "Expected a folder of a source; there is none with this name. Start at the top of the source.",
    { code: "no_such_folder" },
  );
