// Finds the entries of a folder that a caller may have. It asks once for all entries that one rule gates,
// since there may be thousands.

import { type Access, everythingPublic, rulesOf } from "../../access/access.ts";
import type { Auth } from "../../access/auth.ts";
import type { Requirement } from "../../access/rules/requirement.ts";
import type { Entry } from "./entries.ts";

type Permission = Promise<boolean> | boolean;

/** The gated entries of a list in groups: of one kind, and under one rule. */
type Gated = readonly ReadonlySet<Entry>[];

/**
 * Results by list, which stays the same as long as its folder does; rules stay the same until the next start.
 */
const known = new WeakMap<readonly Entry[], Gated>();

/** The entries that the caller may have, as `isAllowed` says. */
export async function permittedEntries(
  entries: readonly Entry[],
  { access, auth }: { readonly access: Access; readonly auth: Auth | undefined },
  isAllowed: (entry: Entry) => Permission,
): Promise<readonly Entry[]> {
  const rules = rulesOf(access);
  if (rules === everythingPublic) return entries;
  // Any other access implementation may decide anything for each image.
  if (auth === undefined || rules !== auth.access) return filterEntries(entries, isAllowed);
  const gated = known.get(entries) ?? gatedEntriesOf(entries, auth);
  known.set(entries, gated);
  const refused: ReadonlySet<Entry>[] = [];
  for (const same of gated) {
    const [first] = same;
    if (first && !(await isAllowed(first))) refused.push(same);
  }
  return refused.length === 0 ? entries : entries.filter((entry) => !refused.some((set) => set.has(entry)));
}

function gatedEntriesOf(entries: readonly Entry[], { requirementOf }: Auth): Gated {
  const gated = { folder: new Map<Requirement, Set<Entry>>(), image: new Map<Requirement, Set<Entry>>() };
  for (const entry of entries) {
    const required = requirementOf(entry.identifier);
    const same = gated[entry.kind];
    if (required) same.set(required, (same.get(required) ?? new Set()).add(entry));
  }
  return Object.values(gated).flatMap((same) => [...same.values()]);
}

async function filterEntries(
  entries: readonly Entry[],
  isAllowed: (entry: Entry) => Permission,
): Promise<readonly Entry[]> {
  const allowed: Entry[] = [];
  for (const entry of entries) {
    const result = isAllowed(entry);
    if (result === true || (result !== false && (await result))) allowed.push(entry);
  }
  return allowed;
}
