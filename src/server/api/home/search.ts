// The search form of a page, and what a search says of its result.

import type { CollectionPage } from "../../manifests/browse/collection-page.ts";
import type { FoundTexts } from "../../manifests/source-texts/source-text-search.ts";
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

/** Describes the result of a search. `texts`: what it has found in the text of pages. */
export function outcome(
  site: Site,
  { search: text, text: firstText = 0 }: ListParameters,
  page: CollectionPage,
  texts?: FoundTexts,
): string {
  const { words } = site;
  const { total, folders, images, from, found: { stoppedAt, isCut, lack } = {} } = page;
  const isEmpty = folders.length + images.length === 0 && from === 0;
  const hasTexts = texts !== undefined && (texts.total ?? texts.pages.length) > 0;
  const form = isEmpty
    ? words.nothingFound
    : total === undefined
      ? words.foundSome
      : formOf(site, total, words.found);
  const entries = fillIn(form, { text, count: numberOf(site, total ?? 0) });
  const stop = stoppedAt ? fillIn(words.stoppedAt, { folder: stoppedAt }) : words.stopped;
  const lacks = [
    lack === "reading" ? words.reading : undefined,
    texts?.lack === "reading" ? words.textReading : undefined,
  ];
  const isUnreadable = lack === "unreadable" || texts?.lack === "unreadable";
  const sentences = [
    ...((isEmpty && hasTexts) || firstText > 0 ? [] : [entries]),
    ...(hasTexts ? [textOutcome(site, texts)] : []),
    ...(isCut || texts?.isCapped ? [words.isCut] : []),
    ...(stoppedAt === undefined ? [] : [stop]),
    ...lacks.filter((sentence) => sentence !== undefined),
    ...(isUnreadable ? [words.someUnreadable] : []),
  ];
  return `<p role="status">${escapeHtml(sentences.join(" "))}</p>`;
}

const textOutcome = (site: Site, { total }: FoundTexts): string =>
  total === undefined
    ? site.words.textFoundSome
    : fillIn(formOf(site, total, site.words.textFound), { count: numberOf(site, total) });
