// Finds the rule that covers a match, without checking every rule.

import { checkIdentifier, splitPage } from "../../../iiif/index.ts";
import { type Rule, ruledFolder } from "../rules/rules.ts";
import { oneForm } from "../rules/spellings.ts";
import type { RuledSource } from "./settings.ts";

/** Returns the index of the first rule that matches everything a match does; undefined if there is none. */
export type RuleIndex = (match: string) => number | undefined;

/** Indexes the rules whose matches identifiers can have. */
export function indexRules(
  rules: readonly Pick<Rule, "match">[],
  sources: readonly RuledSource[],
): RuleIndex {
  const first = new Map<string, number>();
  for (const [at, { match }] of rules.entries()) {
    const key = keyOf(match);
    if (!first.has(key)) first.set(key, at);
  }
  return (match) => {
    const found = matchesAround(match, sources).flatMap((key) => first.get(key) ?? []);
    return found.length > 0 ? Math.min(...found) : undefined;
  };
}

/** Returns a match without its trailing `/*`. */
export const folderOf = (match: string): string => match.replace(/\/\*$/, "");

/** Returns one text for all spellings of a match: an archive is a folder. */
function keyOf(match: string): string {
  if (match === "*") return match;
  const folder = ruledFolder(match);
  return folder === undefined ? oneForm(checkIdentifier(match)) : `${folder}/*`;
}

/** Returns the keys of all matches that include everything that a match does. */
function matchesAround(match: string, sources: readonly RuledSource[]): string[] {
  if (match === "*") return [match];
  const folder = folderOf(match);
  const names = [folder, ...otherNames(folder, sources)];
  // Identifiers below another one are not its pages.
  const exact = folder === match ? names.flatMap(wholeAndPage) : [];
  const folders = [...names.map((name) => folderOf(keyOf(`${name}/*`))), ...exact].flatMap((name) => {
    const parts = name.split("/");
    return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/*`);
  });
  return ["*", ...exact, ...folders];
}

/** A rule for a file also covers its pages, but one for a page does not cover the file. */
const wholeAndPage = (name: string): readonly string[] =>
  [name, splitPage(name)?.identifier].flatMap((each) => (each === undefined ? [] : [oneForm(each)]));

/** A default source with a prefix has each of its images under two identifiers. */
function otherNames(identifier: string, sources: readonly RuledSource[]): string[] {
  const [whole] = sources;
  if (!whole || sources.some(({ prefix }) => prefix === "")) return [];
  const own = maxPrefixLength(identifier, sources);
  if (!own) return [whole.prefix + identifier];
  const rest = identifier.slice(whole.prefix.length);
  return own === whole && !maxPrefixLength(rest, sources) ? [rest] : [];
}

/** Returns the source with the longest prefix of an identifier. */
export function maxPrefixLength(
  identifier: string,
  sources: readonly RuledSource[],
): RuledSource | undefined {
  return sources
    .filter(({ prefix }) => identifier.startsWith(prefix))
    .sort((a, b) => b.prefix.length - a.prefix.length)[0];
}
