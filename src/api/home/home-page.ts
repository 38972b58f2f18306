// The start page as HTML: one picture to zoom, the others to choose from, and the addresses that lead to them (D-17).

import { encodeIdentifier } from "../../iiif/image/path.ts";
import type { Listed } from "../../images/first-images.ts";
import type { Service } from "../../service.ts";
import { escapeHtml, page } from "../http/page.ts";

/** Sides of the boxes that thumbnails and the linked JPEG fit in, in pixels. */
const thumbnailBox = 200;
const largeBox = 1200;

/** The whole document. `base`: public URL of the service without trailing slash. */
export function homePage(service: Service, base: string, images: readonly Listed[]): string {
  const first = images.find((image) => image.size);
  const folder = new URL(base).pathname.replace(/\/$/, "");
  const body = `<header><h1>smalti <span class="quiet">${escapeHtml(service.version)}</span></h1>
<p class="quiet">An image server for deep zoom: <a href="https://iiif.io/api/image/3.0/">IIIF Image API</a> 3.0 and <a href="https://iiif.io/api/image/2.1/">2.1</a>.</p></header>
<main>${first ? viewer(base, first) : `<p class="notice">${escapeHtml(nothingToShow(service))}</p>`}
${images.length > 1 || (images.length === 1 && !first) ? strip(base, images) : ""}
${service.config().sources.length === 0 ? ownImages : ""}
<h2>Addresses</h2>
${addresses(base, folder, first)}
</main>`;
  const head = `<link rel="icon" href="${escapeHtml(folder)}/static/home/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${escapeHtml(folder)}/static/home/home.css">
${
  first
    ? `<script src="${escapeHtml(folder)}/static/openseadragon/openseadragon.min.js" defer></script>
<script src="${escapeHtml(folder)}/static/home/home.js" defer></script>
`
    : ""
}`;
  return page("smalti", body, head);
}

/** An image request for the whole picture within a box; a picture within the box is asked for as it is. */
function whole(base: string, image: Listed, box: number): string {
  const fits = image.size && image.size.width <= box && image.size.height <= box;
  return `${base}/iiif/3/${encodeIdentifier(image.identifier)}/full/${fits ? "max" : `!${box},${box}`}/0/default.jpg`;
}

const dimensions = (image: Listed) => `${image.size?.width} × ${image.size?.height}`;

/** Act, label, and the strokes of its icon in a square of 24. */
const controls = [
  ["in", "Zoom in", "M12 6v12M6 12h12"],
  ["out", "Zoom out", "M6 12h12"],
  ["home", "Whole picture", "M5 11l7-6 7 6v8H5z"],
  ["full", "Full screen", "M6 10V6h4M14 6h4v4M18 14v4h-4M10 18H6v-4"],
] as const;

function viewer(base: string, image: Listed): string {
  const buttons = controls.map(
    ([act, label, strokes]) =>
      `<button type="button" class="control" data-act="${act}" aria-label="${label}" title="${label}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${strokes}"/></svg></button>`,
  );
  return `<div id="stage"><div id="viewer" data-base="${escapeHtml(base)}" data-id="${escapeHtml(encodeIdentifier(image.identifier))}"></div>
<div id="controls" role="group" aria-label="Zoom" hidden>${buttons.join("")}</div>
<noscript><img src="${escapeHtml(whole(base, image, largeBox))}" alt="${escapeHtml(image.identifier)}"></noscript></div>
<p class="caption"><strong id="name">${escapeHtml(image.identifier)}</strong> <span id="size" class="quiet">${dimensions(image)}</span></p>`;
}

function strip(base: string, images: readonly Listed[]): string {
  return `<h2 id="pictures">Pictures</h2>
<ul class="strip" aria-labelledby="pictures">${images.map((image) => thumbnail(base, image)).join("\n")}</ul>`;
}

function thumbnail(base: string, image: Listed): string {
  const name = escapeHtml(image.identifier);
  if (!image.size)
    return `<li class="broken"><span>${name}</span> <span class="quiet">${escapeHtml(image.problem ?? "")}</span></li>`;
  return `<li><button type="button" title="${name}" data-id="${escapeHtml(encodeIdentifier(image.identifier))}" data-name="${name}" data-size="${dimensions(image)}" data-large="${escapeHtml(whole(base, image, largeBox))}"><img src="${escapeHtml(whole(base, image, thumbnailBox))}" alt="" loading="lazy"><span>${name}</span></button></li>`;
}

/** Rows of the table of addresses: a name, the version of the API, and what follows the identifier. */
const rows = [
  ["Image information", 3, "/info.json"],
  ["Version 2", 2, "/info.json"],
  ["A detail", 3, "/pct:40,40,20,20/max/0/default.jpg"],
] as const;

function addresses(base: string, folder: string, first: Listed | undefined): string {
  const id = first ? encodeIdentifier(first.identifier) : "{identifier}";
  const listed = rows.map(([name, version, rest]) => {
    const address = escapeHtml(`${base}/iiif/${version}/${id}${rest}`);
    const place = first
      ? `<a href="${address}" data-version="${version}" data-rest="${rest}">${address}</a>`
      : address;
    return `<dt>${name}</dt><dd><code>${place}</code></dd>`;
  });
  const large = first ? escapeHtml(whole(base, first, largeBox)) : "";
  return `<dl>
${listed.join("\n")}
${first ? `<dt>A large JPEG</dt><dd><code><a id="large" href="${large}">${large}</a></code></dd>` : ""}
<dt>State of the service</dt><dd><a href="${escapeHtml(folder)}/health">health</a>, <a href="${escapeHtml(folder)}/ready">ready</a></dd>
</dl>`;
}

const ownImages = `<h2>Your own images</h2>
<p>This is the bundled sample. Start with a folder, <code>smalti DIR</code>, or name sources in a configuration file, <code>smalti -config FILE</code>.</p>`;

function nothingToShow(service: Service): string {
  const source = service.sources.default;
  return source.list
    ? `The source "${source.name}" holds no image that can be listed. Put a JPEG, PNG, TIFF, WebP, GIF or JPEG 2000 file into its folder and load this page again.`
    : `The source "${source.name}" cannot be listed. Ask for an image by its identifier.`;
}
