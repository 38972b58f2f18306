// The paths of the services of Content Search 2.0 and 1.0, which no other file spells out: one for each
// manifest, version of it and version of the service, since responses name canvases by the ids of the
// manifest that names the service.

import {
  encodeSegments,
  inVersion,
  type PresentationPath,
  type PresentationVersion,
  presentationPaths,
} from "../presentation/mounts.ts";

/** Supported versions of the Content Search API: 2.0 and 1.0. */
export type SearchVersion = 1 | 2;

/** The two services of a manifest. */
export type SearchKind = "search" | "autocomplete";

/** Folders of the services; a version of the service and one of the manifest follow. */
export const searchFolders: Readonly<Record<SearchKind, string>> = {
  search: "/iiif/search/",
  autocomplete: "/iiif/autocomplete/",
};

/** A service of a manifest. */
export interface SearchLocation {
  readonly kind: SearchKind;
  readonly search: SearchVersion;
  /** Version of the manifest that names the service. */
  readonly presentation: PresentationVersion;
  /** Identifier of the manifest, as in its address. */
  readonly id: string;
}

type Pair = Pick<SearchLocation, "search" | "presentation">;

/** Versions of the service and of the manifest that names it; clients of 2.1 know Search 1 alone. */
const pairs = [
  { search: 2, presentation: 3 },
  { search: 1, presentation: 3 },
  { search: 1, presentation: 2 },
] as const satisfies readonly Pair[];

const prefixOf = (kind: SearchKind, { search, presentation }: Omit<SearchLocation, "id" | "kind">) =>
  `${searchFolders[kind]}${search}/presentation/${presentation}`;

/**
 * Returns the address of a service, without a query string: clients append their own (UV and Mirador without
 * looking for one). `base`: the public URL of the service, without a trailing /.
 */
export function searchAddress(base: string, location: SearchLocation): string {
  return `${base}${prefixOf(location.kind, location)}/${encodeSegments(location.id)}`;
}

/** A service that a path names, with the documents that it may mean. */
export interface SearchPath extends Pair {
  readonly kind: SearchKind;
  /** Readings of the manifest, the most likely first. */
  readonly documents: readonly PresentationPath[];
}

/**
 * Returns the service that a raw path names (still encoded, without its query); undefined for any other path.
 * Throws ServiceError as `presentationPaths` does.
 */
export function readSearchPath(rawPath: string): SearchPath | undefined {
  for (const kind of Object.keys(searchFolders) as SearchKind[])
    for (const pair of pairs) {
      const prefix = `${prefixOf(kind, pair)}/`;
      if (!rawPath.startsWith(prefix)) continue;
      const documents = presentationPaths(rawPath.slice(prefix.length)).filter(
        ({ id, piece, extent }) => id !== "" && piece === undefined && typeof extent === "string",
      );
      return documents.length > 0 ? { kind, ...pair, documents } : undefined;
    }
  return undefined;
}

/**
 * Returns the address of a document or of a Search 1 service in another version of the manifest; all others
 * unchanged.
 */
export function searchInVersion(address: string, base: string, version: PresentationVersion): string {
  for (const kind of Object.keys(searchFolders) as SearchKind[])
    for (const { search, presentation } of pairs) {
      const start = `${base}${prefixOf(kind, { search, presentation })}/`;
      const isOffered = pairs.some((pair) => pair.search === search && pair.presentation === version);
      if (isOffered && address.startsWith(start))
        return `${base}${prefixOf(kind, { search, presentation: version })}/${address.slice(start.length)}`;
    }
  return inVersion(address, base, version);
}
