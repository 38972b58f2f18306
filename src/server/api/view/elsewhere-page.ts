// The page of /view for a link to another site.

import { regionText, type StateTarget } from "../../../iiif/index.ts";
import { escapeHtml } from "../http/page.ts";
import type { Page } from "../http/page-content.ts";
import { toStartPage } from "../http/problem-page.ts";
import type { Reader } from "./reader.ts";

const styles = ["page/message.css"];

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
${toStartPage(base, language)}
</main>`;
  const head = '<meta name="robots" content="noindex">';
  return { title: words.elsewhere, language, body, styles, head };
}
