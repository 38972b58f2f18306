// The start page as HTML: one picture to zoom, the others to choose from, and the addresses and commands that
// lead to them.

import { imageAddress, mainMounts, mainPrefix } from "../../iiif/image/mounts.ts";
import { encodeIdentifier } from "../../iiif/image/path.ts";
import { documentAddress } from "../../iiif/presentation/mounts.ts";
import { viewAddress } from "../../iiif/view-mounts.ts";
import type { ListedImage } from "../../images/look.ts";
import type { CollectionPage } from "../../manifests/browse/collection-page.ts";
import type { ShownImage } from "../../manifests/browse/sight.ts";
import type { Service } from "../../service.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { collection, searchForm } from "./collection.ts";
import { commandLine, ownImages, shellQuoted } from "./commands.ts";
import { nameOf } from "./names.ts";
import { addressOf, dimensions, largeBox, type Site, whole } from "./pictures.ts";
import { originsOf, siteFooter, siteHeader } from "./site-header.ts";

/** Returns the page for the first page of the root. */
export function homePage(service: Service, site: Site, page: CollectionPage): Page {
  const { first } = page;
  const { base, folder } = site;
  const entries = page.folders.length + page.images.length;
  const hasOnlyFirst =
    first !== undefined && entries === 1 && page.images[0]?.identifier === first?.identifier;
  const hasCollection = service.config().sources.length > 0 && entries > 0 && !hasOnlyFirst;
  const asked = { identifier: "", search: "", from: 0 };
  const body = `${siteHeader(site, service.version, hasCollection ? searchForm(site, asked, undefined) : "")}
<main id="content" tabindex="-1"${hasCollection ? ' class="collected"' : ""}>${first ? viewer(site, first) : notice(service, page)}
${hasCollection ? collection(site, asked, page) : ""}
${service.config().sources.length === 0 ? ownImages(service.platform.startCommands) : ""}
<h2>Addresses</h2>
${addresses(service, base, folder, first)}
</main>
${siteFooter(site, service.version)}`;
  return {
    title: site.title.text,
    body,
    styles: ["page/zoom.css", "home/home.css"],
    noscriptStyle: "home/noscript.css",
    searches: hasCollection,
    scripts: first ? ["openseadragon/openseadragon.min.js", "page/zoom.js", "home/home.js"] : [],
    // Images come from the public address, which is another origin if the operator uses the service directly.
    origins: originsOf(base, site.provider),
  };
}

/** Act, label, and the strokes of its icon in a square of 24. */
const controls = [
  ["in", "Zoom in", "M12 6v12M6 12h12"],
  ["out", "Zoom out", "M6 12h12"],
  ["home", "Whole picture", "M5 11l7-6 7 6v8H5z"],
  ["full", "Full screen", "M6 10V6h4M14 6h4v4M18 14v4h-4M10 18H6v-4"],
] as const;

function viewer(site: Site, image: ShownImage): string {
  const { base } = site;
  const buttons = controls.map(
    ([act, label, strokes]) =>
      `<button type="button" class="control" data-act="${act}" aria-label="${label}" title="${label}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${strokes}"/></svg></button>`,
  );
  const { text, html } = nameOf(site, image.label, image.identifier);
  const name = escapeHtml(text);
  const prefixes = mainMounts
    .map(({ prefix, version }) => `data-v${version}="${escapeHtml(base + prefix)}"`)
    .join(" ");
  return `<figure id="stage"><div id="viewer" ${prefixes} data-id="${escapeHtml(encodeIdentifier(image.identifier))}" data-manifest="${escapeHtml(documentAddress(base, ""))}/" data-view="${escapeHtml(viewAddress(base, ""))}"></div>
<p id="trouble" class="notice" role="status" hidden></p>
<noscript><img src="${escapeHtml(addressOf(base, image, whole(image, largeBox)))}" alt="${name}"></noscript>
<figcaption><div id="controls" role="group" aria-label="Zoom" hidden>${buttons.join("")}</div>
<p class="caption"><strong id="name" title="${escapeHtml(image.identifier)}">${html}</strong> <span id="size" class="quiet">${dimensions(image)}</span></p>
<div id="overview"><div id="navigator"></div></div></figcaption></figure>`;
}

