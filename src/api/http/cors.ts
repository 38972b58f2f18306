// Cross-origin access to the public routes (Image API 3.0, section 7.1; Fetch, section "CORS protocol").

import type { RequestContext } from "./context.ts";

const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Link, Content-Disposition, X-Ignored-Profile",
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;

/**
 * Sets the cross-origin headers of an answer before it is made, where its route has them. Only an act that has to be fast needs
 * to: on Node, headers that are added to a Response cost more than all others together.
 */
export function setCors(headers: Record<string, string>, c: RequestContext): void {
  if (!c.get("route")?.cors) return;
  Object.assign(headers, corsHeaders);
  c.set("hasCors", true);
}

/** Adds the cross-origin headers of the route to the answer that is there, unless {@link setCors} has set them. */
export function addCors(c: RequestContext): void {
  if (!c.get("route")?.cors || c.get("hasCors")) return;
  for (const [name, value] of Object.entries(corsHeaders)) c.res.headers.set(name, value);
}

/** The answer to OPTIONS at an address that has these methods. */
export function preflight(methods: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      Allow: methods,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match, If-Modified-Since",
      "Access-Control-Max-Age": "86400",
    },
  });
}
