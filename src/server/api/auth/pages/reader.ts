// Chooses the language for a reader: of our own texts, and of the operator's.

import words from "../../../../../translations/login.json" with { type: "json" };
import type { LanguageMap } from "../../../../base/index.ts";
import type { RequestContext } from "../../http/context.ts";
import { escapeHtml } from "../../http/page.ts";
import { matchLanguage, type TextInLanguage } from "../../http/representation/language.ts";
import { type Reader as ReaderOf, readerIn } from "../../http/representation/reader.ts";

/** `{after}` in a text is a number of seconds. */
export type Words = (typeof words)["en"];

export type Reader = ReaderOf<Words>;

/** Returns the reader of a request. */
export const readerOf = (c: RequestContext): Reader =>
  readerIn<Words>(words, c.req.raw.headers.get("Accept-Language"));

/**
 * Chooses the operator's text for a reader: in the reader's first available language, else in that of the
 * page, else in English, else the first text. Returns undefined if there is none.
 */
export function chooseText(map: LanguageMap, { ranges, language }: Reader): TextInLanguage | undefined {
  const tags = Object.keys(map);
  const tag = matchLanguage([...ranges, language, "en"], tags) ?? tags[0];
  const text = tag === undefined ? undefined : map[tag]?.[0];
  if (tag === undefined || text === undefined) return undefined;
  // `none` and `@none` mean no language (Presentation API 3.0, section 4; JSON-LD 1.1).
  return /^@?none$/.test(tag) ? { text } : { text, language: tag };
}

/**
 * Returns an HTML element with a text; nothing without one. It has a `lang` attribute if the language differs
 * from that of the page.
 */
export function element(
  name: string,
  said: TextInLanguage | undefined,
  page: Reader,
  attributes = "",
): string {
  if (!said) return "";
  const { text, language } = said;
  const lang = language === undefined || language === page.language ? "" : ` lang="${escapeHtml(language)}"`;
  return `<${name}${attributes}${lang}>${escapeHtml(text)}</${name}>`;
}