/** Rows of the table of addresses: a name, the version of the API, and the suffix after the identifier. */
const rows = [
  ["Image information", 3, "/info.json"],
  ["Version 2", 2, "/info.json"],
  ["A detail", 3, "/pct:40,40,20,20/max/0/default.jpg"],
  ["A large JPEG", 3, undefined],
] as const;

/** Example commands: the text before an address, and after the identifier in it. */
const requests = [
  ["curl", "/info.json"],
  ["curl -o picture.jpg", undefined],
] as const;

/**
 * Addresses of an image, or their form if there is none. The script changes elements with data-version to
 * another image; one without data-rest is about the large JPEG.
 */
function addresses(service: Service, base: string, folder: string, first: ListedImage | undefined): string {
  const large = first ? whole(first, largeBox) : `/full/!${largeBox},${largeBox}/0/default.jpg`;
  const start = (version: 2 | 3) =>
    first
      ? imageAddress(base + mainPrefix[version], first.identifier)
      : `${base}${mainPrefix[version]}{identifier}`;
  const marks = (version: number, rest: string | undefined) =>
    `data-version="${version}"${rest === undefined ? "" : ` data-rest="${rest}"`}`;
  const images = rows.map(([name, version, fixed]) => {
    const rest = fixed ?? large;
    const text = `<span class="start">${escapeHtml(start(version))}</span>${rest}`;
    const place = first
      ? `<a href="${escapeHtml(start(version) + rest)}" ${marks(version, fixed)}>${text}</a>`
      : text;
    return `<dt>${name}</dt><dd><code class="address">${place}</code></dd>`;
  });
  const commands = requests.map(([program, rest]) =>
    commandLine(
      program,
      `<span ${marks(3, rest)}>${escapeHtml(shellQuoted(start(3) + (rest ?? large)))}</span>`,
    ),
  );
  return `<dl>
${[...images, ...documents(service, base, first)].join("\n")}
<dt>State of the service</dt><dd><a href="${escapeHtml(folder)}/health">health</a>, <a href="${escapeHtml(folder)}/ready">ready</a></dd>
</dl>
${first ? `<h2>Commands</h2>\n${commands.join("\n")}` : ""}`;
}

/** Rows for the manifest of an image and for the collection of all, if there are such documents. */
function documents(service: Service, base: string, first: ListedImage | undefined): readonly string[] {
  if (!service.manifests) return [];
  const row = (name: string, address: string, marks: string) =>
    `<dt>${name}</dt><dd><code class="address"><a href="${escapeHtml(address)}"${marks}><span class="start">${escapeHtml(address)}</span></a></code></dd>`;
  const isListed = service.sources.default.list && !service.hooks.has("resolve");
  return [
    ...(first
      ? [
          row("Viewer", viewAddress(base, first.identifier), ' data-version="view" data-rest=""'),
          row("Manifest", documentAddress(base, first.identifier), ' data-version="manifest" data-rest=""'),
        ]
      : []),
    ...(isListed
      ? [
          row("All pictures, in the viewer", viewAddress(base, ""), ""),
          row("All pictures, as a collection", documentAddress(base, ""), ""),
        ]
      : []),
  ];
}

/** Says why there is no image to zoom; nothing if folders are shown. */
function notice(service: Service, page: CollectionPage): string {
  const text = nothingToShow(service, page);
  return text === undefined ? "" : `<p class="notice">${escapeHtml(text)}</p>`;
}

function nothingToShow(
  service: Service,
  { images, folders, next, isAway }: CollectionPage,
): string | undefined {
  const source = service.sources.default;
  if (isAway) return `The source "${source.name}" is not responding now. Load this page again in a moment.`;
  const [only] = images;
  if (only && images.length === 1 && folders.length === 0 && next === undefined)
    return `The only listed picture of the source "${source.name}" that is listed, ${only.identifier}, cannot be shown. ${only.problem}`;
  if (only)
    return `None of the first ${images.length} pictures of the source "${source.name}" can be shown. Each says why below.`;
  if (folders.length > 0) return undefined;
  if (service.hooks.has("resolve"))
    return "A hook maps identifiers to images here, so they cannot be listed. Ask for an image by its identifier.";
  return source.list
    ? `The source "${source.name}" holds no image that can be listed. Put a JPEG, PNG, TIFF, WebP, GIF or JPEG 2000 file into its folder and load this page again.`
    : `The source "${source.name}" cannot be listed. Ask for an image by its identifier.`;
}
