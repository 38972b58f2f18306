// Pictures on the start page and their addresses.

import { imageAddress, mainPrefix } from "../../iiif/image/mounts.ts";
import { encodeIdentifier } from "../../iiif/image/path.ts";
import { documentAddress } from "../../iiif/presentation/mounts.ts";
import { viewAddress } from "../../iiif/view-mounts.ts";
import type { ListedImage } from "../../images/look.ts";
import type { ShownImage } from "../../manifests/browse/sight.ts";
import type { Provider } from "../../manifests/browse/site.ts";
import { escapeHtml } from "../http/page.ts";
import type { TextInLanguage } from "../http/representation/language.ts";
import { nameOf } from "./names.ts";

/** Sides of the boxes for thumbnails and the linked JPEG, in pixels. */
export const thumbnailBox = 200;
export const largeBox = 1200;

/** The inputs for addresses on a page. */
export interface Site {
  /** Public URL of the service without trailing slash. */
  readonly base: string;
  /** Path of the same. */
  readonly folder: string;
  /** The reader's language ranges, in order of preference. */
  readonly ranges: readonly string[];
  /** Title of the collection; "smalti" by default. */
  readonly title: TextInLanguage;
  /** True if the operator set the title. */
  readonly isNamed: boolean;
  readonly provider?: Provider;
  /** True if manifests and their pages are served. */
  readonly hasManifests: boolean;
}

/**
 * Returns the path after the identifier that requests the whole image within a box; an image that fits the
 * box is requested in its own size.
 */
export function whole(image: ListedImage, box: number): string {
  const fits = image.size && image.size.width <= box && image.size.height <= box;
  return `/full/${fits ? "max" : `!${box},${box}`}/0/default.jpg`;
}

export const addressOf = (base: string, image: ListedImage, rest: string) =>
  imageAddress(base + mainPrefix[3], image.identifier) + rest;

export const dimensions = (image: ListedImage) => `${image.size?.width} × ${image.size?.height}`;

/**
 * An image as a list item that links to the page of the image. Its manifest and its description are in a
 * menu, so that keyboard users need not pass them. `path`: its path below the folder of the page.
 */
export function card(site: Site, image: ShownImage, path: string): string {
  const { base, hasManifests } = site;
  const { text: name, html } = nameOf(site, image.label, path);
  const title = escapeHtml(image.identifier);
  const where = path.includes("/") && name !== path ? `<span class="quiet">${escapeHtml(path)}</span>` : "";
  if (!image.size)
    return `<li class="broken"><span title="${title}">${html}</span>${where} <span class="reason quiet">${escapeHtml(image.problem ?? "")}</span></li>`;
  const large = whole(image, largeBox);
  const own = hasManifests ? viewAddress(base, image.identifier) : addressOf(base, image, large);
  const link = (address: string, label: string) =>
    `<a href="${escapeHtml(address)}" aria-label="${escapeHtml(`${label}: ${name}`)}">${label}</a>`;
  const links = [
    ...(hasManifests
      ? [link(own, "View"), link(documentAddress(base, image.identifier), "Manifest")]
      : [link(own, "JPEG")]),
    link(addressOf(base, image, "/info.json"), "info.json"),
  ];
  return `<li><a class="picture" href="${escapeHtml(own)}" title="${title}" data-id="${escapeHtml(encodeIdentifier(image.identifier))}" data-name="${escapeHtml(image.label ? name : image.identifier)}" data-size="${dimensions(image)}" data-large="${large}"><img src="${escapeHtml(addressOf(base, image, whole(image, thumbnailBox)))}" alt="" loading="lazy"><span>${html}</span>${where}</a>
<details class="more"><summary><span class="facts quiet">${dimensions(image)}<span class="unseen">, links of ${html}</span></span></summary><p class="links">${links.join(" ")}</p></details></li>`;
}
