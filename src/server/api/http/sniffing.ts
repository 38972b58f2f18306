// Keeps browsers from taking a response for another type than it names (Fetch, section 3.6).

import type { RequestContext } from "./context.ts";

/**
 * Statuses of images, documents and pages, which have the header from the start: on Node, adding one to a
 * Response costs more than all others together.
 */
const settled: ReadonlySet<number> = new Set([200, 206, 304]);

/** Adds `X-Content-Type-Options` to redirects, refusals and responses without a body. */
export function forbidSniffing(c: RequestContext): void {
  if (!settled.has(c.res.status)) c.res.headers.set("X-Content-Type-Options", "nosniff");
}
