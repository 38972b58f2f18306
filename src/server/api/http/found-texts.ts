// Searches the text of sources for the caller of a request.

import { locationOf } from "../../manifests/locations.ts";
import type { FoundTexts, TextsRequest } from "../../manifests/source-texts/source-text-search.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "./context.ts";
import { documentContext } from "./document-context.ts";

export interface AskedTexts extends Pick<TextsRequest, "query" | "from" | "count"> {
  /** Identifier of a folder; "" for all sources. */
  readonly identifier: string;
}

/** Returns pages with all words of a query; undefined if no texts are indexed. Throws as the search does. */
export async function searchTexts(
  c: RequestContext,
  service: Service,
  { identifier, ...asked }: AskedTexts,
): Promise<FoundTexts | undefined> {
  return service.sourceTexts?.find({
    location: locationOf(service.sources, identifier),
    isRoot: identifier === "",
    caller: callerOf(c, identifier),
    context: documentContext(c, service),
    ...asked,
  });
}
