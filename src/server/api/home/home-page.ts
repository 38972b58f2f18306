// The start page as HTML: one picture to zoom, the others to choose from, and the addresses and commands that
// lead to them.

import type { StartCommands } from "../../../base/index.ts";
import {
  documentAddress,
  encodeIdentifier,
  imageAddress,
  mainMounts,
  mainPrefix,
  viewAddress,
} from "../../../iiif/index.ts";
import type { CollectionPage } from "../../manifests/browse/collection-page.ts";
import type { ShownImage } from "../../manifests/browse/sight.ts";
import type { Service } from "../../service.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { headOf } from "../http/preview.ts";
import { fillIn } from "../http/representation/reader.ts";
import { collection } from "./collection.ts";
import { summaryOf, summaryParagraph } from "./folder-page.ts";
import { nameOf } from "./names.ts";
import { addressOf, dimensions, largeBox, wholeImagePath } from "./pictures.ts";
import { searchForm } from "./search.ts";
import type { AboutWords, Site } from "./site.ts";
import { originsOf, siteFooter, siteHeader } from "./site-header.ts";

/** Returns the page for the first page of the root. */
export function homePage(service: Service, site: Site, page: CollectionPage): Page {
  const { first } = page;
  const { base, about } = site;
  const entries = page.folders.length + page.images.length;
  const hasOnlyFirst =
    first !== undefined && entries === 1 && page.images[0]?.identifier === first?.identifier;
  const hasCollection = service.config().sources.length > 0 && entries > 0 && !hasOnlyFirst;
  const asked = { identifier: "", search: "", from: 0 };
  const summary = summaryOf(site, page);
  const body = `${siteHeader(site, service.version, hasCollection ? searchForm(site, asked, undefined) : "")}
<main id="content" tabindex="-1"${hasCollection ? ' class="collected"' : ""}>${summaryParagraph(summary)}${first ? viewer(site, first) : notice(service, site, page)}
${hasCollection ? collection(site, asked, page) : ""}
${service.config().sources.length === 0 ? ownImages(about, service.platform.startCommands) : ""}
<h2>${about.addresses}</h2>
${addresses(service, site, page)}
</main>
${siteFooter(site, service.version)}`;
  return {
    title: site.title.text,
    language: site.language,
    body,
    styles: ["page/zoom.css", "home/home.css"],
    noscriptStyle: "home/noscript.css",
    searches: hasCollection,
    scripts: first ? ["openseadragon/openseadragon.min.js", "page/zoom.js", "home/home.js"] : [],
    head: headOf({
      title: site.title.text,
      description: summary,
      address: `${base}/`,
      ...(hasCollection && isListed(service) && { document: documentAddress(base, "") }),
      ...(first && { picture: addressOf(base, first, wholeImagePath(first, largeBox)) }),
    }),
    // Images come from the public address, which is another origin if the operator uses the service directly.
    origins: originsOf(base, site.provider),
  };
}

/** Act, label, and the strokes of its icon in a square of 24. */
const controls = [
  ["in", "zoomIn", "M12 6v12M6 12h12"],
  ["out", "zoomOut", "M6 12h12"],
  ["home", "whole", "M5 11l7-6 7 6v8H5z"],
  ["full", "fullScreen", "M6 10V6h4M14 6h4v4M18 14v4h-4M10 18H6v-4"],
] as const satisfies readonly (readonly [act: string, label: keyof AboutWords, strokes: string])[];

function viewer(site: Site, image: ShownImage): string {
  const { base, about } = site;
  const buttons = controls.map(
    ([act, label, strokes]) =>
      `<button type="button" class="control" data-act="${act}" aria-label="${about[label]}" title="${about[label]}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${strokes}"/></svg></button>`,
  );
  const { text, html } = nameOf(site, image.label, image.identifier);
  const name = escapeHtml(text);
  const prefixes = mainMounts
    .map(({ prefix, version }) => `data-v${version}="${escapeHtml(base + prefix)}"`)
    .join(" ");
  const texts = `data-keys="${about.keys}" data-broken="${about.cannotBeShown}" data-away="${about.noResponse}"`;
  return `<figure id="stage"><div id="viewer" ${prefixes} data-id="${escapeHtml(encodeIdentifier(image.identifier))}" data-manifest="${escapeHtml(documentAddress(base, ""))}/" data-view="${escapeHtml(viewAddress(base, ""))}" ${texts}></div>
<p id="trouble" class="notice" role="status" hidden></p>
<noscript><img src="${escapeHtml(addressOf(base, image, wholeImagePath(image, largeBox)))}" alt="${name}"></noscript>
<figcaption><div id="controls" role="group" aria-label="${about.zoom}" hidden>${buttons.join("")}</div>
<p class="caption"><strong id="name" title="${escapeHtml(image.identifier)}">${html}</strong> <span id="size" class="quiet">${dimensions(image)}</span></p>
<div id="overview"><div id="navigator"></div></div></figcaption></figure>`;
}

/** Rows of the table of addresses: a name, the version of the API, and the suffix after the identifier. */
const rows = [
  ["information", 3, "/info.json"],
  ["version2", 2, "/info.json"],
  ["detail", 3, "/pct:40,40,20,20/max/0/default.jpg"],
  ["large", 3, undefined],
] as const satisfies readonly (readonly [name: keyof AboutWords, version: 2 | 3, rest: string | undefined])[];

