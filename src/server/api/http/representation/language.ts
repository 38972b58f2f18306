// Negotiation by language (RFC 9110, section 12.5.4; RFC 4647, section 3.4).

/** Maximum number of ranges of a field that are read. Each has at most nine parts, or is no tag. */
const maxRanges = 20;

/**
 * Returns the language ranges of an Accept-Language field in lower case, in order of preference; without `*`
 * and refused ones.
 */
export function acceptedLanguages(field: string | null): readonly string[] {
  return (field ?? "")
    .toLowerCase()
    .split(",", maxRanges)
    .map((part) => {
      const [, range = "", weight = "1"] =
        /^\s*([a-z]{1,8}(?:-[a-z0-9]{1,8}){0,8})\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(part) ?? [];
      return { range, weight: Number(weight) };
    })
    .filter(({ range, weight }) => range !== "" && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range);
}

/** A text with its language tag; without one it has no language. */
export interface TextInLanguage {
  readonly text: string;
  readonly language?: string;
}

/**
 * Returns the first text of a language map (Presentation API 3.0, section 4) in the language that suits a
 * reader best, else without a language, else in the first one; undefined if there is none.
 */
export function textForRanges(map: unknown, ranges: readonly string[]): TextInLanguage | undefined {
  if (typeof map === "string") return map === "" ? undefined : { text: map };
  if (typeof map !== "object" || map === null) return undefined;
  const texts = map as Readonly<Record<string, unknown>>;
  const tags = Object.keys(texts);
  const tag = matchLanguage(ranges, tags) ?? ("none" in texts ? "none" : undefined) ?? tags[0];
  const text = tag === undefined ? undefined : [texts[tag]].flat()[0];
  if (typeof text !== "string" || text === "") return undefined;
  return { text, ...(tag !== undefined && tag !== "none" && { language: tag }) };
}

/**
 * Returns the best of the offered language tags: for each range the equal tag, else one for a shortened range
 * (`de` for `de-AT`), else a more specific one (`de-CH` for `de`); undefined if none matches.
 */
export function matchLanguage(ranges: readonly string[], offered: readonly string[]): string | undefined {
  const tags = offered.map((tag) => ({ tag, lower: tag.toLowerCase() }));
  for (const range of ranges) {
    for (let part = range; part !== ""; part = part.slice(0, Math.max(0, part.lastIndexOf("-")))) {
      const found = tags.find(({ lower }) => lower === part);
      if (found) return found.tag;
    }
    const [primary = ""] = range.split("-");
    const found = tags.find(({ lower }) => lower.startsWith(`${primary}-`));
    if (found) return found.tag;
  }
  return undefined;
}
