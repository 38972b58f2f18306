// Cross-origin access to the public routes (Image API 3.0, section 7.1; Fetch, section "CORS protocol").

import type { RequestContext } from "./context.ts";

/** What a page needs to read an answer, once its origin may. */
const readable = {
  "Access-Control-Expose-Headers":
    "ETag, Link, Content-Disposition, X-Ignored-Profile, X-Ignored-Manifest-File, X-Ignored-Sidecar",
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;

const corsHeaders = { "Access-Control-Allow-Origin": "*", ...readable } as const;

/**
 * Sets the cross-origin headers of an answer before it is made, where its route has them. Only an act that has to be fast needs
 * to: on Node, headers that are added to a Response cost more than all others together.
 */
export function setCors(headers: Record<string, string>, c: RequestContext): void {
  if (c.get("route")?.cors !== true) return;
  Object.assign(headers, corsHeaders);
  c.set("hasCors", true);
}

/** Adds the cross-origin headers of the route to the answer that is there, unless {@link setCors} has set them. */
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

/** The answer to OPTIONS at an address that has these methods. `fields`: request headers that pages may send besides the usual ones. */
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
