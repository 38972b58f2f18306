// The index of words of whole sources in an OpenSearch of the operator's. It says which pages have the words
// of a query; where they are on a page is found by matching again in its record.

import { z } from "zod";
import { createPauses } from "../../../../base/index.ts";
import {
  decodePage,
  pageQueryOf,
  plainPhrasesOf,
  plainUnitsOf,
  type RecordedPage,
} from "../../../../text/index.ts";
import { pageOfKey } from "../page-key.ts";
import type { FoundWords, WordIndex, WordsRequest } from "../word-index.ts";
import { createEngine, type EngineParts, type EngineResponse } from "./client.ts";
import {
  addVersion,
  bulkLines,
  bulkResult,
  groupResult,
  indexDocument,
  maxFound,
  othersDocument,
  searchDocument,
  searchResult,
} from "./documents.ts";
import type { SearchOptions } from "./options.ts";

/** Code units of a bulk request, unless a single page has more. */
const maxBulkLength = 4 * 2 ** 20;
/** Pages beyond a window that are decided on one by one for it. */
const maxDecided = 500;

const anything = z.unknown();
const groupId = (group: string) => `group-${addVersion(group)}`;

/** Throws an Error if the variable of a password or a token is not set. */
export function openSearchWords(options: SearchOptions, parts: EngineParts): WordIndex {
  const engine = createEngine(options, parts);

  /** Creates the index if it is not there: a bulk request would, without our mappings. */
  const create = async () => {
    const { status } = await engine.ask({ method: "HEAD", path: "", result: anything });
    if (status === 200) return;
    const body = JSON.stringify(indexDocument);
    const made = await engine.ask({ method: "PUT", path: "", body, result: anything });
    // Another server may have created it meanwhile.
    if (isRefused(made) && made.error !== "resource_already_exists_exception")
      throw engine.unusable(`it did not create the index: ${made.error ?? `status ${made.status}`}`);
  };

  const send = async (lines: string) => {
    const { body } = await engine.ask({
      method: "POST",
      path: "/_bulk?filter_path=errors",
      body: lines,
      type: "application/x-ndjson",
      result: bulkResult,
    });
    if (body?.errors !== false) throw engine.unusable("it did not take all pages; its log says why");
  };

  const post = async (path: string, document?: unknown) => {
    const body = document === undefined ? {} : { body: JSON.stringify(document) };
    const made = await engine.ask({ method: "POST", path, ...body, result: anything });
    if (isRefused(made))
      throw engine.unusable(`it refused ${path}: ${made.error ?? `status ${made.status}`}`);
  };

  return {
    lossWarning: "OpenSearch has lost the index of the text of a source soon after it was written",
    async count(group) {
      await create();
      const path = `/_doc/${encodeURIComponent(groupId(group))}`;
      const { body } = await engine.ask({ method: "GET", path, result: groupResult });
      return body?._source?.segments;
    },
    async write(pages, { name, className }) {
      await create();
      const pause = createPauses();
      let lines = "";
      for (const [at, { key, record }] of pages.entries()) {
        await pause();
        lines += bulkLines(`${addVersion(name)}-${at}`, pageDocument({ key, record }, name, className));
        if (lines.length < maxBulkLength && at + 1 < pages.length) continue;
        await send(lines);
        lines = "";
      }
    },
    async finish({ prefix }, group, segments) {
      await send(
        bulkLines(groupId(group), { group: addVersion(group), source: prefix, segments, at: Date.now() }),
      );
      await post("/_refresh");
    },
    async keepOnly({ prefix }, groups) {
      const segments = groups.flatMap((group) => group.segments);
      const names = groups.map(({ name }) => name);
      // A task of the engine: it may take longer than a response.
      await post(
        "/_delete_by_query?conflicts=proceed&wait_for_completion=false",
        othersDocument(prefix, segments, names),
      );
    },
    async find(request) {
      const { query, segments, below, window, signal } = request;
      const isSingle = segments.some(({ mayRead }) => mayRead !== undefined);
      const from = isSingle ? 0 : window.from;
      const size = Math.min(
        maxFound - from,
        isSingle ? window.from + window.count + maxDecided : window.count,
      );
      const phrases = plainPhrasesOf(query);
      if (phrases.length === 0 || segments.length === 0 || size <= 0) return nothing;
      const body = JSON.stringify(searchDocument({ phrases, segments, below, from, size }));
      const path = "/_search?allow_partial_search_results=false";
      const found = await engine.ask({ method: "POST", path, body, result: searchResult, signal });
      if (found.status === 404) return { ...nothing, lost: segments.map(({ name }) => name) };
      if (isRefused(found)) throw engine.unusable(`it refused a search: ${found.error}`);
      const { total, hits } = found.body.hits;
      const readable = await readableKeys(
        request,
        hits.map(({ sort, fields }) => [sort[0], fields.segment[0]]),
      );
      const shown = isSingle ? readable.slice(window.from, window.from + window.count) : readable;
      const pageQuery = pageQueryOf(query);
      return {
        hits: shown.map((page) => ({ page, query: pageQuery, count: window.matches })),
        pages: isSingle ? readable.length : Math.min(total.value, maxFound),
        isCapped: !isSingle && (total.relation === "gte" || total.value > maxFound),
        lost: [],
      };
    },
  };
}

const isRefused = <T>(
  response: EngineResponse<T>,
): response is Extract<EngineResponse<T>, { body?: undefined }> =>
  response.status !== 200 && response.status !== 201;

const nothing: FoundWords = { hits: [], pages: 0, isCapped: false, lost: [] };

function pageDocument({ key, record }: RecordedPage, segment: string, className: string) {
  const { prefix, folder } = pageOfKey(key);
  return {
    text: plainUnitsOf(decodePage(record)),
    key,
    source: prefix,
    folder,
    class: className,
    segment: addVersion(segment),
    at: Date.now(),
  };
}

/**
 * Returns the keys of pages that the caller may read; if some are decided on one by one, up to one after the
 * window. Pages of segments that were not asked for are left out, whatever the engine says.
 */
async function readableKeys(
  { segments, below, window }: WordsRequest,
  found: readonly (readonly [key: string, segment: string])[],
): Promise<readonly string[]> {
  const asked = new Map(segments.map((segment) => [addVersion(segment.name), segment]));
  const isSingle = segments.some(({ mayRead }) => mayRead !== undefined);
  const readable: string[] = [];
  for (const [key, name] of found) {
    const segment = asked.get(name);
    if (!segment || (below && !(key >= below[0] && key < below[1]))) continue;
    if (segment.mayRead && !(await segment.mayRead(key))) continue;
    readable.push(key);
    if (isSingle && readable.length > window.from + window.count) break;
  }
  return readable;
}
