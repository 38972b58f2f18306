// A folder, if its source tells it in time.

import { withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import type { Source } from "../../sources/source.ts";
import type { Place } from "../places.ts";

/**
 * What `folders` finds at a place within so many milliseconds; undefined if there is nothing, if that takes
 * longer or fails, or if the source cannot list. It is found without the signal of a request, since it is
 * soon asked for again.
 */
export async function folderInTime<F>(
  folders: { find(source: Source, key: string): Promise<F | undefined> },
  { source, key }: Place,
  ms: number,
): Promise<F | undefined> {
  if (!source.list) return undefined;
  return withDeadline(Math.max(0, ms), () => folders.find(source, key)).catch(() => undefined);
}
