// The pages that the start page links to: a folder of the collection, a further page of one, or search
// results.

import type { CollectionPage } from "../../manifests/browse/collection-page.ts";
import type { Page } from "../http/page-content.ts";
import { collection, type ListParameters, outcome, searchForm, trail, wholeFolder } from "./collection.ts";
import { nameOf } from "./names.ts";
import type { Site } from "./pictures.ts";
import { skipLink } from "./site-header.ts";

const unnamed = { text: undefined, html: undefined };

/** The page. */
export function folderPage(site: Site, asked: ListParameters, page: CollectionPage): Page {
  const last = page.trail.at(-1);
  const { text: name, html } = last ? nameOf(site, last.label, last.name) : unnamed;
  const heading = asked.search === "" ? (html ?? "All folders and pictures") : "Search";
  const isEmpty = page.folders.length + page.images.length === 0;
  const empty =
    isEmpty && asked.search === ""
      ? '<p class="notice">There is nothing here that you may see, or nothing yet.</p>'
      : "";
  const body = `${skipLink}<header>${trail(site, asked, page)}
<div class="head"><h1>${heading}</h1>${searchForm(site, asked, name)}</div>
${asked.search === "" && !isEmpty ? wholeFolder(site, page) : ""}</header>
<main id="content" tabindex="-1">${asked.search === "" ? empty : outcome(asked, page)}
${collection(site, asked, page)}
</main>`;
  return {
    title: `${name ?? heading} – ${site.title.text}`,
    body,
    styles: ["home/home.css"],
    searches: true,
    origins: [new URL(site.base).origin],
  };
}
