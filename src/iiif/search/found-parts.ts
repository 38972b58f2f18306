// What the responses of both versions have in common: addresses of their pages, ids, and texts cut to a
// length that a list of a thousand results can have.

import { crc32 } from "../../base/index.ts";
import { boxAddress } from "../presentation/canvas-box.ts";
import { inertText } from "../presentation/inert-text.ts";
import { inVersion } from "../presentation/mounts.ts";
import { responseAddress, type SearchSite } from "./addresses.ts";
import { type Found, type Match, type MatchPart, matchesPerPage } from "./found.ts";
import { searchAddress } from "./mounts.ts";

/** Addresses of the pages around a response. */
export interface ResponsePages {
  /** Address of the response itself. */
  readonly id: string;
  /** Address of the whole list. */
  readonly all: string;
  /** Number of matches on the pages before. */
  readonly start: number;
  /** Absent if all matches are on one page. */
  readonly others?: {
    readonly first: string;
    readonly last: string;
    readonly next?: string;
    readonly prev?: string;
  };
}

/** Returns the addresses of the pages of a search: a single one without a number. */
export function responsePages({ request, total }: Found, site: SearchSite): ResponsePages {
  const { page } = request;
  const addressOfPage = (number: number) => responseAddress(site, request, number);
  const all = responseAddress(site, request);
  const last = Math.ceil(total / matchesPerPage);
  if (last < 2) return { id: all, all, start: 0 };
  const others = {
    first: addressOfPage(1),
    last: addressOfPage(last),
    ...(page < last && { next: addressOfPage(page + 1) }),
    ...(page > 1 && { prev: addressOfPage(page - 1) }),
  };
  return { id: addressOfPage(page), all, start: (page - 1) * matchesPerPage, others };
}

/** A part of a match as both versions write it. */
export interface WrittenPart {
  /** Id of the annotation of the part. */
  readonly id: string;
  /** The box on the canvas of the manifest that names the service, as an address. */
  readonly target: string;
  readonly before: string;
  readonly exact: string;
  readonly after: string;
  readonly language?: string;
}

/** A match as both versions write it. */
export interface WrittenMatch {
  /** Id of the annotation about the whole match. */
  readonly id: string;
  readonly parts: readonly WrittenPart[];
  readonly match: Match;
}

/** Maximum number of characters of the parameters in the ids of a thousand matches. */
const maxParameters = 200;

/**
 * Returns what the ids of matches begin with: the address of their response, or a digest of it if it is so
 * long that a thousand copies would make the response many times as large as its contents.
 */
function beginningOfIds(id: string, site: SearchSite): string {
  const address = searchAddress(site.base, site);
  if (id.length <= address.length + maxParameters) return id;
  return `${address}?digest=${crc32(new TextEncoder().encode(id)).toString(16)}`;
}

/** Returns the matches of a response with their ids, which are fragments of its address. */
export function writtenMatches(
  { matches }: Found,
  { id: own, start }: ResponsePages,
  site: SearchSite,
): readonly WrittenMatch[] {
  const { base, presentation } = site;
  const id = beginningOfIds(own, site);
  return matches.map((match, index) => {
    const number = start + index + 1;
    const canvas = { ...match.canvas, id: inVersion(match.canvas.id, base, presentation) };
    const parts = match.parts.map((part, nth) => ({
      id: `${id}#match-${number}${nth === 0 ? "" : `-${nth + 1}`}`,
      target: boxAddress(canvas, part.box),
      ...textsOf(part),
      ...(part.language !== undefined && { language: part.language }),
    }));
    return { id: `${id}#hit-${number}`, parts, match };
  });
}

/** Maximum number of characters before or after a match. */
const maxAround = 400;
/** Maximum number of characters of a match: a line of a text file may be a chapter. */
const maxExact = 1000;

/** Returns three consecutive pieces of text, cut at the far ends, as viewers may show them. */
export function textsOf({ before, exact, after }: Pick<MatchPart, "before" | "exact" | "after">) {
  return {
    before: inertText(trimSurrogates(before, -maxAround)),
    exact: inertText(trimSurrogates(exact, 0, maxExact)),
    after: inertText(exact.length > maxExact ? "" : trimSurrogates(after, 0, maxAround)),
  };
}

/** Returns a part of a text without half of a surrogate pair at an end. */
function trimSurrogates(text: string, from: number, to?: number): string {
  const part = text.slice(from, to);
  return part.length === text.length ? part : part.replace(/^\p{Surrogate}|\p{Surrogate}$/gu, "");
}
