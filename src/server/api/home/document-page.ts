// The page of a collection that its operator wrote as a whole, or a hook: its items, as the document has
// them.

import { objectsOf, plainText, type Resource, viewOfDocument } from "../../../iiif/index.ts";
import type { DocumentAround } from "../../manifests/browse/around-document.ts";
import type { FolderLock } from "../../manifests/browse/lock.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { headOf } from "../http/preview.ts";
import { textFor } from "../http/representation/reader.ts";
import { withParameters } from "./addresses.ts";
import { folderIcon } from "./collection.ts";
import { pageOf, summaryParagraph } from "./folder-page.ts";
import { headingOf, lockIcon } from "./lock.ts";
import { nameOf, textHtml } from "./names.ts";
import { searchForm } from "./search.ts";
import type { Site } from "./site.ts";
import { pageHeader } from "./site-header.ts";

/** The page; `origins`: further origins that images may come from. */
export function documentPage(
  site: Site,
  document: Resource,
  { trail, items }: DocumentAround,
  origins: readonly string[],
): Page {
  const { words, base } = site;
  const id = String(document.id);
  const name = nameOf(site, labelOf(document), id);
  const own = viewOfDocument(base, id) ?? `${base}/`;
  const summary = plainText(textFor(document.summary, site));
  const header = pageHeader(site, {
    above: trail,
    here: name.cut,
    heading: name.html,
    address: withParameters(site, new URL(own).pathname),
    search: searchForm(site, { identifier: "", search: "", from: 0 }, undefined),
    below: `<p class="links"><a href="${escapeHtml(id)}">${words.manifest}</a></p>`,
  });
  const list = items.map(({ item, lock }) => entry(site, item, lock));
  const body = `${header}
<main id="content" tabindex="-1">${summaryParagraph(summary)}${list.length > 0 ? `<ul class="strip items">${list.join("\n")}</ul>` : `<p class="notice">${escapeHtml(words.nothingHere)}</p>`}
</main>`;
  const [picture] = objectsOf(document.thumbnail);
  const page = pageOf(site, name.text, body);
  return {
    ...page,
    head: headOf({
      title: name.text,
      description: summary,
      address: own,
      document: id,
      ...(typeof picture?.id === "string" && { picture: picture.id }),
    }),
    origins: [...(page.origins ?? []), ...origins],
  };
}

const labelOf = ({ label }: Resource) => label as Parameters<typeof nameOf>[1];

function entry(site: Site, item: Resource, lock: FolderLock | undefined): string {
  const id = String(item.id);
  const own = viewOfDocument(site.base, id);
  const [picture] = objectsOf(item.thumbnail);
  const isCollection = item.type === "Collection";
  const shown = lock
    ? lockIcon
    : typeof picture?.id === "string"
      ? `<img src="${escapeHtml(picture.id)}" alt="" loading="lazy">`
      : isCollection
        ? folderIcon
        : '<span class="blank" aria-hidden="true"></span>';
  const heading = lock ? `<span class="quiet">${textHtml(site, headingOf(site, lock))}</span>` : "";
  return `<li${isCollection ? ' class="collection"' : ""}><a class="picture" href="${escapeHtml(own === undefined ? id : withParameters(site, own))}">${shown}<span>${nameOf(site, labelOf(item), id).cut}</span>${heading}</a></li>`;
}
