// The sites that the operator lists.

/** Returns a check whether an origin in lower case is one of `origins`, or below one with `*.`. */
export function createListed(origins: readonly string[]): (origin: string) => boolean {
  const exact = new Set(origins.map((origin) => origin.toLowerCase()));
  /** Origins with subdomains, cut at the star. */
  const below = [...exact].filter((origin) => origin.includes("*.")).map((origin) => origin.split("*"));
  return (origin) =>
    exact.has(origin) ||
    below.some(([start = "", end = ""]) => origin.startsWith(start) && origin.endsWith(end));
}
