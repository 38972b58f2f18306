// Descriptions of the search services of a manifest (Content Search 2.0, section 3; 1.0, sections 3.1 and
// 4.1).

import type { Resource } from "../presentation/model.ts";
import { type SearchKind, type SearchVersion, searchAddress } from "./mounts.ts";

/** JSON-LD context of responses, by version. */
export const searchContext: Readonly<Record<SearchVersion, string>> = {
  1: "http://iiif.io/api/search/1/context.json",
  2: "http://iiif.io/api/search/2/context.json",
};

/**
 * Returns the value of `service` of a manifest of 3.0 whose text can be searched, by its identifier: version
 * 2 first, since some viewers use the first service of either type. Version 2 has no `profile`, by which UV
 * would take it for version 1; version 1 has both `profile` and type, since viewers look for one of them.
 * Documents of 2.1 are converted, with version 1 alone.
 */
export function searchServices(base: string, id: string): readonly Resource[] {
  const addressOf = (kind: SearchKind, search: SearchVersion) =>
    searchAddress(base, { kind, search, presentation: 3, id });
  return [
    {
      id: addressOf("search", 2),
      type: "SearchService2",
      service: [{ id: addressOf("autocomplete", 2), type: "AutoCompleteService2" }],
    },
    {
      "@id": addressOf("search", 1),
      "@type": "SearchService1",
      profile: "http://iiif.io/api/search/1/search",
      service: [
        {
          "@id": addressOf("autocomplete", 1),
          "@type": "AutoCompleteService1",
          profile: "http://iiif.io/api/search/1/autocomplete",
        },
      ],
    },
  ];
}
