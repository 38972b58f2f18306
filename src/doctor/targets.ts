// Which images the doctor looks at: one for each profile that a rule names.

import type { AuthOptions } from "../access/options.ts";
import { createRules } from "../access/rules/rules.ts";
import type { Sources } from "../sources/index.ts";
import type { Source } from "../sources/source.ts";
import type { Target } from "./walk.ts";

/** Directories that are looked into for an image of a rule, and milliseconds for each. */
const mostDirectories = 16;
const listingMs = 1000;

export interface TargetParts {
  readonly auth: AuthOptions;
  readonly sources: Pick<Sources, "resolve" | "otherNames">;
  /** Where a hook maps identifiers to files, files name no identifiers. */
  readonly lists: boolean;
}

/** The image that was asked for. Throws an Error where no rule names it. */
export function targetOf(identifier: string, { auth, sources }: TargetParts): Target {
  const profile = createRules(auth.rules)(identifier, sources.otherNames(identifier));
  if (profile === undefined)
    throw new Error(
      `no rule of auth.rules names ${identifier}, so that it is public; choose an identifier that needs a login`,
    );
  return { profile, identifier, exists: true };
}

/** One for each profile: an image where one is found, else a name that has to be of no image. */
export async function findTargets(parts: TargetParts): Promise<readonly Target[]> {
  const { auth, sources } = parts;
  const match = createRules(auth.rules);
  const profileOf = (identifier: string) => match(identifier, sources.otherNames(identifier));
  const found = new Map<string, Target>();
  for (const rule of auth.rules) {
    const { profile } = rule;
    if (found.get(profile)?.exists) continue;
    const isOf = (identifier: string) => profileOf(identifier) === profile;
    const image = await imageOf(rule.match, parts, isOf);
    const made = rule.match.replace(/\*$/, "smalti-doctor");
    if (image !== undefined) found.set(profile, { profile, identifier: image, exists: true });
    else if (!found.has(profile) && isOf(made))
      found.set(profile, { profile, identifier: made, exists: false });
  }
  return [...found.values()];
}

async function imageOf(
  match: string,
  { sources, lists }: TargetParts,
  isOf: (identifier: string) => boolean,
): Promise<string | undefined> {
  if (!match.endsWith("*")) return isOf(match) ? match : undefined;
  if (!lists) return undefined;
  const folder = match.slice(0, -1).replace(/\/$/, "");
  const { source, key } = sources.resolve(folder === "" ? "smalti-doctor" : `${folder}/smalti-doctor`);
  const directories = [key.split("/").slice(0, -1).join("/")];
  for (let n = 0; n < Math.min(directories.length, mostDirectories); n++) {
    const directory = directories[n] as string;
    for (const { name, kind } of await list(source, directory)) {
      const path = directory === "" ? name : `${directory}/${name}`;
      if (kind === "directory") directories.push(path);
      else if (kind === "image" && isOf(source.prefix + path)) return source.prefix + path;
    }
  }
  return undefined;
}

/** Those that can be listed in a moment; none where the source cannot. */
async function list(source: Source, directory: string) {
  const end = performance.now() + listingMs;
  return (await source.list?.(directory, () => performance.now() > end).catch(() => undefined)) ?? [];
}
