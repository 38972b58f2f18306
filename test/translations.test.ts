// The texts of translations/: each is in all languages, with the same placeholders.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const folder = new URL("../translations/", import.meta.url);
const languages = ["en", "de", "fr", "es", "it", "nl"];

/** Each text with its path in a file. */
function textsIn(value: unknown, path: readonly string[] = []): (readonly [readonly string[], string])[] {
  if (typeof value === "string") return [[path, value]];
  return Object.entries(value as object).flatMap(([name, part]) => textsIn(part, [...path, name]));
}

describe.each(readdirSync(folder))("%s", (name) => {
  const texts = textsIn(JSON.parse(readFileSync(new URL(name, folder), "utf8")));
  /** The texts of a language by their paths without it. */
  const inLanguage = (language: string) =>
    texts
      .filter(([path]) => path.includes(language))
      .map(([path, text]) => [path.filter((part) => part !== language).join("."), text] as const);

  test.each(languages)("is complete in %s, with its placeholders", (language) => {
    const withPlaceholders = (of: string) =>
      inLanguage(of).map(([path, text]) => [path, (text.match(/\{\w+\}/g) ?? []).sort()]);
    expect(withPlaceholders(language)).toEqual(withPlaceholders("en"));
    for (const [path, text] of inLanguage(language)) expect([path, text.trim()]).not.toEqual([path, ""]);
  });

  test("has no other language", () => {
    const counts = languages.map((language) => inLanguage(language).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(texts.length);
    expect(texts.length).toBeGreaterThan(0);
  });

  test.each(languages.slice(1))("is translated to %s", (language) => {
    const english = Object.fromEntries(inLanguage("en"));
    const same = inLanguage(language).filter(([path, text]) => text === english[path] && text.length > 25);
    expect(same).toEqual([]);
  });
});
