// Display names on the start page: labels in the reader's language, or else names.

import type { LanguageMap } from "../../iiif/auth.ts";
import { escapeHtml } from "../http/page.ts";
import { type TextInLanguage, textForRanges } from "../http/representation/language.ts";

/** Language of the page's own texts. */
const own = "en";

/** Returns a label in the reader's language. */
export function labelFor(
  { ranges }: { readonly ranges: readonly string[] },
  label: string | LanguageMap | undefined,
): TextInLanguage | undefined {
  return textForRanges(label, [...ranges, own]);
}

/** Returns a text as safe HTML with its language, if that differs from the page's. */
export function spoken({ text, language }: TextInLanguage): string {
  const safe = escapeHtml(text);
  const isOwn = language === undefined || language.toLowerCase().split("-")[0] === own;
  return isOwn ? safe : `<bdi lang="${escapeHtml(language)}">${safe}</bdi>`;
}

/** Returns the display name as plain text and as safe HTML: the label, or else the name. */
export function nameOf(
  reader: { readonly ranges: readonly string[] },
  label: LanguageMap | undefined,
  name: string,
): { readonly text: string; readonly html: string } {
  const said = labelFor(reader, label) ?? { text: name };
  return { text: said.text, html: spoken(said) };
}
