// Where the words of whole sources are indexed and found: in segments of our own in a slot, or in an engine
// of the operator's. Both hold pages in segments of one access class, and search those that a caller may.

import {
  type MayRead,
  type Query,
  type RecordedPage,
  type SearchedSegment,
  search,
} from "../../../text/index.ts";
import type { Source } from "../../sources/source.ts";
import type { Slot } from "../../stores/slot.ts";
import type { FoundHits } from "../texts/found-matches.ts";
import type { TextIndex } from "../texts/text-index.ts";

/** A segment that a caller may search. */
export interface ReadableSegment {
  readonly name: string;
  /** True if all of its pages are in the folder that is searched. */
  readonly isBelowAll: boolean;
  /** Decides about each page, by its key; absent if the caller may read all of them. */
  readonly mayRead?: MayRead;
}

export interface WordsRequest {
  readonly query: Query;
  readonly segments: readonly ReadableSegment[];
  /** Keys of the folder that is searched: from the first on, and before the second. */
  readonly below?: readonly [from: string, before: string];
  /** Number of the first page and of those to return, and hits of each. */
  readonly window: { readonly from: number; readonly count: number; readonly matches: number };
  readonly signal?: AbortSignal;
}

export interface FoundWords {
  /** Pages in the order of their keys. */
  readonly hits: readonly FoundHits[];
  /** Number of all pages; of those that are decided on one by one, as far as that was needed. */
  readonly pages: number;
  readonly isCapped: boolean;
  /** Segments that are missing, and are to be built again. */
  readonly lost: readonly string[];
}

/** A group with the names of its segments. */
interface WrittenGroup {
  readonly name: string;
  readonly segments: readonly string[];
}

export interface WordIndex {
  /** Returns the number of segments of a group that was written whole; undefined if it is not there. */
  count(group: string): Promise<number | undefined>;
  /** Writes a segment of pages, which are sorted by key. */
  write(
    pages: readonly RecordedPage[],
    names: { readonly name: string; readonly className: string },
  ): Promise<void>;
  /** Notes that a group of a source was written whole. */
  finish(source: Source, group: string, segments: number): Promise<void>;
  /** Removes all of a source but these groups; absent if what nobody asks for goes by itself. */
  keepOnly?(source: Source, groups: readonly WrittenGroup[]): Promise<void>;
  /** Finds pages of segments. Throws `busy` if it cannot, and `cancelled`. */
  find(request: WordsRequest): Promise<FoundWords>;
  /** For the log, if groups are lost that were built just now. */
  readonly lossWarning: string;
}

export interface SlotWordsParts {
  readonly index: Pick<TextIndex, "segments" | "write">;
  readonly slot: Pick<Slot, "get" | "put">;
}

/** Name and variant of the entry that says how many segments a group has. */
const entryName = (group: string) => `words-groups/${group}`;
const variant = "count";

/** The index in a slot. */
export const slotWords = ({ index, slot }: SlotWordsParts): WordIndex => ({
  lossWarning:
    "the index of the text of a source does not stay in its cache; give cache.text more room, or set its backend to filesystem",
  async count(group) {
    const entry = await slot.get(entryName(group), variant);
    return entry && Number(new TextDecoder().decode(entry));
  },
  write: (pages, names) => index.write(pages, names),
  async finish(_source, group, segments) {
    slot.put(entryName(group), variant, new TextEncoder().encode(String(segments)));
  },
  async find({ query, segments, below, window, signal }) {
    const isBelow = (key: string) => below === undefined || (key >= below[0] && key < below[1]);
    const searched = segments.map(({ name, isBelowAll, mayRead }): SearchedSegment => {
      if (isBelowAll && !mayRead) return { name };
      return { name, mayRead: async (key) => isBelow(key) && (!mayRead || (await mayRead(key))) };
    });
    const found = await search(index.segments, searched, query, signal && { signal });
    const hits = await found.pageWindow(window.from, window.count, window.matches);
    const { pages, isCapped, lost } = found;
    return "lost" in hits
      ? { hits: [], pages, isCapped, lost: [...lost, hits.lost] }
      : { hits, pages, isCapped, lost };
  },
});
