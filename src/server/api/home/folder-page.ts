// The pages that the start page links to: a folder of the collection, a further page of one, search results,
// or a folder that needs a login.

import { documentAddress, plainText } from "../../../iiif/index.ts";
import type { CollectionPage } from "../../manifests/browse/collection-page.ts";
import type { FolderLock } from "../../manifests/browse/lock.ts";
import type { FoundTexts } from "../../manifests/source-texts/source-text-search.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { headOf } from "../http/preview.ts";
import { textFor } from "../http/representation/reader.ts";
import { addressIn, type ListParameters } from "./addresses.ts";
import { collection, wholeFolder } from "./collection.ts";
import { headingOf, lockIcon, loginsOf, noteOf } from "./lock.ts";
import { nameOf, textHtml } from "./names.ts";
import { addressOf, largeBox, wholeImagePath } from "./pictures.ts";
import { outcome, searchForm } from "./search.ts";
import type { Site } from "./site.ts";
import { pageHeader } from "./site-header.ts";
import { textList } from "./texts.ts";

/** The page. */
export function folderPage(
  site: Site,
  asked: ListParameters,
  page: CollectionPage,
  texts?: FoundTexts,
): Page {
  const { words, base } = site;
  const last = page.trail.at(-1);
  const name = last && nameOf(site, last.label, last.name);
  const isSearch = asked.search !== "";
  const isEmpty = page.folders.length + page.images.length === 0;
  const title = isSearch ? words.search : (name?.text ?? words.everything);
  const header = pageHeader(site, {
    above: isSearch ? page.trail : page.trail.slice(0, -1),
    here: isSearch ? words.search : (name?.cut ?? escapeHtml(words.everything)),
    heading: isSearch ? words.search : (name?.html ?? escapeHtml(words.everything)),
    address: addressIn(site, asked),
    search: searchForm(site, asked, name?.text),
    below: !isSearch && !isEmpty ? wholeFolder(site, page) : "",
  });
  const summary = isSearch ? "" : summaryOf(site, page);
  const empty = isEmpty && !isSearch ? `<p class="notice">${escapeHtml(words.nothingHere)}</p>` : "";
  // Further pages of texts have nothing else.
  const entries = asked.text ? "" : collection(site, asked, page);
  const body = `${header}
<main id="content" tabindex="-1">${summaryParagraph(summary)}${isSearch ? outcome(site, asked, page, texts) : empty}
${entries}${texts ? textList(site, asked, texts) : ""}
</main>`;
  const picture =
    page.images.find(({ size }) => size) ?? page.folders.find(({ picture }) => picture)?.picture;
  return {
    ...pageOf(site, name && isSearch ? `${title}: ${name.text}` : title, body),
    head: isSearch
      ? noIndex
      : headOf({
          title,
          description: summary,
          address: publicUrlOf(site, addressIn({ ...site, parameters: [] }, asked)),
          ...(site.hasManifests && { document: documentAddress(base, page.identifier) }),
          ...(picture && { picture: addressOf(base, picture, wholeImagePath(picture, largeBox)) }),
        }),
  };
}

/** The page of a folder that needs a login, which leads back to the address that was asked for. */
export function lockedFolderPage(
  site: Site,
  asked: ListParameters,
  page: CollectionPage,
  lock: FolderLock,
): Page {
  const last = page.trail.at(-1);
  const name = nameOf(site, last?.label, last?.name ?? page.identifier);
  const address = addressIn(site, asked);
  const header = pageHeader(site, {
    above: page.trail.slice(0, -1),
    here: name.cut,
    heading: name.html,
    address,
    search: searchForm(site, { ...asked, identifier: "" }, undefined),
  });
  const body = `${header}
<main id="content" tabindex="-1"><div class="notice closed">${lockIcon}<div><p><strong>${textHtml(site, headingOf(site, lock))}</strong></p>
<p>${textHtml(site, noteOf(site, lock))}</p>
${loginsOf(site, lock, address)}</div></div>
</main>`;
  return { ...pageOf(site, name.text, body), head: noIndex };
}

/** Returns what the manifest file of a folder says about it; "" for nothing. */
export const summaryOf = (site: Site, { summary }: CollectionPage) => plainText(textFor(summary, site));

export const summaryParagraph = (summary: string) =>
  summary === "" ? "" : `<p class="summary">${escapeHtml(summary)}</p>\n`;

/** A page of the collection with a title and a body. */
export function pageOf(site: Site, title: string, body: string): Page {
  return {
    title: `${title} – ${site.title.text}`,
    language: site.language,
    body,
    styles: ["home/home.css"],
    searches: true,
    origins: [new URL(site.base).origin],
  };
}

const noIndex = '<meta name="robots" content="noindex">';

/** Returns the public URL of a path of the service. */
const publicUrlOf = ({ base, folder }: Site, path: string) => base + path.slice(folder.length);
