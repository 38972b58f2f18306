// Finds rules that match no listed image, by listing the sources.

import { doubtAt, type Finding, findNearest } from "../../base/index.ts";
import { splitPage } from "../../iiif/index.ts";
import {
  type AuthOptions,
  rowDoubt,
  type Source,
  type SourceEntry,
  type Sources,
  type TableRow,
} from "../../server/index.ts";
import { createLister, imagesBelow, type Lister } from "./listing.ts";

/** Usual limits of the search: milliseconds in total, and number of folders. */
const usualBounds = { ms: 2000, folders: 500 } as const;

export interface RuleParts {
  readonly auth: AuthOptions;
  readonly sources: Pick<Sources, "all" | "resolve">;
  /** False if a hook maps identifiers to files, so that files do not imply identifiers. */
  readonly lists: boolean;
}

/**
 * Returns a doubt about each rule that matches no image. Undecidable rules, because a source does not list or
 * the search ran out of time, cause none. Takes at most two seconds, unless `bounds` says otherwise. Never
 * rejects.
 */
export async function unmatchedRules(
  { auth, sources, lists }: RuleParts,
  bounds: Readonly<Record<keyof typeof usualBounds, number>> = usualBounds,
): Promise<Finding[]> {
  if (!lists) return [];
  const lister = createLister(bounds);
  const doubts: Finding[] = [];
  for (const [at, { match }] of auth.rules.entries()) {
    if (lister.isOver()) break;
    const message = await emptyMatch(match, sources, lister);
    if (message !== undefined)
      doubts.push(doubtAt(["auth", "rules", at, "match"], `matches no image: ${message}`));
  }
  return doubts;
}

/** Maximum number of rows that are named. */
const maxRows = 20;

/**
 * Returns a doubt about each row of a table that has no key, so that its identifier is a path, and that names
 * no image. Undecidable rows cause none. Takes at most two seconds.
 */
export async function unmatchedRows(
  rows: Iterable<TableRow>,
  sources: RuleParts["sources"],
): Promise<Finding[]> {
  const lister = createLister(usualBounds);
  const doubts: Finding[] = [];
  for (const row of rows) {
    if (lister.isOver() || doubts.length === maxRows) break;
    const message = row.hasKey ? undefined : await emptyMatch(row.identifier, sources, lister);
    if (message !== undefined) doubts.push(rowDoubt(row, `matches no image: ${message}`));
  }
  return doubts;
}

/** Returns why a match matches no image; undefined if it matches one, or if that is unknown. */
async function emptyMatch(
  match: string,
  { all, resolve }: RuleParts["sources"],
  lister: Lister,
): Promise<string | undefined> {
  const isFolder = match.endsWith("/*");
  const folder = match.replace(/\/\*$/, "");
  // A folder above the prefixes of sources contains all of their images.
  const isAbove = all.some(({ prefix }) => prefix.startsWith(`${folder}/`) && prefix !== `${folder}/`);
  if (match === "*" || (isFolder && isAbove)) return undefined;
  const { source, key } = resolve(isFolder ? `${folder}/smalti` : folder);
  const names = key.split("/").slice(0, isFolder ? -1 : undefined);
  const found = await walk(lister, source, names);
  if (found === undefined) return undefined;
  if ("missing" in found) return missingText(match, source, found);
  if (found.kind !== "directory") return undefined;
  if (!isFolder) return `it is a folder, and its images have longer identifiers; write ${match}/*`;
  // An image proves that the rule matches, and a part that could not be read may have one.
  for await (const _ of imagesBelow(lister, source, names.join("/"))) return undefined;
  return "no file in this folder has the name of an image; correct or remove it";
}

interface Missing {
  readonly missing: string;
  readonly parent: string;
  readonly beside: readonly SourceEntry[];
}

/**
 * Returns the entry at the end of a path, with each name as stored; undefined if that cannot be determined.
 */
async function walk(
  lister: Lister,
  source: Source,
  names: readonly string[],
): Promise<Pick<SourceEntry, "kind"> | Missing | undefined> {
  let at: Pick<SourceEntry, "kind"> = { kind: "directory" };
  for (const [depth, name] of names.entries()) {
    // A rule for a file may have a suffix, such as a page of the file.
    if (at.kind !== "directory") return at;
    const parent = names.slice(0, depth).join("/");
    const listing = await lister.list(source, parent);
    if (!listing) return undefined;
    const wanted = [name, splitPage(name)?.identifier];
    const entry = listing.entries.find((each) => wanted.includes(each.name));
    if (!entry) return listing.isWhole ? { missing: name, parent, beside: listing.entries } : undefined;
    at = entry;
  }
  return at;
}

function missingText(match: string, source: Source, { missing, parent, beside }: Missing): string {
  const location = parent === "" ? `source "${source.name}"` : `${source.prefix}${parent}`;
  if (missing.startsWith("."))
    return `names that begin with a dot, such as ${missing}, are not served; remove the rule`;
  const names = beside.map(({ name }) => name);
  const foldCase = (name: string) => name.normalize("NFC").toLowerCase();
  const same = names.find((name) => foldCase(name) === foldCase(missing));
  const write = (name: string) => match.replace(missing, () => name);
  const forms = same === undefined ? undefined : accentForms(same, missing);
  if (same !== undefined && forms !== undefined)
    return `${location} holds ${same}, whose name there has ${forms}, which look the same; write ${escapeText(write(same))} in double quotes`;
  if (same !== undefined)
    return `${location} holds ${same} instead of ${missing}, and upper and lower case and the form of accents matter; write ${write(same)}`;
  if (parent === "" && missing === source.name)
    return `${missing} is the name of the source, and identifiers do not begin with it; write ${write("").replace(/^\/(\*$)?/, source.prefix || "$1")}`;
  const meant = findNearest(missing, names);
  return `${location} holds no ${missing}; ${meant === undefined ? "correct or remove it" : `did you mean ${write(meant)}?`}`;
}

/** Returns which forms of accents a stored name and that of a rule have; undefined for other differences. */
function accentForms(stored: string, named: string): string | undefined {
  const composed = stored.normalize("NFC");
  if (composed !== named.normalize("NFC")) return undefined;
  if (named === composed) return "decomposed accents (NFD, as a Mac writes them), and the rule composed ones";
  if (stored === composed)
    return "composed accents (NFC), and the rule decomposed ones (NFD, as a Mac writes them)";
  return undefined;
}

/** Returns a text in double quotes, as YAML reads it, in which accents cannot change their form. */
const escapeText = (text: string): string =>
  JSON.stringify(text).replace(/./gu, (each) => {
    const isAccented = /\p{M}/u.test(each) || each.normalize("NFD") !== each;
    const code = (each.codePointAt(0) as number).toString(16);
    if (!isAccented) return each;
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
