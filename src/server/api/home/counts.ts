// Numbers and counted things in the language of a page.

import type { Site } from "./site.ts";

/** A text for one thing and one for several, with the placeholder `{count}`. */
interface Counted {
  readonly one: string;
  readonly other: string;
}

export const numberOf = ({ language }: Pick<Site, "language">, count: number): string =>
  count.toLocaleString(language);

/** Returns a count with its noun, such as `1,204 pictures`; an empty text for 0. */
export function countOf(page: Pick<Site, "language">, count: number, forms: Counted): string {
  return count === 0 ? "" : formOf(page, count, forms).replace("{count}", numberOf(page, count));
}

/** Returns the form of a text for a count. */
export function formOf({ language }: Pick<Site, "language">, count: number, { one, other }: Counted): string {
  return new Intl.PluralRules(language).select(count) === "one" ? one : other;
}
