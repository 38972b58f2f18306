// The text of a page for people to read, copy and search elsewhere.

import type { PageText } from "../page-text.ts";

export interface PlainTextOptions {
  /** True to write words of two lines as one, on the first line. */
  readonly joinsWords?: boolean;
}

/**
 * Returns the text of a page: words separated by spaces, a line of text for each line of the page, and an
 * empty one between blocks. Ends in a line feed unless it is empty.
 */
export function plainText({ lines }: PageText, { joinsWords = false }: PlainTextOptions = {}): string {
  let text = "";
  let block: number | undefined;
  let isContinued = false;
  for (const { words, block: own } of lines) {
    const texts = words.map((word) => (joinsWords ? (word.joined ?? word.text) : word.text));
    const line = (isContinued ? texts.slice(1) : texts).join(" ");
    isContinued = joinsWords && words.at(-1)?.joined !== undefined;
    if (line === "") continue;
    if (block !== undefined && own !== block) text += "\n";
    block = own;
    text += `${line}\n`;
  }
  return text;
}

/** Returns the language of a page: what it says, else that of most of its words, as BCP 47. */
export function pageLanguage({ language, lines }: Pick<PageText, "language" | "lines">): string | undefined {
  if (language !== undefined) return language;
  const counts = new Map<string, number>();
  for (const { language: own, words } of lines)
    if (own !== undefined) counts.set(own, (counts.get(own) ?? 0) + words.length);
  let best: string | undefined;
  for (const [own, count] of counts) if (count > (counts.get(best ?? "") ?? 0)) best = own;
  return best;
}
