// Responses of search services, by the version of the service.

import type { Resource } from "../presentation/model.ts";
import type { SearchSite } from "./addresses.ts";
import type { Found, Term } from "./found.ts";
import type { SearchVersion } from "./mounts.ts";
import { searchResponse1, termsResponse1 } from "./search1.ts";
import { searchResponse2, termsResponse2 } from "./search2.ts";

export type { SearchSite } from "./addresses.ts";

const writers = {
  1: { search: searchResponse1, terms: termsResponse1 },
  2: { search: searchResponse2, terms: termsResponse2 },
} as const satisfies Readonly<Record<SearchVersion, unknown>>;

/** Returns a page of what a search has found, in the version of the service. */
export function searchResponse(found: Found, site: SearchSite): Resource {
  return writers[site.search].search(found, site);
}

/** Returns the terms that a query begins, in the version of the service of autocompletion, `site`. */
export function termsResponse(terms: readonly Term[], request: Found["request"], site: SearchSite): Resource {
  return writers[site.search].terms(terms, request, site);
}
