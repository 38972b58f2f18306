// The reader of a page: the language of its texts, and of multilingual values in documents.

import type { TextLanguage } from "../../../../iiif/index.ts";
import { acceptedLanguages, matchLanguage, textForRanges } from "./language.ts";

export interface Reader<Words> {
  /** Language tag of the service's own texts. */
  readonly language: TextLanguage;
  readonly words: Words;
  /** Ranges of Accept-Language, in order of preference. */
  readonly ranges: readonly string[];
}

/** Returns the reader of an Accept-Language field, with the texts in the language that suits best. */
export function readerIn<Words>(
  words: Readonly<Record<TextLanguage, Words>>,
  field: string | null,
): Reader<Words> {
  const ranges = acceptedLanguages(field);
  const found = matchLanguage(ranges, Object.keys(words)) as TextLanguage | undefined;
  const language = found ?? "en";
  return { language, words: words[language], ranges };
}

/** Replaces the placeholders `{…}` in a text. */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Returns the text of a language map that suits a reader best; "" if there is none. */
export function textFor(map: unknown, { ranges, language }: Omit<Reader<unknown>, "words">): string {
  return textForRanges(map, [...ranges, language])?.text ?? "";
}
