// Heads and feet of the pages of the collection: the title, the way from it down, the search and the login.

import type { LabelledTrail } from "../../manifests/browse/labels.ts";
import type { Provider } from "../../manifests/browse/site.ts";
import { escapeHtml } from "../http/page.ts";
import { fillIn } from "../http/representation/reader.ts";
import { folderAddress } from "./addresses.ts";
import { wayIn } from "./lock.ts";
import { labelFor, nameOf, textHtml } from "./names.ts";
import type { Site } from "./site.ts";

/** The first link of a page, visible when it has the focus. */
const skipLink = ({ words }: Site) => `<a class="skip" href="#content">${words.skip}</a>\n`;

const apis =
  '<a href="https://iiif.io/api/image/3.0/">IIIF Image API</a> 3.0, <a href="https://iiif.io/api/image/2.1/">2.1</a>';

/** Returns the head of the start page; `search`: its search form as safe HTML. */
export function siteHeader(site: Site, version: string, search: string): string {
  const number = site.isNamed ? "" : ` <small class="quiet">${escapeHtml(version)}</small>`;
  const about = site.isNamed ? provider(site) : site.about.about;
  const login = wayIn(site, folderAddress(site, ""));
  return `${skipLink(site)}<header><div class="head"><h1>${textHtml(site, site.title)}${number}</h1>${search}${login}</div>
${about && `<p class="quiet">${about}</p>`}</header>`;
}

export interface Head {
  /** The folders above the page, without the start page. */
  readonly above: LabelledTrail;
  /** Name of the page in the trail and as its heading, as safe HTML. */
  readonly here: string;
  readonly heading: string;
  /** Path and query of the page. */
  readonly address: string;
  /** The search form as safe HTML. */
  readonly search: string;
  /** Further content as safe HTML. */
  readonly below?: string;
}

/** Returns the head of a page below the start page. An embedded page has only the way and the heading. */
export function pageHeader(site: Site, { above, here, heading, address, search, below = "" }: Head): string {
  const { isEmbedded } = site;
  return `${skipLink(site)}<header><div class="top">${trail(site, above, here)}${wayIn(site, address)}</div>
<div class="head"><h1>${heading}</h1>${isEmbedded ? "" : search}</div>
${below}</header>`;
}

/** Breadcrumbs from the start page, which has the name of the collection, down to a page. */
function trail(site: Site, above: LabelledTrail, here: string): string {
  const { words, isNamed, title } = site;
  const start = { identifier: "", html: isNamed ? textHtml(site, title) : escapeHtml(words.startPage) };
  const all = [
    start,
    ...above.map(({ identifier, label, name }) => ({ identifier, html: nameOf(site, label, name).cut })),
  ].map(
    ({ identifier, html }) => `<li><a href="${escapeHtml(folderAddress(site, identifier))}">${html}</a></li>`,
  );
  return `<nav class="trail" aria-label="${words.where}"><ol>${all.join("")}<li aria-current="page">${here}</li></ol></nav>`;
}

/** The foot of the page: what the service is. */
export function siteFooter({ folder, isNamed, about }: Site, version: string): string {
  const service = isNamed ? `${escapeHtml(fillIn(about.servedBy, { version }))} ` : "";
  return `<footer class="quiet"><p>${service}${apis}. <a href="${escapeHtml(folder)}/static/docs/index.html">${about.documentation}</a></p></footer>`;
}

function provider(site: Site): string {
  const { provider } = site;
  const label = provider && labelFor(site, provider.label);
  if (!provider || !label) return "";
  const logo = provider.logo ? `<img class="logo" src="${escapeHtml(provider.logo)}" alt=""> ` : "";
  const name = `${logo}${textHtml(site, label)}`;
  return provider.homepage ? `<a class="provider" href="${escapeHtml(provider.homepage)}">${name}</a>` : name;
}

/** Returns the origins of the logo. */
export const originsOf = (base: string, provider: Provider | undefined): readonly string[] => [
  new URL(base).origin,
  ...(provider?.logo ? [new URL(provider.logo).origin] : []),
];
