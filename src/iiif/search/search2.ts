// Responses of Content Search 2.0 (sections 4.2 and 4.3) in the form that Clover, Mirador, UV and other
// viewers accept.

import { inertText } from "../presentation/inert-text.ts";
import type { Resource } from "../presentation/model.ts";
import { responseAddress, type SearchSite } from "./addresses.ts";
import type { Found, Term } from "./found.ts";
import { responsePages, type WrittenMatch, type WrittenPart, writtenMatches } from "./found-parts.ts";
import { searchContext } from "./services.ts";

/**
 * Returns a page of what was found: an annotation for each line of a match, with the whole line as its text
 * and the matched words as its target, and what is highlighted in it.
 *
 * Up to a thousand matches have no `partOf`. It is a list of one collection on longer ones, as in
 * Presentation 3.0: the specification has the object itself, with which @iiif/parser fails, so that Clover
 * would show nothing. In JSON-LD both mean the same.
 */
export function searchResponse2(found: Found, site: SearchSite): Resource {
  const { request, total, note } = found;
  const { ignored } = request;
  const pages = responsePages(found, site);
  const { id, all, start, others } = pages;
  const page = (address: string) => ({ id: address, type: "AnnotationPage" });
  const collection = others && {
    partOf: [{ id: all, type: "AnnotationCollection", first: page(others.first), last: page(others.last) }],
    ...(others.next !== undefined && { next: page(others.next) }),
    ...(others.prev !== undefined && { prev: page(others.prev) }),
    // Indexes of later pages depend on how many matches before are on several lines.
    ...(start === 0 && { startIndex: 0 }),
  };
  const matches = writtenMatches(found, pages, site);
  return {
    "@context": searchContext[2],
    ...page(id),
    ...(note !== undefined && { label: { en: [note] } }),
    ...collection,
    ...(ignored.length > 0 && { ignored }),
    items: matches.flatMap((match) => match.parts.map((part) => item(part, match))),
    ...(matches.length > 0 && {
      annotations: [
        {
          ...page(`${id}#hits`),
          ...(others && { partOf: [{ id: `${all}#hits`, type: "AnnotationCollection", total }] }),
          items: matches.map(highlight),
        },
      ],
    }),
  };
}

function item(part: WrittenPart, { match: { manifest } }: WrittenMatch): Resource {
  const { id, target, before, exact, after, language } = part;
  return {
    id,
    type: "Annotation",
    motivation: "supplementing",
    body: {
      type: "TextualBody",
      value: before + exact + after,
      format: "text/plain",
      ...(language !== undefined && { language }),
    },
    target: manifest
      ? {
          id: target,
          type: "Canvas",
          partOf: { id: manifest.id, type: "Manifest", label: { none: [manifest.label] } },
        }
      : target,
  };
}

/** Returns the highlighting of a match: of several lines if it is on them (section 4.3.4). */
function highlight({ id, parts }: WrittenMatch): Resource {
  const [first, ...more] = parts.map(({ id: source, before, exact, after }) => ({
    type: "SpecificResource",
    source,
    selector: [
      {
        type: "TextQuoteSelector",
        ...(before !== "" && { prefix: before }),
        exact,
        ...(after !== "" && { suffix: after }),
      },
    ],
  }));
  return {
    id,
    type: "Annotation",
    motivation: "highlighting",
    target: more.length > 0 ? [first, ...more] : first,
  };
}

/** Returns the terms that a query begins, in their order (sections 5.2 and 5.3). */
export function termsResponse2(
  terms: readonly Term[],
  request: Found["request"],
  site: SearchSite,
): Resource {
  return {
    "@context": searchContext[2],
    id: responseAddress(site, request),
    type: "TermPage",
    ...(request.ignored.length > 0 && { ignored: request.ignored }),
    items: terms.map(({ value, total, language }) => ({
      value: inertText(value),
      total,
      ...(language !== undefined && { language }),
    })),
  };
}
