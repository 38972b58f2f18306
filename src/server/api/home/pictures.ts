// Pictures on the pages of the collection and their addresses.

import { documentAddress, encodeIdentifier, imageAddress, mainPrefix } from "../../../iiif/index.ts";
import type { ListedImage } from "../../images/look.ts";
import type { LabelledTrail } from "../../manifests/browse/labels.ts";
import type { ShownImage } from "../../manifests/browse/sight.ts";
import { escapeHtml } from "../http/page.ts";
import { fillIn } from "../http/representation/reader.ts";
import { folderAddress, viewerAddress } from "./addresses.ts";
import { nameOf } from "./names.ts";
import type { Site } from "./site.ts";

/** Side of the box for thumbnails, in pixels. */
export const thumbnailBox = 200;
/** Side of the box for the linked JPEG, in pixels. */
export const largeBox = 1200;

/**
 * Returns the path after the identifier that requests the whole image within a box; an image that fits the
 * box is requested in its own size.
 */
export function wholeImagePath(image: ListedImage, box: number): string {
  const fits = image.size && image.size.width <= box && image.size.height <= box;
  return `/full/${fits ? "max" : `!${box},${box}`}/0/default.jpg`;
}

export const addressOf = (base: string, image: ListedImage, rest: string) =>
  imageAddress(base + mainPrefix[3], image.identifier) + rest;

export const dimensions = (image: ListedImage) => `${image.size?.width} × ${image.size?.height}`;

/**
 * An image as a list item that links to the page of the image. Its manifest and its description are in a
 * menu, so that keyboard users need not pass them. `where`: the way to its folder, if it is to be shown.
 */
export function card(site: Site, image: ShownImage, where: LabelledTrail): string {
  const { base, hasManifests, words } = site;
  const { identifier } = image;
  const { text: name, cut } = nameOf(site, image.label, identifier.slice(identifier.lastIndexOf("/") + 1));
  const title = escapeHtml(identifier);
  const folder = folderLink(site, where);
  if (!image.size)
    return `<li class="broken"><span title="${title}">${cut}</span>${folder} <span class="reason quiet"${site.language === "en" ? "" : ' lang="en"'}>${escapeHtml(image.problem ?? "")}</span></li>`;
  const large = wholeImagePath(image, largeBox);
  const own = hasManifests ? viewerAddress(site, identifier) : addressOf(base, image, large);
  const link = (address: string, label: string) =>
    `<a href="${escapeHtml(address)}" aria-label="${escapeHtml(`${label}: ${name}`)}">${label}</a>`;
  const links = [
    ...(hasManifests
      ? [link(own, words.view), link(documentAddress(base, identifier), words.manifest)]
      : [link(own, "JPEG")]),
    link(addressOf(base, image, "/info.json"), "info.json"),
  ];
  return `<li><a class="picture" href="${escapeHtml(own)}" title="${title}" data-id="${escapeHtml(encodeIdentifier(identifier))}" data-name="${escapeHtml(image.label ? name : identifier)}" data-size="${dimensions(image)}" data-large="${large}"><img src="${escapeHtml(addressOf(base, image, wholeImagePath(image, thumbnailBox)))}" alt="" loading="lazy"><span>${cut}</span></a>${folder}
<details class="more"><summary><span class="facts quiet">${dimensions(image)}<span class="unseen">, ${escapeHtml(fillIn(words.linksOf, { name }))}</span></span></summary><p class="links">${links.join(" ")}</p></details></li>`;
}

/** The link from a search result to its folder; "" at the top. */
function folderLink(site: Site, where: LabelledTrail): string {
  const last = where.at(-1);
  if (!last) return "";
  const way = where.map(({ label, name }) => nameOf(site, label, name).cut).join(" / ");
  return `<a class="where quiet" href="${escapeHtml(folderAddress(site, last.identifier))}">${way}</a>`;
}
