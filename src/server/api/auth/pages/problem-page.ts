// Error pages below the addresses of logins, in the reader's language. Programs get the usual problem
// document.

import problemWords from "../../../../../translations/login-problems.json" with { type: "json" };
import type { Problem } from "../../../../base/index.ts";
import type { RequestContext } from "../../http/context.ts";
import { escapeHtml } from "../../http/page.ts";
import type { Page } from "../../http/page-content.ts";
import { styles } from "./login-page.ts";
import { element, readerOf } from "./reader.ts";

/**
 * Text for a status; any other status below 500 says that the request is unreadable, from 500 on that
 * something is broken.
 */
const saidOf: Readonly<Record<number, "otherSite" | "nothing" | "later">> = {
  403: "otherSite",
  404: "nothing",
  429: "later",
  503: "later",
};

/** The page of a problem, with the English detail and the code for the person who is asked for help. */
export function problemPage(c: RequestContext, { status, code, detail }: Problem): Page {
  const reader = readerOf(c);
  const { language } = reader;
  const words: (typeof problemWords)["en"] = problemWords[language];
  const { heading, text } = words[saidOf[status] ?? (status < 500 ? "unreadable" : "broken")];
  const body = `<main class="card">
<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(text)}</p>
${element("p", { text: detail, language: "en" }, reader, ' class="quiet"')}
<p class="quiet"><code>${status} ${escapeHtml(code)}</code></p>
<p><a href="${escapeHtml(c.get("base"))}/">${escapeHtml(words.startPage)}</a></p>
</main>`;
  return { title: heading, language, body, styles };
}
