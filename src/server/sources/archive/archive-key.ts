// Keys below archives: the part that names the archive, and the path of a member or folder in it.

import { plainSegments } from "../../../base/index.ts";

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

/**
 * Returns the path of a member by the rest of a key; undefined if it is none. In a URL each path has one
 * spelling, so that no rule for its name can be evaded by another one.
 */
function pathIn(rest: string, isUrl: boolean): string | undefined {
  if (rest === "") return rest;
  try {
    const path = isUrl ? decodeURIComponent(rest) : rest;
    const isOnlySpelling = !isUrl || encodeURI(path).replace(/[?#]/g, encodeURIComponent) === rest;
    return isOnlySpelling && plainSegments(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
