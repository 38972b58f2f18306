// Searches the text of a manifest for one caller, and completes words of it.

import { cancelledError, countText, createPauses, createSemaphore } from "../../../base/index.ts";
import {
  type Found,
  matchesPerPage,
  matchRange,
  maxMatches,
  motivationsOfText,
  passesFilters,
  type SearchRequest,
  type Term,
} from "../../../iiif/index.ts";
import {
  type Compound,
  complete,
  compoundOf,
  compoundsOn,
  type Found as FoundHits,
  parseQuery,
  type Query,
  type QueryCut,
  search,
} from "../../../text/index.ts";
import { type CanvasOf, matchesOf } from "./found-matches.ts";
import type { PageTexts } from "./page-texts.ts";
import type { OrLost, TextIndex, TextPage } from "./text-index.ts";
import { createWordForms } from "./word-forms.ts";

/** The text of a manifest that a caller may read. */
export interface ReadText {
  /** In the order of the manifest. */
  readonly pages: readonly TextPage[];
  readonly canvasOf: CanvasOf;
}

export interface TextSearch {
  /**
   * Returns a page of matches. Throws `not-found` (`no_such_page`), else as {@link TextIndex.runOver}.
   * `signal`: of the client.
   */
  find(text: ReadText, request: SearchRequest, signal?: AbortSignal): Promise<Found>;
  /** Returns words that begin like the last one of the query, the most frequent first. Throws likewise. */
  complete(text: ReadText, request: SearchRequest, signal?: AbortSignal): Promise<readonly Term[]>;
  /** Indexes a text for its first search. Returns the number of segments that were built. Throws likewise. */
  prepare(text: ReadText): Promise<number>;
  /** Ends the workers. */
  close(): void;
}

/** Searches on the main thread, which they share with all other requests, and those that may wait. */
const maxAtOnce = 2;
const maxWaiting = 100;
/** Terms of a completion. */
const maxTerms = 20;
/** Hits from whose pages words of several units are completed. */
const maxHits = 500;

const textItself = { motivations: motivationsOfText };

/** Creates the search over an index. */
export function createTextSearch(index: TextIndex, texts: Pick<PageTexts, "read">): TextSearch {
  const gate = createSemaphore(maxAtOnce, maxWaiting);
  const forms = createWordForms(texts);
  // A search that waits for the index holds no permit, and one that nobody waits for leaves the queue.
  const runOver: TextIndex["runOver"] = (pages, task, client) =>
    index.runOver(pages, (names, signal) => gate.run(() => task(names, signal), signal), client);
  return {
    async find({ pages, canvasOf }, request, client) {
      const query = parseQuery(request.query);
      if (query.clauses.length === 0 || !passesFilters(request, textItself)) return nothing(request, query);
      const run = async (names: readonly string[], signal: AbortSignal): Promise<OrLost<Found>> => {
        const searched = names.map((name) => ({ name }));
        const stem = await forms.stemmerFor(pages, query);
        const options = { rankOf: rankIn(pages), signal, ...(stem && { stem }) };
        const found = await search(index.segments, searched, query, options);
        if (found.lost.length > 0) return { lost: found.lost };
        const counted = Math.min(found.hits, maxMatches);
        const [from, to] = matchRange(counted, request.page);
        const hits = await found.window(from, to - from);
        if ("lost" in hits) return { lost: [hits.lost] };
        const matches = await matchesOf(texts, hits, canvasOf, signal);
        // A page may have changed since, and its image may have become unreadable.
        const total = counted > matchesPerPage ? counted : matches.length;
        return { found: { request, matches, total, ...noteOf(query, { ...found, pages: pages.length }) } };
      };
      return runOver(pages, run, client);
    },
    async complete({ pages }, request, client) {
      if (request.query === "" || !passesFilters(request, textItself)) return [];
      const compound = compoundOf(request.query);
      const run = async (names: readonly string[], signal: AbortSignal): Promise<OrLost<readonly Term[]>> => {
        if (compound) return completeCompound({ index, texts, pages }, names, compound, signal);
        const found = await complete(index.segments, names, request.query, maxTerms);
        if ("lost" in found) return { lost: [found.lost] };
        return { found: found.completions.map(({ text, total }) => ({ value: text, total })) };
      };
      const terms = await runOver(pages, run, client);
      return terms.filter(({ total }) => total >= request.fewest);
    },
    prepare: ({ pages }) => index.prepare(pages),
    close: () => index.close(),
  };
}

