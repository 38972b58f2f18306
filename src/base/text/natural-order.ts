// The order of files and folders as people number them: page 2 comes before page 10.

const collator = new Intl.Collator("en", { numeric: true });

/** Compares two names: numbers by value, letters regardless of case, and equal ones by code units. */
export function compareNaturally(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : one > other ? 1 : 0);
}
