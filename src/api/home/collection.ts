// The collection on the start page: breadcrumbs, a search, folders, images, and links to further pages.

import { documentAddress } from "../../iiif/presentation/mounts.ts";
import { viewAddress } from "../../iiif/view-mounts.ts";
import { countText } from "../../lib/text/count-text.ts";
import { type CollectionPage, shownEntries } from "../../manifests/browse/collection-page.ts";
import type { ShownFolder } from "../../manifests/browse/folder-looks.ts";
import { escapeHtml } from "../http/page.ts";
import { nameOf } from "./names.ts";
import { addressOf, card, type Site, thumbnailBox, whole } from "./pictures.ts";

/** Query parameters `in`, `q` and `from`. */
export interface ListParameters {
  /** Identifier of a folder; "" is the root. */
  readonly identifier: string;
  /** The search text as entered; "" for none. */
  readonly search: string;
  /** Index of the first entry, from 0. */
  readonly from: number;
}

/** Returns the address of a page of the collection relative to its path. */
function addressIn({ folder }: Site, { identifier, search, from }: ListParameters): string {
  const query = [
    ...(identifier === "" ? [] : [`in=${inQuery(identifier)}`]),
    ...(search === "" ? [] : [`q=${inQuery(search)}`]),
    ...(from === 0 ? [] : [`from=${from + 1}`]),
  ];
  return `${folder}/${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

const inQuery = (text: string) => encodeURIComponent(text).replaceAll("%2F", "/");

const folderAddress = (site: Site, identifier: string) =>
  addressIn(site, { identifier, search: "", from: 0 });

/** Breadcrumbs from the start page down; results of a search are below its folder. */
export function trail(site: Site, { search }: ListParameters, { trail }: CollectionPage): string {
  const named = trail.map(({ identifier, label, name }) => ({
    identifier,
    html: nameOf(site, label, name).html,
  }));
  const all = [{ identifier: "", html: "Start page" }, ...named];
  const above = (search === "" && trail.length > 0 ? all.slice(0, -1) : all).map(
    ({ identifier, html }) => `<li><a href="${escapeHtml(folderAddress(site, identifier))}">${html}</a></li>`,
  );
  const here = search === "" ? named.at(-1)?.html : "Search";
  const own = here === undefined ? "" : `<li aria-current="page">${here}</li>`;
  return `<nav class="trail" aria-label="Where you are"><ol>${above.join("")}${own}</ol></nav>`;
}

/** The search form of a folder and everything below it. It submits by GET, so that it needs no script. */
export function searchForm(
  { folder }: Site,
  { identifier, search }: ListParameters,
  name: string | undefined,
): string {
  const label = name === undefined ? "Search" : `Search in ${name}`;
  const where = identifier === "" ? "" : `<input type="hidden" name="in" value="${escapeHtml(identifier)}">`;
  return `<form class="search" role="search" action="${escapeHtml(folder)}/" method="get">${where}<input type="search" name="q" value="${escapeHtml(search)}" maxlength="200" aria-label="${escapeHtml(label)}" placeholder="Search"><button>Search</button></form>`;
}

/** The folders and images of a page of the collection; empty if there are none. */
export function collection(site: Site, asked: ListParameters, page: CollectionPage): string {
  const { folders, images, identifier } = page;
  // The names of search results do not say where they are.
  const pathOf = (of: string) =>
    asked.search === "" ? of.slice(of.lastIndexOf("/") + 1) : below(of, identifier);
  const shownFolders = `<h2 id="folders">Folders</h2>
<ul class="folders" aria-labelledby="folders">${folders.map((folder) => folderItem(site, folder, pathOf(folder.identifier))).join("\n")}</ul>`;
  const shownImages = `<h2 id="pictures">Pictures</h2>
<ul class="strip" aria-labelledby="pictures">${images.map((image) => card(site, image, pathOf(image.identifier))).join("\n")}</ul>`;
  return [
    ...(folders.length > 0 ? [shownFolders] : []),
    ...(images.length > 0 ? [shownImages] : []),
    pages(site, asked, page),
  ].join("\n");
}

const below = (identifier: string, folder: string) =>
  folder !== "" && identifier.startsWith(`${folder}/`) ? identifier.slice(folder.length + 1) : identifier;

function folderItem(site: Site, { identifier, label, holds, picture }: ShownFolder, path: string): string {
  const { text: name, html } = nameOf(site, label, path);
  const image = picture
    ? `<img src="${escapeHtml(addressOf(site.base, picture, whole(picture, thumbnailBox)))}" alt="" loading="lazy">`
    : `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 6h6l2 2h10v11H3z"/></svg>`;
  const count = holds
    ? [countText(holds.folders, "folder"), countText(holds.images, "picture")].filter(Boolean).join(", ") ||
      "empty"
    : "";
  const where = path.includes("/") && name !== path ? path : "";
  const small = [where, count].filter(Boolean).join(" · ");
  return `<li><a href="${escapeHtml(folderAddress(site, identifier))}" title="${escapeHtml(identifier)}">${image}<span><span class="name">${html}</span>${small ? ` <small class="quiet">${escapeHtml(small)}</small>` : ""}</span></a></li>`;
}

/** Returns the links of a folder as a whole. */
export function wholeFolder({ base, hasManifests }: Site, { identifier }: CollectionPage): string {
  if (!hasManifests) return "";
  return `<p class="links"><a href="${escapeHtml(viewAddress(base, identifier))}">View the folder</a> <a href="${escapeHtml(documentAddress(base, identifier))}">Manifest</a></p>`;
}

/** Links to the other pages, and the range of this one; nothing if there is only one. */
function pages(
  site: Site,
  asked: ListParameters,
  { from, next, total, folders, images }: CollectionPage,
): string {
  if (from === 0 && next === undefined) return "";
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
      : `<span>${(from + 1).toLocaleString("en")}–${(from + shown).toLocaleString("en")} of ${total.toLocaleString("en")}</span>`;
  return `<nav class="pages" aria-label="Pages">${[
    link("First", from > 0 ? 0 : undefined),
    link("Previous", previous, ' rel="prev"'),
    which,
    link("Next", next, ' rel="next"'),
    ...(total === undefined ? [] : [link("Last", next === undefined ? undefined : last)]),
  ].join(" ")}</nav>`;
}

/** Describes the result of a search. */
export function outcome({ search }: ListParameters, page: CollectionPage): string {
  const { total, folders, images, from, found: { stoppedAt, isCut, lack } = {} } = page;
  const isEmpty = folders.length + images.length === 0 && from === 0;
  const count =
    total === undefined ? "Entries" : `${total.toLocaleString("en")} ${total === 1 ? "entry" : "entries"}`;
  const found = isEmpty ? `Nothing found for “${search}”.` : `${count} found for “${search}”.`;
  const cut = isCut ? " There are more: add a word to find fewer." : "";
  const bound =
    stoppedAt === undefined
      ? ""
      : ` The search stopped before it reached the end${stoppedAt ? `, at ${stoppedAt}` : ""}. To find the rest, open a folder and search in it.`;
  const incomplete = lack === undefined ? "" : ` ${lacks[lack]}`;
  return `<p role="status">${escapeHtml(found + cut + bound + incomplete)}</p>`;
}

/** Reasons why a search may be incomplete. */
const lacks = {
  reading:
    "These results are not complete: the folders are being read. Search again in a moment to find the rest.",
  unreadable: "These results are not complete: some folders could not be read.",
} as const;
