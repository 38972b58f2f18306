// A request as access rules and hooks see it.

import type { Caller } from "../../access/access.ts";
import type { RequestContext } from "./context.ts";

/** The caller of a request for an image by its decoded identifier. */
export function callerOf(c: RequestContext, identifier: string): Caller {
  const { headers, signal } = c.req.raw;
  return {
    identifier,
    path: c.get("target").path,
    client: c.get("client"),
    signal,
    header: (name) => headers.get(name) ?? undefined,
  };
}
