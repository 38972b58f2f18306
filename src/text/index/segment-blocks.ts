// A segment of the records of pages as a list of blocks, so that a worker can build it.

import { createPauses } from "../../base/index.ts";
import { decodePage } from "../record/page-record.ts";
import type { Blocks } from "./block-files.ts";
import { type BuildOptions, buildSegment, type IndexedPage } from "./build.ts";

/** A page to index, by its record (`encodePage`). */
export interface RecordedPage extends Pick<IndexedPage, "key"> {
  readonly record: Uint8Array;
}

/** A value of the store of blocks. */
export type Block = readonly [key: string, bytes: Uint8Array];

/**
 * Returns the blocks of a segment of pages, which have to be sorted by key. Pauses between pages, for threads
 * that do other work. Throws ServiceError as `decodePage` does.
 */
export async function blocksOfSegment(
  pages: readonly RecordedPage[],
  options: BuildOptions,
): Promise<readonly Block[]> {
  const made = new Map<string, Uint8Array>();
  const blocks: Blocks = {
    read: async (key) => made.get(key),
    write: async (key, bytes) => void made.set(key, bytes),
    remove: async (key) => void made.delete(key),
  };
  await buildSegment(blocks, decodedPages(pages), options);
  return [...made];
}

async function* decodedPages(pages: readonly RecordedPage[]): AsyncGenerator<IndexedPage> {
  const pause = createPauses();
  for (const { key, record } of pages) {
    await pause();
    yield { key, text: decodePage(record) };
  }
}
