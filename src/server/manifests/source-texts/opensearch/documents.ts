// The documents that OpenSearch receives and sends: one for each page, one for each group that is whole, and
// queries (docs.opensearch.org: Create index, Bulk, Search, Boolean, Term-level queries, Delete by query).

import { z } from "zod";
import { type PlainPhrase, rulesVersion } from "../../../../text/index.ts";
import type { ReadableSegment } from "../word-index.ts";

/** Pages that are counted and reached, which is `index.max_result_window` by default. */
export const maxFound = 10_000;

const keyword = { type: "keyword" } as const;

/** Creates the index. The text is only searched: a copy in `_source` would be most of the index. */
export const indexDocument = {
  mappings: {
    dynamic: false,
    _source: { excludes: ["text"] },
    properties: {
      // Folded and cut by us; the analyser must change nothing.
      text: { type: "text", analyzer: "whitespace", norms: false },
      key: keyword,
      source: keyword,
      folder: keyword,
      class: keyword,
      segment: keyword,
      group: keyword,
      at: { type: "date" },
    },
  },
} as const;

/** Adds the version of the rules of folding to a name: what others have written has other names. */
export const addVersion = (name: string): string => `${rulesVersion}.${name}`;

export interface PageDocument {
  readonly text: readonly string[];
  readonly key: string;
  readonly source: string;
  readonly folder: string;
  readonly class: string;
  readonly segment: string;
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
}

/** Says that a group is whole. It has no segment, so that no search finds it. */
export interface GroupDocument {
  readonly group: string;
  readonly source: string;
  readonly segments: number;
  readonly at: number;
}

/** Returns two lines of a bulk request. */
export const bulkLines = (id: string, document: PageDocument | GroupDocument): string =>
  `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(document)}\n`;

export interface PagesQuery {
  readonly phrases: readonly PlainPhrase[];
  readonly segments: readonly Pick<ReadableSegment, "name">[];
  readonly below?: readonly [from: string, before: string] | undefined;
  readonly from: number;
  readonly size: number;
}

/**
 * Returns the request of a search. Only segments that are named are searched: a page whose access has changed
 * is in another one, whatever the engine still holds of it.
 */
export const searchDocument = ({ phrases, segments, below, from, size }: PagesQuery) => ({
  _source: false,
  docvalue_fields: ["segment"],
  from,
  size,
  track_total_hits: maxFound + 1,
  sort: [{ key: { order: "asc" } }],
  query: {
    bool: {
      filter: [
        { terms: { segment: segments.map(({ name }) => addVersion(name)) } },
        ...(below ? [{ range: { key: { gte: below[0], lt: below[1] } } }] : []),
        ...phrases.map(phraseQuery),
      ],
    },
  },
});

function phraseQuery({ units, isPrefix }: PlainPhrase) {
  const [first = "", ...more] = units;
  if (more.length === 0)
    return isPrefix ? { prefix: { text: { value: first } } } : { term: { text: { value: first } } };
  const query = units.join(" ");
  // 64 terms, as in the index of our own.
  if (isPrefix) return { match_phrase_prefix: { text: { query, max_expansions: 64 } } };
  return { match_phrase: { text: { query } } };
}

/**
 * Returns what selects all of a source but some segments and groups; nothing of the last hour, since another
 * server may have seen a change before this one, and still send its pages.
 */
export const othersDocument = (source: string, segments: readonly string[], groups: readonly string[]) => ({
  query: {
    bool: {
      filter: [{ term: { source: { value: source } } }, { range: { at: { lt: "now-1h" } } }],
      must_not: [
        { terms: { segment: segments.map(addVersion) } },
        { terms: { group: groups.map(addVersion) } },
      ],
    },
  },
});

/** The parts of responses that are read. */
export const searchResult = z.object({
  hits: z.object({
    total: z.object({ value: z.int().min(0), relation: z.enum(["eq", "gte"]) }),
    hits: z.array(
      z.object({ sort: z.tuple([z.string()]), fields: z.object({ segment: z.tuple([z.string()]) }) }),
    ),
  }),
});
export const groupResult = z.object({
  found: z.boolean(),
  _source: z.object({ segments: z.int().min(0) }).optional(),
});
export const bulkResult = z.object({ errors: z.boolean() });
export const errorResult = z.object({ error: z.object({ type: z.string() }) });
