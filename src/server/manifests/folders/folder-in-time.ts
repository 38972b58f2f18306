// A folder, if its source responds in time.

import { withDeadline } from "../../../base/index.ts";
import type { Source } from "../../sources/source.ts";
import type { FolderLocation } from "../locations.ts";

/**
 * Returns the folder that `folders` finds at a place within that many milliseconds; undefined if there is
 * none, if that takes longer or fails, or if the source cannot list. The search does not use the signal of a
 * request, since its result is needed again soon.
 */
export async function folderInTime<F>(
  folders: { find(source: Source, key: string): Promise<F | undefined> },
  { source, key }: FolderLocation,
  ms: number,
): Promise<F | undefined> {
  if (!source.list) return undefined;
  return withDeadline(Math.max(0, ms), () => folders.find(source, key)).catch(() => undefined);
}
