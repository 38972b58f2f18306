// Error pages below the addresses of logins, in the reader's language. Programs get the usual problem
// document.

import type { Problem } from "../../../../base/index.ts";
import type { RequestContext } from "../../http/context.ts";
import { escapeHtml } from "../../http/page.ts";
import type { Page } from "../../http/page-content.ts";
import { styles } from "./login-page.ts";
import { problemWords, saidOf } from "./problem-words.ts";
import { element, readerOf } from "./reader.ts";

/** The page of a problem, with the English detail and the code for the person who is asked for help. */
export function problemPage(c: RequestContext, { status, code, detail }: Problem): Page {
  const reader = readerOf(c);
  const { language } = reader;
  const words = problemWords[language];
  const [heading, text] = words[saidOf[status] ?? (status < 500 ? "unreadable" : "broken")];
  const body = `<main class="card">
<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(text)}</p>
${element("p", { text: detail, language: "en" }, reader, ' class="quiet"')}
<p class="quiet"><code>${status} ${escapeHtml(code)}</code></p>
<p><a href="${escapeHtml(c.get("base"))}/">${escapeHtml(words.startPage)}</a></p>
</main>`;
  return { title: heading, language, body, styles };
}
