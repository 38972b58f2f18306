// Pages of /view that show no document: the target of a link to another site, and errors.

import type { StateTarget } from "../../iiif/content-state/read.ts";
import { regionText } from "../../iiif/content-state/region.ts";
import type { Problem } from "../../lib/network/problem-document.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import type { Reader } from "./reader.ts";
import type { Words } from "./words.ts";

const styles = ["view/view.css", "view/message.css"];

/** Shows the target of a content state of another site, with links; nothing opens automatically. */
export function elsewherePage(
  { id, manifestId, region }: StateTarget,
  { words, language }: Reader,
  base: string,
): Page {
  const addresses = [...new Set([id, ...(manifestId === undefined ? [] : [manifestId])])];
  const links = addresses.map(
    (address) =>
      `<li><a href="${escapeHtml(address)}" rel="noreferrer nofollow"><code>${escapeHtml(address)}</code></a></li>`,
  );
  const body = `<main class="message">
<h1>${escapeHtml(words.elsewhere)}</h1>
<p>${escapeHtml(words.elsewhereText)}</p>
<ul>${links.join("")}</ul>
${region ? `<p class="quiet"><code>xywh=${escapeHtml(regionText(region))}</code></p>` : ""}
${toStartPage(base, words)}
</main>`;
  const head = '<meta name="robots" content="noindex">';
  return { title: words.elsewhere, language, body, styles, head };
}

/** The page of a problem, with the English detail and the code for the person who is asked for help. */
export function problemPage(
  { status, code, detail }: Problem,
  { words, language }: Reader,
  base: string,
): Page {
  const [heading, text] = saidOf(status, words);
  const body = `<main class="message">
<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(text)}</p>
<p class="quiet"${language === "en" ? "" : ' lang="en"'}>${escapeHtml(detail)}</p>
<p class="quiet"><code>${status} ${escapeHtml(code)}</code></p>
${toStartPage(base, words)}
</main>`;
  return { title: heading, language, body, styles };
}

const toStartPage = (base: string, words: Words) =>
  `<p><a href="${escapeHtml(base)}/">${escapeHtml(words.startPage)}</a></p>`;

function saidOf(status: number, words: Words): readonly [heading: string, text: string] {
  if (status === 404) return [words.nothing, words.nothingText];
  if (status === 429 || status === 503) return [words.later, words.laterText];
  return status < 500 ? [words.badLink, words.badLinkText] : [words.broken, words.brokenText];
}
