// Looks at the manifest files of the sources for a limited time, for a check of the configuration.

import { type Finding, withDeadline } from "../../base/index.ts";
import { manifestFileFaults } from "../manifests/documents/manifest-file-faults.ts";
import type { Folders } from "../manifests/folders/folders.ts";
import { type FolderLocation, inside, isReached } from "../manifests/locations.ts";
import type { Sources } from "../sources/index.ts";

export interface CheckedManifestFiles {
  readonly faults: readonly Finding[];
  /** Folders that were looked at. */
  readonly folders: number;
  /** False if a bound ended it, or a folder could not be read. */
  readonly isComplete: boolean;
}

/** Usual bounds: milliseconds in total, folders, and mistakes that are reported. */
const usualBounds = { ms: 2000, folders: 500, faults: 100 } as const;

/**
 * Returns the mistakes in the manifest files of all sources that can list, folders before those in them.
 * Takes at most two seconds, unless `bounds` says otherwise. Never rejects, and caches nothing.
 */
export async function checkManifestFiles(
  { sources, folders }: { readonly sources: Sources; readonly folders: Pick<Folders, "read"> },
  bounds: Readonly<Record<keyof typeof usualBounds, number>> = usualBounds,
): Promise<CheckedManifestFiles> {
  const end = performance.now() + bounds.ms;
  const waiting: FolderLocation[] = sources.all
    .filter(({ list }) => list !== undefined)
    .map((source) => ({ source, key: "" }));
  const faults: Finding[] = [];
  let [looked, isComplete] = [0, true];
  for (const location of waiting) {
    const left = end - performance.now();
    if (left <= 0 || looked === bounds.folders || faults.length >= bounds.faults)
      return { faults: faults.slice(0, bounds.faults), folders: looked, isComplete: false };
    const limit = new AbortController();
    try {
      const read = () => folders.read(location.source, location.key, undefined, limit.signal);
      const folder = await withDeadline(left, read);
      if (!folder) continue;
      faults.push(...manifestFileFaults(sources, location, folder));
      for (const name of folder.listing.directories) {
        const inner = inside(location, name);
        if (isReached(sources, inner, "folder")) waiting.push(inner);
      }
    } catch {
      // Another check reports a source that cannot be read.
      if (location.key !== "") isComplete = false;
      continue;
    } finally {
      limit.abort();
    }
    looked++;
  }
  return { faults: faults.slice(0, bounds.faults), folders: looked, isComplete };
}
