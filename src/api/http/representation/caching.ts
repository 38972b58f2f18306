// Who may keep an answer and what it varies by: `Cache-Control` and `Vary`, composed here for every surface.

import type { Sharing } from "../../../access/access.ts";
import { forwardedHeaders } from "../client/client.ts";
import type { RequestContext } from "../context.ts";

/**
 * Sets both headers of an answer to which an access decision led. `open`: the value of `Cache-Control` where any cache
 * may keep it. `names`: request headers that the answer varies by, beside those that the decision and the base URL
 * depend on.
 */
export function setCaching(
  headers: Record<string, string>,
  c: RequestContext,
  { keptBy, vary }: Sharing,
  open: string,
  ...names: readonly string[]
): void {
  headers["Cache-Control"] = keptBy === "anyone" ? open : "private, no-cache";
  setVary(headers, c, ...names, ...vary);
}

/** Sets `Vary` of an answer that holds public URIs: `names`, and the headers that a derived base URL depends on. */
export function setVary(
  headers: Record<string, string>,
  c: RequestContext,
  ...names: readonly string[]
): void {
  if (c.get("baseDerived")) headers.Vary = [...names, forwardedHeaders].join(", ");
  else if (names.length > 0) headers.Vary = names.join(", ");
}
