// Responses of Content Search 1.0 (sections 3.3, 3.4 and 4.3) in the form that Mirador and UV accept.

import { presentationContext } from "../presentation/context.ts";
import { inertText } from "../presentation/inert-text.ts";
import type { Resource } from "../presentation/model.ts";
import { queryAddress, responseAddress, type SearchSite } from "./addresses.ts";
import type { Found, Term } from "./found.ts";
import {
  responsePages,
  textsOf,
  type WrittenMatch,
  type WrittenPart,
  writtenMatches,
} from "./found-parts.ts";
import { searchContext } from "./services.ts";

/**
 * Returns a page of what was found: an annotation for each line of a match, with the matched words as its
 * text, and a hit for each match. All annotations of a hit are on the same page, without which Mirador fails,
 * and `total` counts the hits, of which Mirador counts down.
 */
export function searchResponse1(found: Found, site: SearchSite): Resource {
  const { request, total, note } = found;
  const { ignored } = request;
  const pages = responsePages(found, site);
  const { id, all, start, others } = pages;
  const matches = writtenMatches(found, pages, site);
  return {
    "@context": [presentationContext[2], searchContext[1]],
    "@id": id,
    "@type": "sc:AnnotationList",
    ...(note !== undefined && { label: note }),
    within: {
      ...(others && { "@id": all }),
      "@type": "sc:Layer",
      total,
      ...(others && { first: others.first, last: others.last }),
      ...(ignored.length > 0 && { ignored }),
    },
    ...(others?.next !== undefined && { next: others.next }),
    ...(others?.prev !== undefined && { prev: others.prev }),
    startIndex: start,
    resources: matches.flatMap((match) => match.parts.map((part) => resource(part, match))),
    hits: matches.map(hit),
  };
}

function resource(part: WrittenPart, { match: { manifest } }: WrittenMatch): Resource {
  const { id, target, exact, language } = part;
  return {
    "@id": id,
    "@type": "oa:Annotation",
    motivation: "sc:painting",
    resource: {
      "@type": "cnt:ContentAsText",
      chars: exact,
      format: "text/plain",
      ...(language !== undefined && { language }),
    },
    on: manifest
      ? { "@id": target, within: { "@id": manifest.id, "@type": "sc:Manifest", label: manifest.label } }
      : target,
  };
}

function hit({ parts, match: { text } }: WrittenMatch): Resource {
  const { before, exact, after } = textsOf(text);
  return {
    "@type": "search:Hit",
    annotations: parts.map(({ id }) => id),
    match: exact,
    before,
    after,
  };
}

/** Returns the terms that a query begins, in their order, each with the search for it (section 4.3). */
export function termsResponse1(
  terms: readonly Term[],
  request: Found["request"],
  site: SearchSite,
): Resource {
  return {
    "@context": searchContext[1],
    "@id": responseAddress(site, request),
    "@type": "search:TermList",
    ...(request.ignored.length > 0 && { ignored: request.ignored }),
    terms: terms.map(({ value, total }) => ({
      match: inertText(value),
      url: queryAddress(site, request, value),
      count: total,
    })),
  };
}
