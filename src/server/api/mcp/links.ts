// Links from tool results to documents of the Presentation API.

import { documentAddress } from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import type { CallToolResult } from "./protocol.ts";

/**
 * Returns a link to the manifest or collection of an identifier; none if the Presentation API is disabled.
 */
export function manifestLink(
  c: RequestContext,
  { manifests }: Service,
  identifier: string,
  name: string,
): CallToolResult["content"] {
  if (!manifests) return [];
  return [
    {
      type: "resource_link",
      uri: documentAddress(c.get("base"), identifier),
      name,
      description: "IIIF Presentation 3 manifest or collection, for viewers",
      mimeType: "application/ld+json",
    },
  ];
}
