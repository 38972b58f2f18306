// The frame of all /view pages: the head, the bar with the title, and notices.

import { documentAddress, type Resource, viewOfDocument } from "../../../iiif/index.ts";
import { escapeHtml } from "../http/page.ts";
import { fillIn, textFor } from "../http/representation/reader.ts";
import { listOf, type OpenedDocument } from "./opened.ts";
import type { Reader } from "./reader.ts";

/** Facts about the request that a page depends on. */
export interface PageRequest {
  readonly reader: Reader;
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** True if the page is embedded in another page, without the bar. */
  readonly embedded: boolean;
}

/** Icons of the bar, as strokes in a square of 24. */
export const icons = {
  up: "M15 5l-7 7 7 7",
  share: "M12 15V4M8 8l4-4 4 4M5 13v6h14v-6",
  manifest: "M7 4h7l4 4v12H7zM10 12h5M10 16h5",
  download: "M12 4v11M8 11l4 4 4-4M5 17v3h14v-3",
  change: "M4 9h13l-3-3M20 15H7l3 3",
  folder: "M4 7V5.500h6L12 8h8v11H4z",
  close: "M6 6l12 12M18 6L6 18",
} as const;

/** An icon, described by the text next to it. */
export const icon = (name: keyof typeof icons) =>
  `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${icons[name]}"/></svg>`;

/** Returns the display name of a document, or its address if it has none. */
export function titleOf(document: Resource, reader: Reader): string {
  return textFor(document.label, reader) || String(document.id ?? "");
}

/** The bar: the title, the context of the document, and its actions as safe HTML. */
export function bar(
  { document, above: folder }: Pick<OpenedDocument, "document" | "above">,
  acts: readonly string[],
  { reader, base }: PageRequest,
  query: string,
): string {
  const parents = [
    ...listOf(document.partOf),
    ...(folder === undefined ? [] : [{ id: documentAddress(base, folder) }]),
  ];
  const parent = parents.find(({ id }) => viewOfDocument(base, String(id)) !== undefined);
  const above = parent && viewOfDocument(base, String(parent.id));
  const label = fillIn(reader.words.up, { label: parent ? nameOf(parent, reader) : "" });
  return `<header class="bar">
${above === undefined ? "" : `<a class="act" href="${escapeHtml(above + query)}" title="${escapeHtml(label)}" aria-label="${escapeHtml(label)}">${icon("up")}</a>`}
<h1 title="${escapeHtml(titleOf(document, reader))}">${escapeHtml(titleOf(document, reader))}</h1>
<div class="acts">${acts.join("\n")}</div>
</header>`;
}

/** A reference without a label is named by the end of its address; the root by that of the service. */
function nameOf(reference: Resource, reader: Reader): string {
  const label = textFor(reference.label, reader);
  if (label !== "") return label;
  const [, path = ""] = /\/iiif\/presentation\/3\/(.+)$/s.exec(String(reference.id)) ?? [];
  const end = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(end) || "smalti";
  } catch {
    return end;
  }
}

/** Returns a link of the bar. */
export const link = (address: string, name: keyof typeof icons, text: string, more = "") =>
  `<a class="act" href="${escapeHtml(address)}"${more}>${icon(name)}<span>${escapeHtml(text)}</span></a>`;

/** Returns a button of the bar, which the script shows. */
export const button = (id: string, name: keyof typeof icons, text: string) =>
  `<button type="button" class="act" id="${id}" hidden>${icon(name)}<span>${escapeHtml(text)}</span></button>`;

/** Returns a notice above the viewer, as safe HTML. */
export const notice = (text: string) => `<p class="notice" role="status">${escapeHtml(text)}</p>`;
