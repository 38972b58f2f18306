// Keys below archives: the part that names the archive, and the path of a member or folder in it.

import { plainSegments } from "../../../base/index.ts";
import type { Source } from "../source.ts";

/** Maximum number of names on a path that are tried as archives; each try may cost a request. */
const maxTries = 2;

/** A key, split at an archive. */
export interface ArchiveKey {
  /** Key of the archive. */
  readonly archive: string;
  /** Path in the archive; "" is its top. */
  readonly path: string;
}

/**
 * Returns the ways to read a key as that of an archive, or of something in one, the shortest archive first;
 * none if what follows it might lead elsewhere.
 */
export function archiveKeys(key: string): readonly ArchiveKey[] {
  const found: ArchiveKey[] = [];
  // Names of hosts may end in .zip.
  const [origin = "", isUrl] = /^https?:(\/\/)[^/]*/i.exec(key) ?? [];
  for (const { index } of key.slice(origin.length).matchAll(/(?<=[^/]\.(?:zip|cbz))(?:\/|$)/gi)) {
    const end = origin.length + index;
    const path = pathIn(key.slice(end + 1), isUrl !== undefined);
    if (path === undefined || found.length === maxTries) break;
    found.push({ archive: key.slice(0, end), path });
  }
  return found;
}

/** Returns the keys of the archives that a key may lead into. */
export const archivesIn = (key: string): readonly string[] =>
  archiveKeys(key)
    .filter(({ path }) => path !== "")
    .map(({ archive }) => archive);

/** True if a key of a source is the URL of an archive, or of a folder in one: names in it are encoded. */
export const isInUrlArchive = ({ keyOf }: Pick<Source, "keyOf">, key: string): boolean =>
  keyOf !== undefined && archiveKeys(key).length > 0;

/** Returns the one spelling that a path has in the URL of an archive. */
export const urlPath = (path: string): string => encodeURI(path).replace(/[?#]/g, encodeURIComponent);

/** Returns the name that a segment of a URL stands for; that segment if it stands for none. */
export function nameInUrl(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Returns the path of a member by the rest of a key; undefined if it is none. In a URL each path has one
 * spelling, so that no rule for its name can be evaded by another one.
 */
function pathIn(rest: string, isUrl: boolean): string | undefined {
  if (rest === "") return rest;
  try {
    const path = isUrl ? decodeURIComponent(rest) : rest;
    const isOnlySpelling = !isUrl || urlPath(path) === rest;
    return isOnlySpelling && plainSegments(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
