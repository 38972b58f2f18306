// Texts of operators that are HTML (Presentation API 3.0, section 4.5), without what could run a script where
// a client shows them without checking.

import { isWebAddress } from "./safe-address.ts";

/** Elements that only mark up text, and links and images. All others are removed. */
const elements: ReadonlySet<string> = new Set(
  "a abbr b blockquote br caption cite code dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp section small span strong sub sup table tbody td tfoot th thead time tr u ul var".split(
    " ",
  ),
);

/** Elements that are removed with their contents. */
const withContents =
  /<(script|style|iframe|object|embed|template|noscript|noembed|noframes|svg|math|textarea|title|xmp)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;

const attributes: ReadonlySet<string> = new Set(
  "alt class colspan dir height href id lang rel rowspan src target title width".split(" "),
);

/** Passes after which a text counts as an attack: removing one element may make another. */
const maxPasses = 5;

/** Most characters of HTML: patterns run out of memory on some texts of several megabytes. */
const maxHtml = 2 ** 20;

/**
 * Returns the text without elements and attributes that could run a script; plain text stays as it is, and
 * HTML of more than a MiB is left out.
 */
export function safeHtml(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith("<") || !trimmed.endsWith(">")) return text;
  if (text.length > maxHtml) return "";
  let html = text;
  for (let pass = 0; pass < maxPasses; pass++) {
    const before = html;
    html = before
      .replace(withContents, "")
      .replace(/<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>?/g, "")
      .replace(/<(\/?)([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>?/gi, safeTag);
    if (html === before) return html;
  }
  return "";
}

function safeTag(tag: string, end: string, name: string, rest: string): string {
  if (!elements.has(name.toLowerCase()) || !tag.endsWith(">")) return "";
  const attributes = rest.replace(attribute, (whole, key: string, value = "") =>
    isSafe(key, value) ? whole : " ",
  );
  return `<${end}${name}${attributes}>`;
}

const attribute = /([^\s"'>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g;

function isSafe(key: string, value: string): boolean {
  const name = key.toLowerCase();
  if (!attributes.has(name) && !/^(data|aria)-[\w-]+$/.test(name)) return false;
  if (name !== "href" && name !== "src") return true;
  return isWebAddress(decodeReferences(value.replace(/^["']|["']$/g, "")), name === "href");
}

/** Resolves the references that a scheme could be hidden in. */
const decodeReferences = (text: string): string =>
  text
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));?/gi, (whole, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .replace(/&(?:tab|newline);/gi, "")
    .replace(/&colon;/gi, ":");
