// The frame of a page: the bar with the search, the contents on the left, the headings of the page on the
// right. Nothing is inline, as the service's policy refuses that, and all addresses are relative, so that the
// site works below any path.

import { partsFor } from "./contents.mjs";
import { escapeHtml } from "./markdown.mjs";

/**
 * Returns a page as HTML. `contents` are the parts of the documentation, `path` names this page (`faq`),
 * `body` is its HTML, `assets` has the addresses of the style sheet and the scripts below the site, and
 * `start` that of the start page of the service around it, if there is one.
 */
export function pageOf({ contents, path, title, body, assets, version, start }) {
  const up = "../".repeat(path.split("/").length - 1);
  const to = (address) => escapeHtml(`${up}${address}`);
  const parts = partsFor(contents, path);
  const all = parts.flatMap(({ pages }) => pages);
  const at = all.findIndex((page) => page.path === path);
  const headings = outline(body);
  const name = title === "smalti" ? "smalti: documentation" : `${title} – smalti`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="${to(assets.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${to(assets.style)}">
<script src="${to(assets.theme)}"></script>
<script type="module" src="${to(assets.page)}" data-sections="${to(assets.sections)}" data-root="${up}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<button class="narrow" type="button" popovertarget="contents">Contents</button>
<a class="name" href="${to("index.html")}">smalti</a> <span class="version">${escapeHtml(version)}</span>
<span class="gap"></span>
<button id="search" type="button" hidden>Search <kbd>/</kbd></button>
<button id="theme" type="button" hidden></button>
${start === undefined ? "" : `<a class="start" href="${to(start)}">Start page</a>`}
</header>
<nav id="contents" popover aria-label="Contents">
${parts.map((part) => partOf(part, path, to)).join("\n")}
</nav>
<main id="content" tabindex="-1">
${headings && '<button class="narrow on-page" type="button" popovertarget="outline">On this page</button>'}
${body}
${neighbours(all[at - 1], all[at + 1], to)}
</main>
${headings}
<dialog id="found" aria-label="Search">
<form method="dialog">
<input id="words" type="search" aria-label="Search the documentation" placeholder="Search the documentation" autocomplete="off" spellcheck="false">
<button>Close</button>
</form>
<p id="count" role="status"></p>
<ul id="results"></ul>
</dialog>
</body>
</html>
`;
}

/**
 * Returns a page that leads from an old path to another. Browsers that ignore the refresh have the link.
 */
export function movedPageOf({ from, to, anchor }) {
  const address = escapeHtml(`${"../".repeat(from.split("/").length - 1)}${to}.html${anchor}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url=${address}">
<title>This page has moved</title>
</head>
<body>
<p>This page has moved: <a href="${address}">${escapeHtml(to)}</a></p>
</body>
</html>
`;
}

function partOf({ title, pages }, path, to) {
  const isOpen = pages.some((page) => page.path === path);
  const links = pages.map(
    (page) =>
      `<li><a href="${to(`${page.path}.html`)}"${page.path === path ? ' aria-current="page"' : ""}>${escapeHtml(page.title)}</a></li>`,
  );
  return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary><ul>
${links.join("\n")}
</ul></details>`;
}

function neighbours(before, after, to) {
  const link = (page, rel, word) =>
    page
      ? `<a rel="${rel}" href="${to(`${page.path}.html`)}"><small>${word}</small> ${escapeHtml(page.title)}</a>`
      : "";
  return `<nav class="neighbours" aria-label="Pages before and after">${link(before, "prev", "Previous")}${link(after, "next", "Next")}</nav>`;
}

/** The headings of a page as links; nothing if there are fewer than two. */
function outline(body) {
  const headings = [...body.matchAll(/<h([23]) id="([^"]*)"[^>]*>(.*?)<\/h\1>/gs)];
  if (headings.length < 2) return "";
  const rows = headings.map(
    ([, level, id, html]) =>
      `<li class="level${level}"><a href="#${id}">${html.replace(/<\/?a\b[^>]*>/g, "")}</a></li>`,
  );
  return `<nav id="outline" popover aria-label="On this page">
<p>On this page</p>
<ul>
${rows.join("\n")}
</ul>
</nav>`;
}
