// The head of the start page: title and provider of the collection, or a description of the service.

import type { Provider } from "../../manifests/browse/site.ts";
import { escapeHtml } from "../http/page.ts";
import { labelFor, spoken } from "./names.ts";
import type { Site } from "./pictures.ts";

/** The first link of a page, visible when it has the focus. */
export const skipLink = '<a class="skip" href="#content">Skip to content</a>\n';

const apis =
  '<a href="https://iiif.io/api/image/3.0/">IIIF Image API</a> 3.0 and <a href="https://iiif.io/api/image/2.1/">2.1</a>';

/** Returns the header; `search`: its search form as safe HTML. */
export function siteHeader(site: Site, version: string, search: string): string {
  const number = site.isNamed ? "" : ` <small class="quiet">${escapeHtml(version)}</small>`;
  const about = site.isNamed ? provider(site) : "An image server for deep zoom.";
  return `${skipLink}<header><div class="head"><h1>${spoken(site.title)}${number}</h1>${search}</div>
${about && `<p class="quiet">${about}</p>`}</header>`;
}

/** The foot of the page: what the service is. */
export function siteFooter({ folder, isNamed }: Site, version: string): string {
  const service = isNamed ? `Served by smalti ${escapeHtml(version)}: ` : "";
  return `<footer class="quiet"><p>${service}${apis}. <a href="${escapeHtml(folder)}/static/docs/index.html">Documentation</a></p></footer>`;
}

function provider(site: Site): string {
  const { provider } = site;
  const label = provider && labelFor(site, provider.label);
  if (!provider || !label) return "";
  const logo = provider.logo ? `<img class="logo" src="${escapeHtml(provider.logo)}" alt=""> ` : "";
  const name = `${logo}${spoken(label)}`;
  return provider.homepage ? `<a class="provider" href="${escapeHtml(provider.homepage)}">${name}</a>` : name;
}

/** Returns the origins of the logo. */
export const originsOf = (base: string, provider: Provider | undefined): readonly string[] => [
  new URL(base).origin,
  ...(provider?.logo ? [new URL(provider.logo).origin] : []),
];
