// Markdown of docs/ to HTML: CommonMark and tables, with anchors as GitHub has them, coloured code, and an
// anchor for every row of a reference table.

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import createMarkdown from "markdown-it";
import anchors from "markdown-it-anchor";

const languages = { bash, ini, javascript, json, nginx, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
const aliases = {
  html: "xml",
  js: "javascript",
  jsonc: "json",
  properties: "ini",
  sh: "bash",
  ts: "typescript",
};

/** Returns the anchor of a heading, as GitHub derives it. */
export const slugOf = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/**
 * Returns a renderer. `link` maps the target of a link or a picture, and is given `env.page`; undefined
 * removes a link and leaves its text. With `env.rows`, the first code of each table row becomes an anchor.
 */
export function createRenderer(link = (target) => target) {
  const markdown = createMarkdown({ html: true, highlight });
  markdown.use(anchors, {
    slugify: slugOf,
    tabIndex: false,
    permalink: anchors.permalink.headerLink({ class: "anchor" }),
  });
  markdown.core.ruler.push("links", ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) relink(token, (target) => link(target, env?.page));
  });
  markdown.core.ruler.push("labels", ({ tokens }) => labelCells(tokens));
  markdown.core.ruler.push("rows", ({ tokens, env }) => env?.rows && anchorRows(tokens));
  const { rules } = markdown.renderer;
  // Around the block, a button stays in its corner while the code scrolls.
  const { fence } = rules;
  rules.fence = (...call) => `<div class="code">${fence(...call)}</div>\n`;
  // Wide tables scroll by themselves, by keyboard too.
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => "</table></div>\n";
  // The first column of some tables has no heading; an empty one is no heading to a screen reader either.
  const cell = (tokens, at, options, _, self) => {
    const isEmpty = !tokens[at + (tokens[at].nesting > 0 ? 1 : -1)].content;
    if (isEmpty) tokens[at].tag = "td";
    return self.renderToken(tokens, at, options);
  };
  rules.th_open = cell;
  rules.th_close = cell;
  rules.link_open = (tokens, at, options, _, self) =>
    tokens[at].meta?.isRemoved ? "" : self.renderToken(tokens, at, options);
  rules.link_close = (tokens, at) => (openingOf(tokens, at).meta?.isRemoved ? "" : "</a>");
  // Comments are for those who write; any other HTML is text.
  const shown = (tokens, at) => escapeHtml(tokens[at].content.replace(/<!--.*?-->/gs, ""));
  rules.html_block = shown;
  rules.html_inline = shown;
  rules.code_inline = (tokens, at) => {
    const { content, meta } = tokens[at];
    const code = `<code>${escapeHtml(content)}</code>`;
    const id = escapeHtml(meta?.id ?? "");
    return id ? `<a class="row" id="${id}" href="#${id}">${code}</a>` : code;
  };
  return markdown;
}

/** Returns coloured code in a block that scrolls by keyboard. The first word of `info` names the language. */
function highlight(code, name) {
  const language = aliases[name] ?? name;
  const text = hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escapeHtml(code);
  return `<pre tabindex="0"><code>${text.trimEnd()}</code></pre>\n`;
}

/**
 * Gives each cell the heading of its column, which a narrow screen shows instead of columns. With two columns
 * the first cell says what the second is.
 */
function labelCells(tokens) {
  let labels = [];
  let column = 0;
  tokens.forEach(({ type }, at) => {
    if (type === "thead_open") labels = [];
    if (type === "tr_open") column = 0;
    if (type === "th_open") labels.push(textOf(tokens[at + 1]));
    if (type !== "td_open") return;
    if (labels.length > 2 && column > 0) tokens[at].attrSet("data-label", labels[column]);
    column++;
  });
}

const textOf = ({ children }) => children.map(({ content }) => content).join("");

function relink(token, link) {
  const name = { link_open: "href", image: "src" }[token.type];
  if (!name) return;
  const target = link(token.attrGet(name));
  if (target !== undefined) token.attrSet(name, target);
  else token.meta = { isRemoved: true };
  if (token.type === "image") token.attrSet("loading", "lazy");
}

/** Returns the token that opens the link closed at `at`; links do not nest. */
function openingOf(tokens, at) {
  while (tokens[at].type !== "link_open") at--;
  return tokens[at];
}

/** Gives each code of the first cell that has any, in each row of a table, an id: the code itself. */
function anchorRows(tokens) {
  const used = new Set();
  let isNamed = true;
  let isBody = false;
  for (const { type, children } of tokens) {
    if (type === "tbody_open" || type === "tbody_close") isBody = type === "tbody_open";
    if (type === "tr_open") isNamed = false;
    if (type !== "inline" || !isBody || isNamed) continue;
    const codes = children.filter((token) => token.type === "code_inline");
    isNamed = codes.length > 0;
    if (children.some((token) => token.type === "link_open")) continue;
    for (const token of codes) {
      const id = idOf(token.content);
      if (!id || used.has(id)) continue;
      used.add(id);
      token.meta = { id };
    }
  }
}

/** Returns the anchor of a setting, a code or a metric: its text, without blanks and what follows them. */
export const idOf = (text) => text.split(/[\s={]/)[0].replace(/[^\w.[\]*-]/g, "");

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => entities[character]);
