// What one caller may see of folders and images on one page, and who may cache that page.

import type { LanguageMap } from "../../../base/index.ts";
import {
  type Access,
  type Caller,
  combineSharing,
  type Decision,
  everythingPublic,
  rulesOf,
  type Sharing,
} from "../../access/access.ts";
import type { Auth } from "../../access/auth.ts";
import type { Requirement } from "../../access/rules/requirement.ts";
import { type ListedImage, type LookParts, look } from "../../images/look.ts";
import { Gate } from "../gate.ts";
import type { PresentationOptions } from "../options.ts";
import type { Entry } from "./entries.ts";
import { type FolderLock, lockOf } from "./lock.ts";

export interface SightParts {
  readonly images: LookParts;
  readonly auth?: Auth | undefined;
  readonly options: Pick<PresentationOptions, "derive" | "show_gated">;
}

export interface ShownImage extends ListedImage {
  /** From the manifest file of its folder. */
  readonly label?: LanguageMap;
}

export interface Sight {
  /** True if only a hook knows which identifiers lead to the files of a listing, so nothing can be listed. */
  readonly isMapped: boolean;
  /** True if decisions on all entries are quick, since no hook is involved. */
  readonly isSoonKnown: boolean;
  mayLookInto(folder: string): Promise<boolean> | boolean;
  /** Returns the lock of a folder that is listed although the caller may not look into it. */
  lockOf(folder: string): Promise<FolderLock | undefined>;
  /** Also true if that is unknown before an image is examined. */
  mayHave(image: string): Promise<boolean> | boolean;
  /** What a search may find: it uses texts that may be for readers with access. */
  readonly finds: {
    mayLookInto(folder: string): Promise<boolean> | boolean;
    mayHave(image: string): Promise<boolean> | boolean;
    mayList(folder: string): Promise<boolean> | boolean;
  };
  /** The entries that the caller may see, as far as that is known before they are looked at. */
  filterPermitted(entries: readonly Entry[]): Promise<readonly Entry[]>;
  /** Returns the permitted entries, and the folders that are listed under a lock. */
  filterListed(entries: readonly Entry[]): Promise<readonly Entry[]>;
  /** An image with its label; undefined if the caller may not have it. Never throws. */
  lookAt(image: Entry): Promise<ShownImage | undefined>;
  /** Notes one decision for the whole page, the strictest. */
  note(page: string): void;
  /** Returns who may cache a page that shows everything decided and examined so far. */
  sharing(): Sharing;
}

/**
 * Creates the view of a page; `callerOf` returns the caller for an identifier, `identifier` is that of the
 * page.
 */
export function openSight(
  parts: SightParts,
  callerOf: (identifier: string) => Caller,
  identifier: string,
): Sight {
  const { images, auth, options } = parts;
  const gate = new Gate(parts, callerOf(identifier), "");
  const looked: Sharing[] = [];
  const lookParts = {
    ...images,
    decisions: { note: (_: unknown, decision: Decision) => gate.heed(decision) },
  };
  const isSoonKnown = !images.hooks?.has("authorize");
  const mayLookInto: Sight["mayLookInto"] = (folder) =>
    auth?.requirementOf(folder) === undefined || gate.allows(folder);
  const mayHave: Sight["mayHave"] = (image) => !isSoonKnown || gate.allows(image);
  const lockAt = (folder: string) => lockOf(parts, gate, folder);
  const isLocked = async (folder: string) => (await lockAt(folder)) !== undefined;
  const mayList = async (folder: string) => (await mayLookInto(folder)) || isLocked(folder);
  const filterBy = (entries: readonly Entry[], mayFolder: Sight["mayLookInto"]) =>
    permittedEntries(entries, { access: images.access, auth }, ({ kind, identifier }) =>
      kind === "folder" ? mayFolder(identifier) : mayHave(identifier),
    );
  return {
    isMapped: images.hooks?.has("resolve") === true && options.derive !== "always",
    isSoonKnown,
    mayLookInto,
    lockOf: lockAt,
    mayHave,
    finds: {
      mayLookInto: (folder) => auth?.requirementOf(folder) === undefined || gate.mayFind(folder),
      mayHave: (image) => (!isSoonKnown && !gate.keepsDocuments(image)) || gate.mayFind(image),
      mayList: isLocked,
    },
    filterPermitted: (entries) => filterBy(entries, mayLookInto),
    filterListed: (entries) => filterBy(entries, options.show_gated === "locked" ? mayList : mayLookInto),
    async lookAt({ identifier, label }) {
      const image = await look(lookParts, callerOf(identifier), looked);
      return image && { ...image, ...(label && { label }) };
    },
    note: (page) => gate.note(page, "page"),
    sharing: () => combineSharing([...looked, gate.sharing()]),
  };
}

type Permission = Promise<boolean> | boolean;

/** The gated entries of a list in groups: of one kind, and under one rule. */
type Gated = readonly ReadonlySet<Entry>[];

/**
 * Results by list, which stays the same as long as its folder does; rules stay the same until the next start.
 */
const known = new WeakMap<readonly Entry[], Gated>();

/** The entries that the caller may have, as `isAllowed` says. */
async function permittedEntries(
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