/** Example commands: the text before an address, and after the identifier in it. */
const requests = [
  ["curl", "/info.json"],
  ["curl -o picture.jpg", undefined],
] as const;

/**
 * Addresses of an image, or their form if there is none. The script changes elements with data-version to
 * another image; one without data-rest is about the large JPEG.
 */
function addresses(service: Service, site: Site, page: CollectionPage): string {
  const { base, folder, about } = site;
  const { first } = page;
  const large = first ? wholeImagePath(first, largeBox) : `/full/!${largeBox},${largeBox}/0/default.jpg`;
  const start = (version: 2 | 3) =>
    first
      ? imageAddress(base + mainPrefix[version], first.identifier)
      : `${base}${mainPrefix[version]}{identifier}`;
  const marks = (version: number, rest: string | undefined) =>
    `data-version="${version}"${rest === undefined ? "" : ` data-rest="${rest}"`}`;
  const images = rows.map(([name, version, fixed]) => {
    const rest = fixed ?? large;
    const text = `<span class="start">${escapeHtml(start(version))}</span>${rest}`;
    const position = first
      ? `<a href="${escapeHtml(start(version) + rest)}" ${marks(version, fixed)}>${text}</a>`
      : text;
    return `<dt>${about[name]}</dt><dd><code class="address">${position}</code></dd>`;
  });
  const commands = requests.map(([program, rest]) =>
    commandLine(
      program,
      `<span ${marks(3, rest)}>${escapeHtml(shellQuoted(start(3) + (rest ?? large)))}</span>`,
    ),
  );
  return `<dl>
${[...images, ...documents(service, site, page)].join("\n")}
<dt>${about.state}</dt><dd><a href="${escapeHtml(folder)}/health">health</a>, <a href="${escapeHtml(folder)}/ready">ready</a></dd>
</dl>
${first ? `<h2>${about.commands}</h2>\n${commands.join("\n")}` : ""}`;
}

/** True if there is a collection of all. */
const isListed = ({ manifests, sources, hooks }: Service) =>
  manifests !== undefined && sources.default.list !== undefined && !hooks?.has("resolve");

/** Rows for the manifest of an image and for the collection of all, if there are such documents. */
function documents(service: Service, site: Site, { first, viewed }: CollectionPage): readonly string[] {
  if (!service.manifests) return [];
  const { base, about } = site;
  const row = (name: string, address: string, marks: string) =>
    `<dt>${name}</dt><dd><code class="address"><a href="${escapeHtml(address)}"${marks}><span class="start">${escapeHtml(address)}</span></a></code></dd>`;
  return [
    ...(first
      ? [
          row(about.viewer, viewAddress(base, first.identifier), ' data-version="view" data-rest=""'),
          row(
            about.manifest,
            documentAddress(base, first.identifier),
            ' data-version="manifest" data-rest=""',
          ),
        ]
      : []),
    ...(isListed(service) && viewed !== undefined
      ? [row(about.allInViewer, viewAddress(base, viewed), "")]
      : []),
    ...(isListed(service) ? [row(about.allAsCollection, documentAddress(base, ""), "")] : []),
  ];
}

/** Says why there is no image to zoom; nothing if folders are shown. */
function notice(service: Service, site: Site, page: CollectionPage): string {
  const text = nothingToShow(service, site, page);
  return text === undefined ? "" : `<p class="notice">${escapeHtml(text)}</p>`;
}

function nothingToShow(
  service: Service,
  { about }: Site,
  { images, folders, next, isAway }: CollectionPage,
): string | undefined {
  const { name: source, list } = service.sources.default;
  if (isAway) return fillIn(about.away, { source });
  const [only] = images;
  if (only && images.length === 1 && folders.length === 0 && next === undefined)
    return `${fillIn(about.onlyOne, { source, name: only.identifier })} ${only.problem}`;
  if (only) return fillIn(about.noneOfFirst, { source, count: images.length });
  if (folders.length > 0) return undefined;
  if (service.hooks?.has("resolve")) return about.mapped;
  return fillIn(list ? about.noImages : about.cannotList, { source });
}

/**
 * Returns one command, which wraps only between words; `last`, its last word, is safe HTML. It is focusable,
 * since a word wider than the page has to be scrolled.
 */
function commandLine(text: string, last = ""): string {
  const words = text.split(" ").map((word) => `<span>${escapeHtml(word)}</span>`);
  return `<pre class="command" tabindex="0"><code>${[...words, ...(last ? [last] : [])].join(" ")}</code></pre>`;
}

/**
 * Quotes an address as a word of a command: a shell changes nothing between these quotes, and `'` has another
 * spelling in a URL.
 */
const shellQuoted = (address: string) => `'${address.replaceAll("'", "%27")}'`;

/** Commands to serve other images than the bundled one. */
function ownImages(words: AboutWords, { folder, config }: StartCommands): string {
  return `<h2>${words.ownImages}</h2>
<p>${words.sample}</p>
${commandLine(folder)}
${config ? `<p>${words.orConfig}</p>\n${commandLine(config)}` : `<p>${words.configThere}</p>`}`;
}
