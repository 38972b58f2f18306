// The order of files and folders as people number them: page 2 comes before page 10.

const collator = new Intl.Collator("en", { numeric: true });

/** Compares two names: numbers in them by their value, letters whatever their case, and what is alike so by its code units. */
export function compareNaturally(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : one > other ? 1 : 0);
}
