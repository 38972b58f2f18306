// The tables of pages of the latest files, so that the chain of each is followed once.

import { createLru } from "../../../../base/index.ts";
import type { TiffFile } from "./ifd.ts";
import { type PageTable, readPageTable, weightOf } from "./pages.ts";

/**
 * Returns the table of a file's pages. `version` identifies the bytes of the file: the table stays in memory
 * under it. Throws ImagingError `decode`.
 */
export type FindPages = (file: TiffFile, version: string | undefined) => Promise<PageTable>;

/** Bytes of the tables that stay in memory: ten of the longest. */
const cacheBytes = 8 * 2 ** 20;

/** Creates the function that finds tables, and remembers those of files with several pages. */
export function createPageTables(): FindPages {
  const cache = createLru<string, PageTable>(cacheBytes);
  return async (file, version) => {
    const known = version === undefined ? undefined : cache.get(version);
    if (known) return known;
    // The budget of `file` is for the page that is read next.
    const table = await readPageTable({ ...file, budget: { ...file.budget } });
    if (version !== undefined && table.offsets.length > 1) cache.set(version, table, weightOf(table));
    return table;
  };
}
