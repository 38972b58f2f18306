// A page of the documentation, built from docs/, in the layout of the service's own pages.

import type { Page } from "../http/page-content.ts";

/**
 * Wraps `body` in a page. Its links are relative to the folder of all such pages, two levels below the start
 * page.
 */
export function docsPage(body: string): Page {
  const title = /<h1[^>]*>([^<]*)/.exec(body)?.[1] ?? "Documentation";
  return {
    title: `${title} – smalti`,
    body: `<nav><a href="../../">Start page</a> <a href="index.html">Documentation</a></nav>\n<main>${body}</main>`,
    styles: ["docs/docs.css"],
  };
}
