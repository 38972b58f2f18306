// The page of a problem for people, in their language.

import problemWords from "../../../../translations/problems.json" with { type: "json" };
import type { Problem } from "../../../base/index.ts";
import type { TextLanguage } from "../../../iiif/index.ts";
import { escapeHtml } from "./page.ts";
import type { Page } from "./page-content.ts";
import { readerIn } from "./representation/reader.ts";

type ProblemWords = (typeof problemWords)["en"];

/**
 * Returns the page, with the English detail and the code for the person who is asked for help. `field`: the
 * Accept-Language field; `base`: the public URL of the service, without a trailing /.
 */
export function problemPage({ status, code, detail }: Problem, field: string | null, base: string): Page {
  const { words, language } = readerIn<ProblemWords>(problemWords, field);
  const [heading, text] = wordsOf(status, words);
  const body = `<main class="message">
<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(text)}</p>
<p class="quiet"${language === "en" ? "" : ' lang="en"'}>${escapeHtml(detail)}</p>
<p class="quiet"><code>${status} ${escapeHtml(code)}</code></p>
${toStartPage(base, language)}
</main>`;
  return { title: heading, language, body, styles: ["page/message.css"] };
}

/** The link from a page with a message to the start page. */
export const toStartPage = (base: string, language: TextLanguage): string =>
  `<p><a href="${escapeHtml(base)}/">${escapeHtml(problemWords[language].startPage)}</a></p>`;

function wordsOf(status: number, words: ProblemWords): readonly [heading: string, text: string] {
  if (status === 404 || status === 410) return [words.nothing, words.nothingText];
  if (status === 401 || status === 403 || status === 451) return [words.noAccess, words.noAccessText];
  if (status === 429 || status === 503) return [words.later, words.laterText];
  return status < 500 ? [words.badLink, words.badLinkText] : [words.broken, words.brokenText];
}
