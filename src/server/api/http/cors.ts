// Cross-origin access to the public routes (Image API 3.0, section 7.1; Fetch, section "CORS protocol").

import type { RequestContext } from "./context.ts";

/** Headers that let a page of an allowed origin read a response. */
const readable = {
  "Access-Control-Expose-Headers":
    "ETag, Link, Content-Disposition, X-Damaged-Master, X-Ignored-Profile, X-Ignored-Manifest-File, X-Ignored-Sidecar",
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;

const corsHeaders = { "Access-Control-Allow-Origin": "*", ...readable } as const;

/**
 * Sets the cross-origin headers of a response before it is created, if its route has them. Only an act that
 * has to be fast needs this: on Node, adding headers to a Response costs more than all others together.
 */
export function setCors(headers: Record<string, string>, c: RequestContext): void {
  if (c.get("route")?.cors !== true) return;
  Object.assign(headers, corsHeaders);
  c.set("hasCors", true);
}

/**
 * Adds the cross-origin headers of the route to an existing response, unless {@link setCors} has set them.
 */
export function addCors(c: RequestContext): void {
  const cors = c.get("route")?.cors;
  if (!cors || c.get("hasCors")) return;
  const { headers } = c.res;
  if (cors === true) {
    for (const [name, value] of Object.entries(corsHeaders)) headers.set(name, value);
    return;
  }
  headers.append("Vary", "Origin");
  const origin = c.req.raw.headers.get("Origin");
  if (origin === null || !cors.includes(origin)) return;
  headers.set("Access-Control-Allow-Origin", origin);
  for (const [name, value] of Object.entries(readable)) headers.set(name, value);
}

/**
 * Responds to OPTIONS at an address that has these methods. `fields`: request headers that pages may send in
 * addition to the usual ones.
 */
export function preflight(methods: string, fields: readonly string[] = []): Response {
  return new Response(null, {
    status: 204,
    headers: {
      Allow: methods,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": [
        "Authorization, Content-Type, If-None-Match, If-Modified-Since",
        ...fields,
      ].join(", "),
      "Access-Control-Max-Age": "86400",
    },
  });
}
