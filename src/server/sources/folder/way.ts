// The folders that a path passes through: links that lead back to one of them would give a file or folder
// endless names.

import type { Root } from "./root.ts";

/** Resolved paths of folders; undefined stands for those outside the root. */
export type Way = ReadonlySet<string | undefined>;

/**
 * Returns the resolved paths of a folder, of the root, and of all folders between them on a path. Returns
 * undefined if one of them occurs twice, as only links make it.
 */
export async function folderWay(
  { pathOf, resolve }: Pick<Root, "pathOf" | "resolve">,
  realRoot: string,
  segments: readonly string[],
): Promise<Way | undefined> {
  const paths = segments.map((_, at) => pathOf(segments.slice(0, at + 1)));
  const way = new Set([realRoot, ...(await Promise.all(paths.map((path) => resolve(realRoot, path))))]);
  return way.size === segments.length + 1 ? way : undefined;
}