/** What words are completed from. */
interface CompletedText {
  readonly index: Pick<TextIndex, "segments">;
  readonly texts: Pick<PageTexts, "read">;
  readonly pages: readonly TextPage[];
}

/** Returns words of several units as the pages with the first hits have them, the most frequent first. */
async function completeCompound(
  { index, texts, pages }: CompletedText,
  names: readonly string[],
  compound: Compound,
  signal: AbortSignal,
): Promise<OrLost<readonly Term[]>> {
  const searched = names.map((name) => ({ name }));
  const found = await search(index.segments, searched, compound.query, { signal });
  if (found.lost.length > 0) return { lost: found.lost };
  const hits = await found.window(0, maxHits);
  if ("lost" in hits) return { lost: [hits.lost] };
  const files = new Map(pages.map((page) => [page.key, page.files]));
  const terms = new Map<string, { readonly value: string; total: number }>();
  const pause = createPauses();
  for (const own of hits) {
    await pause();
    if (signal.aborted) throw cancelledError(signal);
    const page = await texts.read(files.get(own.page) ?? []);
    for (const { folded, surface } of page ? compoundsOn(page, own, compound) : []) {
      const term = terms.get(folded) ?? { value: compound.before + surface, total: 0 };
      term.total++;
      terms.set(folded, term);
    }
  }
  const sorted = [...terms.values()].sort((one, other) => other.total - one.total);
  return { found: sorted.slice(0, maxTerms) };
}

/** Returns the positions of pages by their keys; nothing is made of them before they are asked for. */
function rankIn(pages: readonly TextPage[]): (key: string) => number {
  let ranks: ReadonlyMap<string, number> | undefined;
  return (key) => {
    ranks ??= new Map(pages.map((page, at) => [page.key, at]));
    return ranks.get(key) ?? pages.length;
  };
}

function nothing(request: SearchRequest, query: Query): Found {
  matchRange(0, request.page);
  return { request, matches: [], total: 0, ...noteOf(query) };
}

/** What a search in pages has found, and how many there are. */
type Searched = Pick<FoundHits, "hits" | "isCapped" | "cutWords" | "indexedPages"> & {
  readonly pages: number;
};

const tooLong = "The end of the query was ignored, since it is too long.";

/** What is said of a query. */
const cutSentences: Readonly<Record<QueryCut["kind"], string>> = {
  length: tooLong,
  words: tooLong,
  prefix: "A single letter with * was searched as a word.",
  operator: "AND, OR and NOT were searched as words: a page has to have all words of a search.",
  minus: "A minus before a word excludes nothing.",
  wildcard: "Only * at the end of a word, outside of quotation marks, stands for letters.",
};

/** Returns what a search has left out, for people. */
function noteOf({ cuts }: Query, searched?: Searched): Pick<Found, "note"> {
  const { hits, isCapped, cutWords, indexedPages, pages } = searched ?? nothingSearched;
  const shown = maxMatches.toLocaleString("en");
  const sentences = [
    hits > maxMatches && `The first ${shown} of ${countText(hits, "hit")} are shown.`,
    isCapped && "More pages have these words than are counted.",
    ...new Set(cuts.map(({ kind }) => cutSentences[kind])),
    cutWords.length > 0 && `Not all words were searched that begin with ${cutWords.join(", ")}.`,
    pages > indexedPages &&
      `No text could be read in the files of ${countText(pages - indexedPages, "page")}.`,
  ].filter((sentence) => sentence !== false);
  return sentences.length > 0 ? { note: sentences.join(" ") } : {};
}

const nothingSearched: Searched = { hits: 0, isCapped: false, cutWords: [], indexedPages: 0, pages: 0 };
