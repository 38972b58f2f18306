// Checks that a form was submitted by a page of this service (Fetch Metadata Request Headers, section 2.1;
// RFC 6454, section 7).

import { parseUrl } from "../../../../base/index.ts";
import type { RequestContext } from "../context.ts";
import { Refusal } from "../problem.ts";
import { requestHost } from "./client.ts";
import { normalHost } from "./host.ts";

/**
 * Throws a Refusal (403) for a request that a page of another origin caused. `Sec-Fetch-Site` decides, which
 * browsers send over HTTPS and to localhost; otherwise `Origin`. A request with neither does not come from a
 * current browser, so no reader's cookies are misused.
 */
export function refuseCrossSite(c: RequestContext): void {
  const { headers } = c.req.raw;
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  if (site === null ? origin === null || isOwn(c, origin) : site === "same-origin" || site === "none") return;
  throw new Refusal({
    status: 403,
    code: "cross_site_post",
    detail:
      "Expected a request from a page of this service; received one from a page of another site. Open the page here and send its form again.",
  });
}

/**
 * True if an origin is where the client reaches the service: its public URL, or the host of the request,
 * since an operator may use the service directly and a proxy may not forward the scheme.
 */
function isOwn(c: RequestContext, origin: string): boolean {
  const { base } = c.var;
  const url = parseUrl(origin);
  if (!url) return false;
  const { protocol, host } = url;
  if (protocol !== "http:" && protocol !== "https:") return false;
  const direct = normalHost(requestHost(c.req.raw), protocol === "https:" ? "https" : "http");
  return origin === new URL(base).origin || host === direct;
}
