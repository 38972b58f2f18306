// What a page shows of a folder that its caller may not look into.

import type { Sources } from "../../sources/index.ts";
import type { Folders } from "../folders/folders.ts";
import { type FolderLocation, locationOf, parentOf, trailOf } from "../locations.ts";
import { entriesOf } from "./entries.ts";
import { type LabelledTrail, withLabels } from "./labels.ts";
import type { FolderLock } from "./lock.ts";
import type { Sight } from "./sight.ts";

export interface LockedFolder {
  readonly identifier: string;
  /** The folders from the root down to it. */
  readonly trail: LabelledTrail;
  readonly lock: FolderLock;
}

/**
 * Returns the first gated folder on the way to a place, so that every address below it leads to the same
 * page, whether something is there or not. Undefined if that folder is not listed, or if its caller may not
 * know of it.
 */
export async function findLocked(
  parts: { readonly sources: Sources; readonly folders: Folders },
  { mayLookInto, lockOf }: Sight,
  location: FolderLocation,
  signal: AbortSignal | undefined,
): Promise<LockedFolder | undefined> {
  const { sources, folders } = parts;
  const way = trailOf(sources, location);
  let end = 0;
  while (end < way.length && (await mayLookInto(way[end]?.identifier ?? ""))) end++;
  const gated = way[end];
  const lock = gated && (await lockOf(gated.identifier));
  if (!gated || !lock) return undefined;
  const above = parentOf(sources, locationOf(sources, gated.identifier)) ?? "";
  const around = locationOf(sources, above);
  const listed = around.source.list && (await folders.find(around.source, around.key, signal));
  const isListed = entriesOf(sources, around, listed, above === "").some(
    ({ kind, identifier }) => kind === "folder" && identifier === gated.identifier,
  );
  if (!isListed) return undefined;
  const trail = await withLabels(parts, way.slice(0, end + 1), () => true);
  return { identifier: gated.identifier, trail, lock };
}
