// Methods of the routes, and cross-origin access to the public ones (Image API 3.0, section 7.1).

export const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Link, Content-Disposition, X-Ignored-Profile",
  "Cross-Origin-Resource-Policy": "cross-origin",
} as const;

const methods = "GET, HEAD, OPTIONS";

/** The answer to OPTIONS; `headers` open the route to pages of other origins, or do not. */
export function preflight(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      Allow: methods,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": "Authorization, Content-Type, If-None-Match, If-Modified-Since",
      "Access-Control-Max-Age": "86400",
    },
  });
}

/** What a 405 says of the methods that a GET route knows. */
export const allowed = { Allow: methods } as const;
