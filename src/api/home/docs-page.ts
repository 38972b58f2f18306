// A page of the documentation, built from docs/, in the layout of the service's own pages.

import type { Page } from "../http/page-content.ts";

/**
 * Wraps `body` in a page that is `depth` folders below the folder of all such pages, which is two levels
 * below the start page.
 */
export function docsPage(body: string, depth: number): Page {
  const up = "../".repeat(depth);
  const title = /<h1[^>]*>([^<]*)/.exec(body)?.[1] ?? "Documentation";
  return {
    title: `${title} – smalti`,
    body: `<nav><a href="${up}../../">Start page</a> <a href="${up}index.html">Documentation</a></nav>\n<main>${body}</main>`,
    styles: ["docs/docs.css"],
  };
}
