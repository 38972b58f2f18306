// Forms of the words of a query, in the language of the text that is searched.

import { createLru } from "../../../base/index.ts";
import { pageLanguage, type Query, type Stemmer, TextFileError } from "../../../text/index.ts";
import type { PageTexts } from "./page-texts.ts";
import type { TextPage } from "./text-parts.ts";

export interface WordForms {
  /**
   * Returns the stemmer of the language of pages; undefined if the query asks for no forms, or nothing says
   * the language. Throws what sources throw.
   */
  stemmerFor(pages: readonly TextPage[], query: Query): Promise<Stemmer | undefined>;
}

/** Pages that are asked for their language. */
const samples = 5;
/** Texts whose languages are remembered. */
const maxRemembered = 1000;

/** Creates what reads languages from pages. */
export function createWordForms(texts: Pick<PageTexts, "read">): WordForms {
  const languages = createLru<string, readonly string[]>(maxRemembered);

  const languageOf = async ({ files }: TextPage): Promise<string | undefined> => {
    try {
      const page = await texts.read(files);
      return page && pageLanguage(page);
    } catch (error) {
      if (error instanceof TextFileError) return undefined;
      throw error;
    }
  };

  /** Returns the languages of some pages, that of the largest number of them first. */
  const languagesOf = async (pages: readonly TextPage[]): Promise<readonly string[]> => {
    const count = Math.min(samples, pages.length);
    const sampled = Array.from({ length: count }, (_, at) => pages[Math.floor((at * pages.length) / count)]!);
    const key = JSON.stringify(sampled.map(({ key, files }) => [key, files.map((file) => file.validator)]));
    const known = languages.get(key);
    if (known) return known;
    const counts = new Map<string, number>();
    for (const page of sampled) {
      const language = await languageOf(page);
      if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
    }
    const found = [...counts].sort(([, one], [, other]) => other - one).map(([language]) => language);
    languages.set(key, found, 1);
    return found;
  };

  return {
    async stemmerFor(pages, { clauses }) {
      const asksForForms = clauses.flat().some(({ comparison }) => comparison === "forms");
      const found = asksForForms ? await languagesOf(pages) : [];
      if (found.length === 0) return undefined;
      const { stemmerOf } = await import("./stemmers.ts");
      for (const language of found) {
        const stemmer = stemmerOf(language);
        if (stemmer) return stemmer;
      }
      return undefined;
    },
  };
}
