// Chooses the images for the doctor: one for each profile that a rule names.

import { type AuthOptions, createRules, profilesOf, ruledFolder, type Sources } from "../../server/index.ts";
import { createLister, imagesBelow } from "./listing.ts";
import type { ProbedImage } from "./walk.ts";

/** Limits of the search for an image of a rule: folders, and milliseconds. */
const bounds = { folders: 16, ms: 4000 } as const;

export interface TargetParts {
  readonly auth: AuthOptions;
  readonly sources: Pick<Sources, "resolve" | "otherNames">;
  /** False if a hook maps identifiers to files: then file names are no identifiers. */
  readonly lists: boolean;
}

/** Explains in the operator's words why there is nothing to examine. */
export class NothingToExamine extends Error {}

/**
 * Returns the requested image, once for each profile of its rule. Throws NothingToExamine if no rule names
 * it.
 */
export function targetsAt(identifier: string, { auth, sources }: TargetParts): readonly ProbedImage[] {
  const rule = createRules(auth.rules)(identifier, sources.otherNames(identifier));
  const profiles = rule ? profilesOf(rule) : [];
  if (profiles.length === 0)
    throw new NothingToExamine(
      `no rule of auth.rules names ${identifier}, so it is public; choose an identifier that needs a login`,
    );
  return profiles.map((profile) => ({ profile, profiles, identifier, exists: true }));
}

/** Returns one target for each profile: an image if one is found, or else a made-up name. */
export async function findTargets(parts: TargetParts): Promise<readonly ProbedImage[]> {
  const { auth, sources } = parts;
  const match = createRules(auth.rules);
  const found = new Map<string, ProbedImage>();
  for (const rule of auth.rules) {
    const profiles = profilesOf(rule);
    const wanted = profiles.filter((profile) => !found.get(profile)?.exists);
    if (wanted.length === 0) continue;
    const isOf = (identifier: string) => match(identifier, sources.otherNames(identifier)) === rule;
    const image = await imageOf(rule.match, parts, isOf);
    const made = rule.match.replace(/\*$/, "smalti-doctor");
    for (const profile of wanted)
      if (image !== undefined) found.set(profile, { profile, profiles, identifier: image, exists: true });
      else if (!found.has(profile) && isOf(made))
        found.set(profile, { profile, profiles, identifier: made, exists: false });
  }
  return [...found.values()];
}

async function imageOf(
  match: string,
  { sources, lists }: TargetParts,
  isOf: (identifier: string) => boolean,
): Promise<string | undefined> {
  const folder = match === "*" ? "" : ruledFolder(match);
  if (folder === undefined) return isOf(match) ? match : undefined;
  if (!lists) return undefined;
  const { source, key } = sources.resolve(folder === "" ? "smalti-doctor" : `${folder}/smalti-doctor`);
  for await (const path of imagesBelow(createLister(bounds), source, key.split("/").slice(0, -1).join("/")))
    if (path !== undefined && isOf(source.prefix + path)) return source.prefix + path;
  return undefined;
}
