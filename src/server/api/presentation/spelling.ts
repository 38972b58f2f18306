// Redirects other spellings of the address of a document to its id, by which clients look for it.

import { createLru } from "../../../base/index.ts";
import {
  documentAddress,
  identifierOf,
  type PresentationVersion,
  presentationRoot,
} from "../../../iiif/index.ts";
import type { RequestContext } from "../http/context.ts";
import { setCors } from "../http/cors.ts";
import { setVary } from "../http/representation/caching.ts";

/**
 * Returns the redirect (301) of a request whose path is not that of its id, or which has a query; undefined
 * if it has to be served. Throws as {@link identifierOf} does.
 */
export type RedirectSpelling = (c: RequestContext, version: PresentationVersion) => Response | undefined;

/** Redirects of one spelling in a row after which it is served. */
const maxInRow = 3;
/** Milliseconds within which they count as a row. */
const rowMs = 10_000;
/** Characters of spellings that are remembered. */
const maxChars = 2 ** 20;

interface Row {
  readonly spelling: string;
  readonly count: number;
  readonly at: number;
}

/**
 * Creates the redirects. A proxy that decodes paths turns each id into the same other spelling again: the
 * document is then served under that spelling, so that no client goes round in circles.
 */
export function createSpellings(): RedirectSpelling {
  /** The last redirects to an id that has not been asked for since. */
  const rows = createLru<string, Row>(maxChars);
  return (c, version) => {
    const { path, query } = c.get("target");
    const id = identifierOf(path.slice(presentationRoot[version].length));
    // Consecutive / in a target have been merged.
    const own = documentAddress("", id, version).replace(/\/{2,}/g, "/");
    if (path === own && query === "") {
      rows.delete(own);
      return undefined;
    }
    const spelling = `${path}?${query}`;
    const before = rows.get(own);
    const isRow = before?.spelling === spelling && performance.now() - before.at < rowMs;
    const count = isRow ? before.count : 0;
    if (count >= maxInRow) return undefined;
    rows.set(own, { spelling, count: count + 1, at: performance.now() }, own.length + spelling.length + 64);
    const headers: Record<string, string> = {
      Location: documentAddress(c.get("base"), id, version),
      "Cache-Control": "no-cache",
    };
    setVary(headers, c);
    setCors(headers, c);
    return new Response(null, { status: 301, headers });
  };
}
