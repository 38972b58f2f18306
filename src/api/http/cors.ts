// Cross-origin access to the public routes (Image API 3.0, section 7.1; Fetch, section "CORS protocol").

/** Lets pages of all origins read an answer. */
export function addCors(headers: Headers): void {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", "ETag, Link, Content-Disposition, X-Ignored-Profile");
  headers.set("Cross-Origin-Resource-Policy", "cross-origin");
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
