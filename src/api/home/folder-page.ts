// A folder of the collection, a further page of one, or what a search finds: what the start page leads to.

import type { CollectionPage } from "../../manifests/browse/collection-page.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { type Asked, collection, outcome, searchForm, trail, wholeFolder } from "./collection.ts";
import type { Site } from "./pictures.ts";

/** The page. */
export function folderPage(site: Site, asked: Asked, page: CollectionPage): Page {
  const name = page.trail.at(-1)?.name;
  const heading = asked.search === "" ? (name ?? "All folders and pictures") : "Search";
  const isEmpty = page.folders.length + page.images.length === 0;
  const empty =
    isEmpty && asked.search === ""
      ? '<p class="notice">There is nothing here that you may see, or nothing yet.</p>'
      : "";
  const body = `<header>${trail(site, asked, page)}
<div class="head"><h1>${escapeHtml(heading)}</h1>${searchForm(site, asked, name)}</div>
${asked.search === "" && !isEmpty ? wholeFolder(site, page) : ""}</header>
<main>${asked.search === "" ? empty : outcome(asked, page)}
${collection(site, asked, page)}
</main>`;
  return {
    title: `${name ?? heading} – smalti`,
    body,
    styles: ["home/home.css"],
    searches: true,
    origins: [new URL(site.base).origin],
  };
}
