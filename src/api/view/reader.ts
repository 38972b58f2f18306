// The reader of a page: the language of its texts, and of multilingual values in a manifest.

import { acceptedLanguages, matchLanguage, textForRanges } from "../http/representation/language.ts";
import { type Words, words } from "./words.ts";

export interface Reader {
  /** Language tag of the service's own texts. */
  readonly language: keyof typeof words;
  readonly words: Words;
  /** Ranges of Accept-Language, in order of preference. */
  readonly ranges: readonly string[];
}

/** Returns the reader of an Accept-Language field. */
export function readerOf(field: string | null): Reader {
  const ranges = acceptedLanguages(field);
  const language = matchLanguage(ranges, Object.keys(words)) as keyof typeof words | undefined;
  return { language: language ?? "en", words: words[language ?? "en"], ranges };
}

/** Replaces the placeholders `{…}` in a text. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Returns the text of a language map that suits a reader best; "" if there is none. */
export function textFor(map: unknown, { ranges, language }: Reader): string {
  return textForRanges(map, [...ranges, language])?.text ?? "";
}
