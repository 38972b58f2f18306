// Display names on the pages of the collection: labels in the reader's language, or else names.

import type { LanguageMap } from "../../../base/index.ts";
import { escapeHtml } from "../http/page.ts";
import { type TextInLanguage, textForRanges } from "../http/representation/language.ts";
import type { Reader } from "../http/representation/reader.ts";

type OfReader = Pick<Reader<unknown>, "language" | "ranges">;

/** Returns a label in the reader's language. */
export function labelFor(
  { ranges, language }: OfReader,
  label: string | LanguageMap | undefined,
): TextInLanguage | undefined {
  return textForRanges(label, [...ranges, language, "en"]);
}

/** Returns a text as safe HTML with its language, if that differs from the page's. */
export function textHtml(page: Pick<OfReader, "language">, { text, language }: TextInLanguage): string {
  return inLanguage(page, language, escapeHtml(text));
}

function inLanguage(page: Pick<OfReader, "language">, language: string | undefined, html: string): string {
  const isOwn = language === undefined || language.toLowerCase().split("-")[0] === page.language;
  return isOwn ? html : `<bdi lang="${escapeHtml(language)}">${html}</bdi>`;
}

export interface DisplayName {
  readonly text: string;
  /** Safe HTML. */
  readonly html: string;
  /** Safe HTML for narrow positions: the middle of a long name is there, but not in sight. */
  readonly cut: string;
}

/** Returns the display name: the label, or else the name. */
export function nameOf(reader: OfReader, label: LanguageMap | undefined, name: string): DisplayName {
  const said = labelFor(reader, label) ?? { text: name };
  return {
    text: said.text,
    html: textHtml(reader, said),
    cut: inLanguage(reader, said.language, shortenText(said.text)),
  };
}

/** Characters of a name that is shown as a whole. */
const maxWhole = 64;
/** Characters of a longer one in sight: of its start, and of its end, where numbers and formats are. */
const [startLength, endLength] = [34, 26];

function shortenText(text: string): string {
  const characters = [...text];
  if (characters.length <= maxWhole) return escapeHtml(text);
  const part = (from: number, to?: number) => escapeHtml(characters.slice(from, to).join(""));
  return `${part(0, startLength)}<span class="unseen">${part(startLength, -endLength)}</span><span class="rest">${part(-endLength)}</span>`;
}
