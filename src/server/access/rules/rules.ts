// Finds the rule of an identifier: the entries of `auth.rules`, in order.

import { isArchiveName } from "../../../base/index.ts";
import { checkIdentifier } from "../../../iiif/index.ts";
import { isUrl, oneForm, spellingsOf } from "./spellings.ts";

/** A rule as configured. */
export interface Rule {
  /** An identifier, a prefix followed by `/*`, or `*`. */
  readonly match: string;
  /** Access through any one of several profiles is enough. */
  readonly profile: string | readonly string[];
}

/** Returns the names of a rule's profiles, at least one. */
export const profilesOf = ({ profile }: Pick<Rule, "profile">): readonly string[] =>
  typeof profile === "string" ? [profile] : profile;

/**
 * Returns the first rule that matches, or undefined if none does: the identifier is public. `others`: other
 * identifiers of the same master.
 */
export type RuleMatch<R> = (identifier: string, others?: readonly string[]) => R | undefined;

/** Returns what is wrong with the `match` of a rule, or undefined. */
export function ruleFault(match: string): string | undefined {
  const fault = `expected an identifier, a prefix with /* behind it such as private/*, or * alone, received ${JSON.stringify(match)}`;
  if (match === "*") return undefined;
  const plain = match.replace(/\/\*$/, "");
  if (plain.includes("*")) return fault;
  try {
    checkIdentifier(plain);
  } catch {
    return `${fault}, which no identifier can be${suggestMatch(match)}`;
  }
  // Servers accept the same query in any order and with additions.
  return isUrl(plain) && plain.includes("?")
    ? `${fault}; remove the part from ? on, because a rule for a URL applies to all of its queries`
    : undefined;
}

/** Returns the likely intention of a match that no identifier can have, so that checks can continue. */
function suggestMatch(match: string): string {
  const plain = match.replace(/^\/+/, "").replace(/\/+$/, "/*") || "*";
  return plain !== match && ruleFault(plain) === undefined ? `; write ${plain}` : "";
}

/**
 * Creates a function from decoded identifiers to rules. `private/*` matches `private` and everything that
 * begins with `private/`; `scans.zip`, an archive, matches everything in it, too. An identifier with a page
 * suffix is tried with and without it; a URL is normalised first, in rules as in identifiers.
 */
export function createRules<R extends Pick<Rule, "match">>(rules: readonly R[]): RuleMatch<R> {
  const tests = rules.map((rule) => ({ rule, test: testOf(rule.match) }));
  return (identifier, others = []) => {
    const spellings = [identifier, ...others].flatMap(spellingsOf);
    return tests.find(({ test }) => spellings.some(test))?.rule;
  };
}

/**
 * Returns the folder that a match names with all that is below, in the form of {@link oneForm}; undefined if
 * it names one identifier, or all.
 */
export function ruledFolder(match: string): string | undefined {
  if (match === "*") return undefined;
  const whole = oneForm(checkIdentifier(match.replace(/\/\*$/, "")));
  return match.endsWith("/*") || isArchiveName(whole) ? whole.replace(/\/$/, "") : undefined;
}

function testOf(match: string): (identifier: string) => boolean {
  if (match === "*") return () => true;
  const folder = ruledFolder(match);
  if (folder === undefined) return exactly(oneForm(checkIdentifier(match)));
  const [isFolder, prefix] = [exactly(folder), `${folder}/`];
  return (identifier) => isFolder(identifier) || identifier.startsWith(prefix);
}

/** A web server may send the same file for any query after its path. */
function exactly(whole: string): (identifier: string) => boolean {
  if (!isUrl(whole)) return (identifier) => identifier === whole;
  const withQuery = `${whole}?`;
  return (identifier) => identifier === whole || identifier.startsWith(withQuery);
}
