// The page that asks a stranger's browser to prove work, and then opens what its reader wanted: it has the
// same address.

import proofWords from "../../../../../translations/proof.json" with { type: "json" };
import { escapeHtml } from "../page.ts";
import type { Page } from "../page-content.ts";
import { fillIn, readerIn } from "../representation/reader.ts";

export interface ProofQuestion {
  /** The challenge as JSON. */
  readonly challenge: string;
  /** Path that takes the proof. */
  readonly to: string;
  /** Path of the worker that calculates it. */
  readonly worker: string;
  /** Seconds after which the address opens without it. */
  readonly seconds: number;
}

/** Returns the page. `field`: the Accept-Language field. */
export function proofPage(field: string | null, { seconds, ...question }: ProofQuestion): Page {
  const { words, language } = readerIn<(typeof proofWords)["en"]>(proofWords, field);
  const { working, done, failed, cookies } = words;
  const data = Object.entries({ ...question, working, done, failed, cookies }).map(
    ([name, value]) => `data-${name}="${escapeHtml(value)}"`,
  );
  const wait = escapeHtml(fillIn(words.wait, { seconds }));
  const body = `<main class="message" id="proof" ${data.join(" ")}>
<h1>${escapeHtml(words.heading)}</h1>
<p>${escapeHtml(words.text)}</p>
<p id="proof-state" role="status"></p>
<p id="proof-link"><span id="proof-wait">${wait} </span><a href="">${escapeHtml(words.open)}</a></p>
<p class="quiet">${escapeHtml(words.again)}</p>
<p class="quiet"><code>403 proof_required</code></p>
</main>`;
  const head = '<meta name="robots" content="noindex">';
  return {
    title: words.heading,
    language,
    body,
    styles: ["page/message.css"],
    scripts: ["proof/proof.js"],
    head,
  };
}
