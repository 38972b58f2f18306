// Rules that protect nothing, according to the list of rules alone.

import { doubtAt, doubtsAt, type Finding } from "../../../base/index.ts";
import { mainMounts } from "../../../iiif/index.ts";
import { profilesOf, type Rule } from "../rules/rules.ts";
import { isUrl } from "../rules/spellings.ts";
import { indexRules, type RuleIndex } from "./rule-index.ts";
import type { AccessSettings } from "./settings.ts";

/** Yields doubts about rules that no identifier reaches, impossible spellings, and profiles without rules. */
export function* ruleDoubts(settings: AccessSettings): Iterable<Finding> {
  const { rules, profiles } = settings.auth;
  if (rules.length === 0)
    return yield doubtAt(
      ["auth", "rules"],
      'there is no rule, so that every image is public; name the identifiers that need a profile, such as { match: "private/*", profile: staff }',
    );
  const index = indexRules(rules, settings.sources);
  for (const [at, { match }] of rules.entries()) {
    const path = ["auth", "rules", at, "match"];
    yield* doubtsAt(path, describeHiddenRule(at, index, settings));
    for (const check of spellingChecks) yield* doubtsAt(path, check(match, settings));
  }
  for (const [at, rule] of rules.entries())
    for (const describe of [describeWeakestWay, describeSameWords])
      yield* doubtsAt(["auth", "rules", at, "profile"], describe(rule, settings));
  const used = new Set(rules.flatMap(profilesOf));
  for (const name of Object.keys(profiles))
    if (!used.has(name))
      yield doubtAt(
        ["auth", "profiles", name],
        "no rule names this profile, so it protects nothing; add a rule for it, or remove it",
      );
}

/** Describes a rule whose images a click opens, although another of its profiles asks for a login. */
function describeWeakestWay(rule: Rule, { auth: { profiles } }: AccessSettings): string | undefined {
  const names = profilesOf(rule);
  const click = names.find((name) => profiles[name]?.pattern === "clickthrough");
  const login = names.find((name) => profiles[name]?.pattern === "active");
  if (click === undefined || login === undefined) return undefined;
  return `access through any of these profiles is enough, so the click of ${click} opens images for which ${login} asks for a login; name only ${login}, or only ${click} if a click is enough`;
}

/** Describes a rule whose logins readers cannot tell apart. */
function describeSameWords(rule: Rule, { auth: { profiles } }: AccessSettings): string | undefined {
  const unnamed = profilesOf(rule).filter((name) => {
    const profile = profiles[name];
    return profile?.access_service.backend !== "header" && Object.keys(profile?.label ?? {}).length === 0;
  });
  if (unnamed.length < 2) return undefined;
  return `viewers offer the logins ${unnamed.join(" and ")} under the same words; give each profile a label, such as { en: [Sign in as staff] }`;
}

/** Describes a rule that an earlier rule makes unreachable. */
function describeHiddenRule(
  at: number,
  index: RuleIndex,
  { auth: { rules }, sources }: AccessSettings,
): string | undefined {
  const rule = rules[at] as Rule;
  const first = index(rule.match) ?? at;
  if (first >= at) return undefined;
  const other = rules[first] as Rule;
  const why = `never counts, since auth.rules.${first} (${other.match}) matches all that ${rule.match} does, and the first rule that matches counts`;
  if (String(profilesOf(other)) === String(profilesOf(rule))) return `${why}; remove it`;
  // Both match the same identifiers.
  if (indexRules([rule], sources)(other.match) !== undefined)
    return `${why}; remove one of them, or list both profiles in one rule to admit readers with either`;
  return `${why}; put it before that one`;
}

/** Functions that each return why no identifier has the spelling of a match, or undefined. */
export const spellingChecks: readonly ((
  match: string,
  settings: Pick<AccessSettings, "base_url">,
) => string | undefined)[] = [
  (match) => {
    if (isUrl(match) || !/%[0-9a-f]{2}/i.test(match)) return undefined;
    return `is percent-encoded, and rules are compared with decoded identifiers; write ${decodeText(match)}, unless the names of files contain %`;
  },
  (match) => {
    const shell = /^\^|\$$|\?|\||\{[^}]*,[^}]*\}|\[[^\]]*\]|, /.exec(isUrl(match) ? "" : match)?.[0];
    if (shell === undefined) return undefined;
    return `holds ${JSON.stringify(shell)}, which has no meaning in rules: they are compared literally, except for /* at the end; write one rule for each identifier or folder, unless the names of files contain it`;
  },
  (match) =>
    /(^|\/)\s|\s($|\/)/.test(match)
      ? "has a space at the beginning or the end of a name, which identifiers rarely have; remove it"
      : undefined,
  (match) => {
    const [hidden] = /[\u00a0\p{Cf}]/u.exec(match) ?? [];
    if (hidden === undefined) return undefined;
    const code = hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    return `contains an invisible character (U+${code}), and matches only identifiers that contain it too; type the match again`;
  },
  (match, { base_url }) => {
    const path = base_url !== "" && match.startsWith(base_url) ? match.slice(base_url.length) : `/${match}`;
    const mount = mainMounts.find(({ prefix }) => path.replace(/\/+/g, "/").startsWith(prefix));
    if (mount) return `is the address of an image; write only its identifier, which follows ${mount.prefix}`;
    const tail = /\/(info\.json|[^/]+\/[^/]+\/[^/]+\/(default|color|gray|bitonal|native)\.\w+)$/.exec(match);
    return tail ? `is the address of a response; write only the identifier, without ${tail[0]}` : undefined;
  },
];

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "it as it is decoded";
  }
}
