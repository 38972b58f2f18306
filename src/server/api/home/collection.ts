// The lists on the pages of the collection: folders, images, and links to further pages.

import { documentAddress } from "../../../iiif/index.ts";
import { type CollectionPage, shownEntries } from "../../manifests/browse/collection-page.ts";
import type { ShownFolder } from "../../manifests/browse/folder-looks.ts";
import type { LabelledTrail } from "../../manifests/browse/labels.ts";
import { escapeHtml } from "../http/page.ts";
import { fillIn } from "../http/representation/reader.ts";
import { addressIn, folderAddress, type ListParameters, viewerAddress } from "./addresses.ts";
import { countOf, numberOf } from "./counts.ts";
import { headingOf, lockIcon, loginOf } from "./lock.ts";
import { nameOf, textHtml } from "./names.ts";
import { addressOf, card, thumbnailBox, wholeImagePath } from "./pictures.ts";
import type { Site } from "./site.ts";

/** The folders and images of a page of the collection; empty if there are none. */
export function collection(site: Site, asked: ListParameters, page: CollectionPage): string {
  const { folders, images } = page;
  const { words } = site;
  // The names of search results do not say where they are.
  const whereOf = (identifier: string) => (asked.search === "" ? [] : folderOf(page, identifier));
  const shownFolders = `<h2 id="folders">${words.folders}</h2>
<ul class="folders" aria-labelledby="folders">${folders.map((folder) => folderItem(site, folder, whereOf(folder.identifier))).join("\n")}</ul>`;
  const shownImages = `<h2 id="pictures">${words.pictures}</h2>
<ul class="strip" aria-labelledby="pictures">${images.map((image) => card(site, image, whereOf(image.identifier))).join("\n")}</ul>`;
  return [
    ...(folders.length > 0 ? [shownFolders] : []),
    ...(images.length > 0 ? [shownImages] : []),
    pages(site, asked, page),
  ].join("\n");
}

/**
 * Returns the way to the folder of a search result, from the folder of the search on; that one itself if the
 * result is in it.
 */
function folderOf({ around, trail }: CollectionPage, identifier: string): LabelledTrail {
  const way = around.get(identifier) ?? [];
  return way.length > trail.length ? way.slice(trail.length) : way.slice(-1);
}

function folderItem(
  site: Site,
  { identifier, label, holds, picture, lock }: ShownFolder,
  where: LabelledTrail,
): string {
  const { words } = site;
  const { text: name, cut } = nameOf(site, label, identifier.slice(identifier.lastIndexOf("/") + 1));
  const address = folderAddress(site, identifier);
  const image = lock
    ? lockIcon
    : picture
      ? `<img src="${escapeHtml(addressOf(site.base, picture, wholeImagePath(picture, thumbnailBox)))}" alt="" loading="lazy">`
      : folderIcon;
  const count = holds
    ? [
        countOf(site, holds.folders, words.folderCount),
        countOf(site, holds.images, words.pictureCount),
      ].filter(Boolean)
    : undefined;
  const small = [
    ...(where.length > 0 ? [escapeHtml(pathOf(site, where))] : []),
    ...(lock ? [textHtml(site, headingOf(site, lock))] : []),
    ...(count ? [escapeHtml(count.join(", ") || words.empty)] : []),
  ];
  const open = `<a href="${escapeHtml(address)}" title="${escapeHtml(identifier)}">${image}<span><span class="name">${cut}</span>${small.length > 0 ? ` <small class="quiet">${small.join(" · ")}</small>` : ""}</span></a>`;
  return lock ? `<li class="locked">${open}${loginOf(site, lock, name, address)}</li>` : `<li>${open}</li>`;
}

export const folderIcon = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 6h6l2 2h10v11H3z"/></svg>';

/** Returns the names of a way. */
export const pathOf = (site: Site, way: LabelledTrail) =>
  way.map(({ label, name }) => nameOf(site, label, name).text).join(" / ");

/** Returns the links of a folder as a whole. */
export function wholeFolder(site: Site, { identifier, viewed }: CollectionPage): string {
  if (!site.hasManifests) return "";
  const { words, base } = site;
  const view =
    viewed === undefined
      ? ""
      : `<a href="${escapeHtml(viewerAddress(site, viewed))}">${words.viewFolder}</a> `;
  return `<p class="links">${view}<a href="${escapeHtml(documentAddress(base, identifier))}">${words.manifest}</a></p>`;
}

/** Links to the other pages, and the range of this one; nothing if there is only one. */
function pages(
  site: Site,
  asked: ListParameters,
  { from, next, total, folders, images }: CollectionPage,
): string {
  if (from === 0 && next === undefined) return "";
  const { words } = site;
  const link = (text: string, to: number | undefined, rel = "") =>
    to === undefined
      ? `<span class="quiet" aria-hidden="true">${text}</span>`
      : `<a href="${escapeHtml(addressIn(site, { ...asked, from: to }))}"${rel}>${text}</a>`;
  const last = total === undefined ? undefined : Math.floor((total - 1) / shownEntries) * shownEntries;
  // If each entry needs a decision, the number of entries that the previous page would skip is unknown.
  const previous = from > 0 && total !== undefined ? Math.max(0, from - shownEntries) : undefined;
  const shown = folders.length + images.length;
  const which =
    total === undefined
      ? ""
      : `<span>${fillIn(words.range, { from: numberOf(site, from + 1), to: numberOf(site, from + shown), total: numberOf(site, total) })}</span>`;
  return `<nav class="pages" aria-label="${words.pages}">${[
    link(words.first, from > 0 ? 0 : undefined),
    link(words.previous, previous, ' rel="prev"'),
    which,
    link(words.next, next, ' rel="next"'),
    ...(total === undefined ? [] : [link(words.last, next === undefined ? undefined : last)]),
  ].join(" ")}</nav>`;
}
