// Rules that do not fit the sources: prefixes that do not exist, URLs that no source serves, and files that
// are public under another identifier.

import { doubtsAt, type Finding, findNearest, parseUrl } from "../../../base/index.ts";
import { isUrl } from "../rules/spellings.ts";
import { folderOf, indexRules, maxPrefixLength, type RuleIndex } from "./rule-index.ts";
import type { AccessSettings, RuledSource } from "./settings.ts";

/**
 * Yields doubts about matches, given the prefixes and locations of the sources; none if a hook may map
 * identifiers elsewhere.
 */
export function* sourceDoubts({ auth, sources, hook }: AccessSettings): Iterable<Finding> {
  if (hook.engine !== "noop" || sources.length === 0) return;
  const index = indexRules(auth.rules, sources);
  for (const [at, { match }] of auth.rules.entries()) {
    if (match === "*") continue;
    const path = ["auth", "rules", at, "match"];
    yield* doubtsAt(path, describeStrange(match, sources));
    yield* doubtsAt(path, openTwin(match, sources, index));
  }
}

/** Describes a match that no source has identifiers for. */
const describeStrange = (match: string, sources: readonly RuledSource[]): string | undefined =>
  isUrl(match) ? strangeUrl(match, sources) : strangePrefix(match, sources);

function strangePrefix(match: string, sources: readonly RuledSource[]): string | undefined {
  const folder = folderOf(match);
  const path = `${folder}/`;
  const prefixed = sources.filter(({ prefix }) => prefix !== "");
  const bare = prefixed.find(({ prefix }) => prefix === path);
  if (bare)
    return folder === match ? `${matchesOne(match)} of source "${bare.name}"; write ${match}/*` : undefined;
  if (prefixed.some(({ prefix }) => path.startsWith(prefix) || prefix.startsWith(path))) return undefined;
  const lower = path.toLowerCase();
  const cased = prefixed.find(({ prefix }) => lower.startsWith(prefix.toLowerCase()));
  if (cased)
    return `differs from the prefix ${cased.prefix} of source "${cased.name}" in upper and lower case, which matter; write ${cased.prefix}${match.slice(cased.prefix.length)}`;
  const [head = ""] = folder.split("/");
  const named = prefixed.find(({ name }) => name === head);
  if (named)
    return `begins with the name of source "${named.name}", whose identifiers begin with its prefix; write ${named.prefix}${match.slice(head.length + 1)}`;
  if (prefixed.length < sources.length || sources.length === 1) return undefined;
  const known = prefixed.map(({ prefix }) => prefix);
  const meant = findNearest(`${head}/`, known);
  return `begins with none of the prefixes of the sources, ${known.join(" and ")}; ${meant === undefined ? `write ${sources[0]?.prefix}${match} if it is in source "${sources[0]?.name}"` : `did you mean ${meant}?`}`;
}

const matchesOne = (match: string) => `matches the identifier ${match} alone, and none of the images`;

/** Returns the URL that a match consists of, alone or behind a prefix. */
const urlOf = (match: string): URL | undefined => {
  const text = /https?:\/\/.*$/i.exec(match)?.[0] ?? "";
  return parseUrl(text);
};

function strangeUrl(match: string, sources: readonly RuledSource[]): string | undefined {
  const open = sources.filter(({ url }) => url === "{identifier}");
  if (open.length === 0)
    return 'is a URL, but no source has url: "{identifier}", so no identifier is a URL; write the identifier that its images have';
  const url = urlOf(match);
  const hosts = open.flatMap(({ allowed_hosts = [] }) => allowed_hosts.map((host) => host.toLowerCase()));
  return !url || hosts.some((host) => host === url.host || host.replace(/:\d+$/, "") === url.hostname)
    ? undefined
    : `is of ${url.host}, which no source may ask; write a host of allowed_hosts`;
}

/** Describes a match whose files have further identifiers that no rule matches. */
function openTwin(match: string, sources: readonly RuledSource[], index: RuleIndex): string | undefined {
  const open = twinsOf(match, sources).find((twin) => index(twin) === undefined);
  return open === undefined
    ? undefined
    : `protects files that are public as ${open} too; add a rule for that`;
}

/**
 * Returns matches for the same files: a URL with the other scheme, and another source with the same location.
 */
function twinsOf(match: string, sources: readonly RuledSource[]): string[] {
  if (isUrl(match))
    return [match.replace(/(^|\/)(https?):/i, (_, before, scheme) => `${before}${otherScheme(scheme)}:`)];
  const own = sourceOf(match, sources);
  const start = own && locationOf(own);
  if (own === undefined || start === undefined) return [];
  const file = `${start}/${match.startsWith(own.prefix) ? match.slice(own.prefix.length) : match}`;
  return sources.flatMap((source) => {
    const location = locationOf(source);
    if (source === own || location === undefined) return [];
    const isInside = file.endsWith("/*") && `${location}/`.startsWith(file.slice(0, -1));
    if (!isInside && !file.startsWith(`${location}/`)) return [];
    const twin = source.prefix + (isInside ? "*" : file.slice(location.length + 1));
    // A longer prefix may claim the identifier.
    return sourceOf(twin, sources) === source ? [twin] : [];
  });
}

const otherScheme = (scheme: string) => (scheme.toLowerCase() === "https" ? "http" : "https");

/** Returns the source of an identifier or a match. */
const sourceOf = (match: string, sources: readonly RuledSource[]): RuledSource | undefined =>
  maxPrefixLength(match, sources) ?? sources[0];

/** Location of the masters, without a / at its end; undefined if it cannot be compared. */
function locationOf({ root, bucket, endpoint, key_prefix }: RuledSource): string | undefined {
  const location = root ?? (bucket === undefined ? undefined : `s3 ${endpoint} ${bucket}/${key_prefix}`);
  return location?.replace(/(?<=.)\/+$/, "");
}
