// Who may cache a response and what it varies by: `Cache-Control` and `Vary`, composed here for every
// surface.

import type { Sharing } from "../../../access/access.ts";
import type { RequestContext } from "../context.ts";

/**
 * Sets both headers of a response that an access decision led to. `open`: the value of `Cache-Control` if any
 * cache may store it. `names`: request headers that the response varies by, in addition to those that the
 * decision and the base URL depend on.
 */
export function setCaching(
  headers: Record<string, string>,
  c: RequestContext,
  { cachedBy, vary }: Sharing,
  open: string,
  ...names: readonly string[]
): void {
  headers["Cache-Control"] = cachedBy === "anyone" ? open : "private, no-cache";
  setVary(headers, c, ...names, ...vary);
}

/**
 * Sets `Vary` of a response that contains public URIs: `names`, and the headers that a derived base URL
 * depends on.
 */
export function setVary(
  headers: Record<string, string>,
  c: RequestContext,
  ...names: readonly string[]
): void {
  const vary = [...names, c.get("baseHeaders")].filter((name) => name !== "");
  if (vary.length > 0) headers.Vary = vary.join(", ");
}
