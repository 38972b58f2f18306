// Commands on the start page, which wrap only between words.

import type { StartCommands } from "../../../base/index.ts";
import { escapeHtml } from "../http/page.ts";
import type { AboutWords } from "./site.ts";

/**
 * Returns one command; `last`, its last word, is safe HTML. It is focusable, since a word wider than the page
 * has to be scrolled.
 */
export function commandLine(text: string, last = ""): string {
  const words = text.split(" ").map((word) => `<span>${escapeHtml(word)}</span>`);
  return `<pre class="command" tabindex="0"><code>${[...words, ...(last ? [last] : [])].join(" ")}</code></pre>`;
}

/**
 * Quotes an address as a word of a command: a shell changes nothing between these quotes, and `'` has another
 * spelling in a URL.
 */
export const shellQuoted = (address: string) => `'${address.replaceAll("'", "%27")}'`;

/** Commands to serve other images than the bundled one. */
export function ownImages(words: AboutWords, { folder, config }: StartCommands): string {
  return `<h2>${words.ownImages}</h2>
<p>${words.sample}</p>
${commandLine(folder)}
${config ? `<p>${words.orConfig}</p>\n${commandLine(config)}` : `<p>${words.configThere}</p>`}`;
}
