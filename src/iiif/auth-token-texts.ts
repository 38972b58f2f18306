// The texts that a reader sees if a viewer gets no token: they say what is wrong and what to do
// (Authorization Flow 2.0, section 4.5).

import texts from "../../translations/auth-token.json" with { type: "json" };
import type { LanguageMap } from "../base/index.ts";

/** Language of the texts, of which each is in all. */
export type TextLanguage = "en" | "de" | "fr" | "es" | "it" | "nl";

/** A fault with texts. */
export type SaidFault = keyof typeof texts.faults;

/** Faults that the viewer of this service itself would not have: their notes end with its address. */
const atThisSite: ReadonlySet<SaidFault> = new Set<SaidFault>(["request", "origin", "missing"]);

/**
 * Returns heading and note of a fault by language, those of the reader first, since some viewers show the
 * first. `view`: address of the service's own viewer, if it has one.
 */
export function tokenTexts(
  fault: SaidFault,
  view: string | undefined,
  language: TextLanguage = "en",
): { readonly heading: LanguageMap; readonly note: LanguageMap } {
  const { heading, note } = texts.faults[fault];
  const languages = [...new Set([language, ...(Object.keys(heading) as TextLanguage[])])];
  const byLanguage = (text: (language: TextLanguage) => string): LanguageMap =>
    Object.fromEntries(languages.map((language) => [language, [text(language)]]));
  return {
    heading: byLanguage((language) => heading[language]),
    note: byLanguage((language) =>
      view !== undefined && atThisSite.has(fault)
        ? `${note[language]} ${texts.instead[language].replace("{view}", () => view)}`
        : note[language],
    ),
  };
}
