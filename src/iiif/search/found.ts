// What a search has found, as the responses of both versions are made from it.

import { ServiceError } from "../../base/index.ts";
import type { CanvasBox, TargetCanvas } from "../presentation/canvas-box.ts";
import type { SearchRequest } from "./request.ts";

/** The part of a match on one line. `before`, `exact` and `after` together are the line. */
export interface MatchPart {
  readonly before: string;
  /** Matched words, with what is between them. */
  readonly exact: string;
  readonly after: string;
  /** Box of the matched words; absent if the file does not say: the target is then the whole canvas. */
  readonly box?: CanvasBox;
  /** BCP 47. */
  readonly language?: string;
}

/** Matched words on one canvas that readers see as one result. */
export interface Match {
  readonly canvas: TargetCanvas;
  /** By lines, at least one. */
  readonly parts: readonly [MatchPart, ...MatchPart[]];
  /** Matched words and about 80 characters on either side, over the ends of lines. */
  readonly text: { readonly before: string; readonly exact: string; readonly after: string };
  /**
   * The manifest of the canvas, for a search in several; absent for that in one, since viewers of version 1
   * read such targets wrongly.
   */
  readonly manifest?: { readonly id: string; readonly label: string };
}

/** One page of what was found. */
export interface Found {
  readonly request: SearchRequest;
  /** Matches of the page, by {@link matchRange}, in the order of the canvases. */
  readonly matches: readonly Match[];
  /** Matches on all pages; viewers wait for as many. */
  readonly total: number;
  /** A sentence in English for people, such as that more was found than is counted. */
  readonly note?: string;
}

/** A term of the index. */
export interface Term {
  readonly value: string;
  /** Occurrences in what the reader may see. */
  readonly total: number;
  /** BCP 47. */
  readonly language?: string;
}

/** Matches on one page: Clover shows the first page only. */
export const matchesPerPage = 1000;

/** Matches of one search: UV shows nothing before it has fetched all their pages. */
export const maxMatches = 5 * matchesPerPage;

/**
 * Returns the range of the matches on the page of a request, from 0, end exclusive. Throws ServiceError
 * `not-found` (`no_such_page`) for a page after the last.
 */
export function matchRange(total: number, page: number): readonly [from: number, to: number] {
  const pages = Math.max(1, Math.ceil(total / matchesPerPage));
  if (page > pages)
    throw new ServiceError(
      "not-found",
      `Expected a page from 1 to ${pages} of this search; received ${page}. Follow the links from the first page.`,
      { code: "no_such_page" },
    );
  return [(page - 1) * matchesPerPage, Math.min(page * matchesPerPage, total)];
}
