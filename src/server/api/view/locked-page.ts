// The page of a document that its reader may not read yet: its title, and links to the logins.

import { type Resource, viewOfDocument } from "../../../iiif/index.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { toStartPage } from "../http/problem-page.ts";
import { textFor } from "../http/representation/reader.ts";
import { titleOf } from "./frame.ts";
import { listOf } from "./opened.ts";
import type { Reader } from "./reader.ts";

/** Returns the page with the title of a document and links to its logins, which lead back to its page. */
export function renderLockedPage(document: Resource, reader: Reader, base: string): Page {
  const { words, language } = reader;
  const title = titleOf(document, reader);
  const [probe] = listOf(document.service);
  const note = textFor(probe?.errorNote, reader) || words.gatedDocument;
  const heading = textFor(probe?.errorHeading, reader);
  const back = viewOfDocument(base, String(document.id)) ?? `${base}/`;
  const links = listOf(probe?.service)
    // Readers at a kiosk have access without a page.
    .filter(({ profile }) => profile !== "kiosk")
    .map((login) => {
      const address = `${String(login.id)}?return_to=${encodeURIComponent(new URL(back).pathname)}`;
      return `<li><a href="${escapeHtml(address)}">${escapeHtml(textFor(login.label, reader))}</a></li>`;
    });
  const body = `<main class="message">
<h1>${escapeHtml(title)}</h1>
${heading ? `<p><strong>${escapeHtml(heading)}</strong></p>` : ""}
<p>${escapeHtml(note)}</p>
${links.length > 0 ? `<ul>${links.join("")}</ul>` : ""}
${toStartPage(base, language)}
</main>`;
  const head = '<meta name="robots" content="noindex">';
  return { title, language, body, styles: ["page/message.css"], head };
}
