// The search form of a page, and what a search says of its result.

import type { CollectionPage } from "../../manifests/browse/collection-page.ts";
import { escapeHtml } from "../http/page.ts";
import { fillIn } from "../http/representation/reader.ts";
import type { ListParameters } from "./addresses.ts";
import { formOf, numberOf } from "./counts.ts";
import type { Site } from "./site.ts";

/** The search form of a folder and everything below it. It submits by GET, so that it needs no script. */
export function searchForm(
  { folder, words, parameters }: Site,
  { identifier, search }: ListParameters,
  name: string | undefined,
): string {
  const label = name === undefined ? words.search : fillIn(words.searchIn, { name });
  const hidden = [...(identifier === "" ? [] : [["in", identifier] as const]), ...parameters].map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return `<form class="search" role="search" action="${escapeHtml(folder)}/" method="get">${hidden.join("")}<input type="search" name="q" value="${escapeHtml(search)}" maxlength="200" aria-label="${escapeHtml(label)}" placeholder="${words.search}"><button>${words.search}</button></form>`;
}

/** Describes the result of a search. */
export function outcome(site: Site, { search: text }: ListParameters, page: CollectionPage): string {
  const { words } = site;
  const { total, folders, images, from, found: { stoppedAt, isCut, lack } = {} } = page;
  const isEmpty = folders.length + images.length === 0 && from === 0;
  const form = isEmpty
    ? words.nothingFound
    : total === undefined
      ? words.foundSome
      : formOf(site, total, words.found);
  const stop = stoppedAt ? fillIn(words.stoppedAt, { folder: stoppedAt }) : words.stopped;
  const texts = [
    fillIn(form, { text, count: numberOf(site, total ?? 0) }),
    ...(isCut ? [words.isCut] : []),
    ...(stoppedAt === undefined ? [] : [stop]),
    ...(lack === undefined ? [] : [lack === "reading" ? words.reading : words.someUnreadable]),
  ];
  return `<p role="status">${escapeHtml(texts.join(" "))}</p>`;
}
