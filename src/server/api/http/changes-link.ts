// The link to the stream of changes. No specification says how a service points to it; this is how other
// documents about the same are found (RFC 8288).

import { changesAddress, changesType } from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "./context.ts";

/** Adds the link to the headers of a response about all that the service has, if there is a stream. */
export function addChangesLink(headers: Record<string, string>, c: RequestContext, service: Service): void {
  if (!service.changes) return;
  const type = changesType.replaceAll('"', '\\"');
  const link = `<${changesAddress(c.get("base"))}>;rel="alternate";type="${type}";title="Change Discovery"`;
  headers.Link = headers.Link === undefined ? link : `${headers.Link}, ${link}`;
}
