// A page of the documentation, which the build made of docs/, in the frame of the service's own pages.

import { page } from "../http/page.ts";

/** The whole document around `body`, whose links are relative to the folder of all such pages, two below the start page. */
export function docsPage(body: string): string {
  const title = /<h1[^>]*>([^<]*)/.exec(body)?.[1] ?? "Documentation";
  return page(
    `${title} – smalti`,
    `<nav><a href="../../">Start page</a> <a href="index.html">Documentation</a></nav>\n<main>${body}</main>`,
    `<link rel="icon" href="../home/icon.svg" type="image/svg+xml">\n<link rel="stylesheet" href="docs.css">\n`,
  );
}
