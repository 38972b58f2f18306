// Addresses of responses of search services: those of the service with the parameters that made a difference.

import { type SearchLocation, searchAddress } from "./mounts.ts";
import type { SearchRequest } from "./request.ts";

/** A service under the public URL of a request. */
export interface SearchSite extends SearchLocation {
  /** Without a trailing /. */
  readonly base: string;
}

/** Returns the address of a response; `page`: its number, from 1, if there are several. */
export function responseAddress(site: SearchSite, { sent }: SearchRequest, page?: number): string {
  const parameters = new URLSearchParams(sent.map(([name, value]) => [name, value]));
  if (page !== undefined) parameters.set("page", String(page));
  const query = parameters.toString();
  return searchAddress(site.base, site) + (query && `?${query}`);
}

/** Returns the address of a search for another query with the same filters. */
export function queryAddress(site: SearchSite, { sent }: SearchRequest, query: string): string {
  const parameters = new URLSearchParams({ q: query });
  for (const [name, value] of sent) if (name !== "q" && name !== "min") parameters.set(name, value);
  return `${searchAddress(site.base, { ...site, kind: "search" })}?${parameters}`;
}
