// Facts for the tests of search: a manifest with its canvases, and matches on them.

import type { Found, Match, MatchPart } from "../../../src/iiif/search/found.ts";
import { readSearchRequest } from "../../../src/iiif/search/request.ts";
import type { SearchSite } from "../../../src/iiif/search/responses.ts";
import fc from "../../properties.ts";

/** Texts of any code units, half surrogate pairs included. */
export const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0x20, max: 0x7e })), {
    maxLength: 40,
  })
  .map((units) => String.fromCharCode(...units));

export const base = "https://example.org/scans";

/** Services of the manifest `books/one` in every combination of versions. */
export const sites = {
  two: { base, kind: "search", search: 2, presentation: 3, id: "books/one" },
  one: { base, kind: "search", search: 1, presentation: 3, id: "books/one" },
  oneOf2: { base, kind: "search", search: 1, presentation: 2, id: "books/one" },
} as const satisfies Readonly<Record<string, SearchSite>>;

export const canvas = (number: number, width = 2000, height = 3000) => ({
  id: `${base}/iiif/presentation/3/books/one/canvas/${number}`,
  width,
  height,
});

/** Reads the parameters of a search as they are in an address. */
export const search = (query: string) => readSearchRequest(new URLSearchParams(query), "search");

/** A part of a match from a line with the matched words in brackets. */
export function part(line: string, more: Partial<MatchPart> = {}): MatchPart {
  const [before = "", exact = "", after = ""] = line.split(/[[\]]/);
  return { before, exact, after, ...more };
}

/** A match of lines with the matched words in brackets. */
export function match(number: number, ...lines: readonly (string | MatchPart)[]): Match {
  const [first = part(""), ...more] = lines.map((line, at) =>
    typeof line === "string" ? part(line, { box: [100, 100 + 40 * at, 250, 20] }) : line,
  );
  const parts: Match["parts"] = [first, ...more];
  const text = {
    before: first.before,
    exact: parts.map(({ exact }) => exact).join(" "),
    after: parts.at(-1)?.after ?? "",
  };
  return { canvas: canvas(number), parts, text };
}

export const found = (query: string, ...matches: readonly Match[]): Found => ({
  request: search(query),
  matches,
  total: matches.length,
});
