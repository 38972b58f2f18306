// The page of a collection: its items, with thumbnails and links to their own pages.

import type { Resource } from "../../iiif/presentation/model.ts";
import { viewOfDocument } from "../../iiif/view-mounts.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { bar, headOf, icon, link, type PageRequest, titleOf } from "./frame.ts";
import { listOf, type OpenedDocument } from "./opened.ts";
import { plainText } from "./plain-text.ts";
import { textFor } from "./reader.ts";

/** Returns the page of a collection. `query`: preserves the reader's viewer in links. */
export function contentsPage(
  opened: OpenedDocument,
  asked: PageRequest,
  query: string,
  origins: readonly string[],
): Page {
  const { document } = opened;
  const { reader, base, embedded } = asked;
  const { words } = reader;
  const title = titleOf(document, reader);
  const manifest = link(String(document.id), "manifest", words.manifest);
  const items = listOf(document.items).map((item) => entry(item, asked, query));
  const summary = plainText(textFor(document.summary, reader));
  const body = `${embedded ? "" : bar(opened, [manifest], asked, query)}
<main class="contents">${summary ? `<p>${escapeHtml(summary)}</p>` : ""}
${items.length > 0 ? `<ul>${items.join("\n")}</ul>` : `<p>${escapeHtml(words.empty)}</p>`}
</main>`;
  const [picture] = listOf(document.thumbnail);
  return {
    title,
    language: reader.language,
    body,
    styles: ["view/view.css", "view/contents.css"],
    head: headOf({
      title,
      description: summary,
      address: viewOfDocument(base, String(document.id)) ?? `${base}/`,
      document: String(document.id),
      ...(typeof picture?.id === "string" && { picture: picture.id }),
    }),
    origins: [new URL(base).origin, ...origins],
  };
}

function entry(item: Resource, { reader, base }: PageRequest, query: string): string {
  const id = String(item.id);
  const own = viewOfDocument(base, id);
  const [picture] = listOf(item.thumbnail);
  const shown =
    typeof picture?.id === "string"
      ? `<img src="${escapeHtml(picture.id)}" alt="" loading="lazy">`
      : `<span class="blank" aria-hidden="true">${item.type === "Collection" ? icon("folder") : ""}</span>`;
  const kind = item.type === "Collection" ? "collection" : "manifest";
  return `<li class="${kind}"><a href="${escapeHtml(own === undefined ? id : own + query)}">${shown}<span>${escapeHtml(titleOf(item, reader))}</span></a></li>`;
}
