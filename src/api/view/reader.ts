// Who reads a page: the language of its words, and of what a manifest says in several.

import { acceptedLanguages, matchLanguage, textForRanges } from "../http/representation/language.ts";
import { type Words, words } from "./words.ts";

export interface Reader {
  /** Tag of the language of our own words. */
  readonly language: keyof typeof words;
  readonly words: Words;
  /** Ranges of Accept-Language, the preferred ones first. */
  readonly ranges: readonly string[];
}

/** The reader of an Accept-Language field. */
export function readerOf(field: string | null): Reader {
  const ranges = acceptedLanguages(field);
  const language = matchLanguage(ranges, Object.keys(words)) as keyof typeof words | undefined;
  return { language: language ?? "en", words: words[language ?? "en"], ranges };
}

/** A text with what stands for `{…}` in it. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text of a language map that suits a reader best; "" where there is none. */
export function textFor(map: unknown, { ranges, language }: Reader): string {
  return textForRanges(map, [...ranges, language])?.text ?? "";
}
