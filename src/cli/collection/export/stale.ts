// What earlier runs have exported and readers should not get any more: it is gone, or needs a login now.

import { imagesId, partId, splitPage } from "../../../iiif/index.ts";
import type { Access, Decision } from "../../../server/index.ts";
import { anonymousCaller } from "../reader.ts";
import { addressOf, documentFile, imageFolder, isRawText } from "./names.ts";
import type { Target } from "./target.ts";

export interface Stale {
  readonly kind: "image" | "document";
  readonly identifier: string;
  /** `gone`: there is no such image or folder any more. `gated`: it needs a login now. */
  readonly reason: "gone" | "gated";
}

/** What a run over everything has listed, by identifiers. */
export interface Listed {
  readonly images: Set<string>;
  readonly folders: Set<string>;
  /** Folders that could not be listed. */
  readonly unlisted: string[];
}

export interface Run {
  readonly target: Target;
  readonly access: Access;
  /** Images that were exported. */
  readonly images: { has(identifier: string): boolean };
  /** Images that documents name. */
  readonly named: ReadonlySet<string>;
  /** Identifiers of the documents that were written. */
  readonly written: ReadonlySet<string>;
  /** Identifiers of the documents that this run found to need a login. */
  readonly refused: ReadonlySet<string>;
  /** Identifiers of the documents that there are; absent if not all are known. */
  readonly documents?: { has(identifier: string): boolean };
  /** Absent if the run was not over everything. */
  readonly listed?: Listed;
  readonly signal: AbortSignal;
  /** Notes what could not be decided. */
  readonly fail: (identifier: string, error: unknown) => void;
}

/** True if anyone may see the image of an identifier as it is. */
export const isOpen = (decision: Decision, identifier: string): boolean =>
  decision.allowed &&
  decision.tier !== "substitute" &&
  (decision.identifier === undefined || decision.identifier === identifier);

/** Returns what is stale. Decides for all that is noted, also for what was not selected. */
export async function findStale(run: Run): Promise<readonly Stale[]> {
  const { target, listed, images, named, documents } = run;
  const stale: Stale[] = [];
  const add = async (kind: Stale["kind"], identifier: string, isGone: boolean) => {
    if (await isGated(run, kind, identifier)) stale.push({ kind, identifier, reason: "gated" });
    else if (isGone) stale.push({ kind, identifier, reason: "gone" });
  };
  for await (const id of target.notes.images())
    if (!images.has(id)) await add("image", id, !named.has(id) && isUnlisted(listed, id));
  for (const id of await target.notes.documents())
    if (!run.written.has(id)) {
      const isGone =
        documents !== undefined && !documents.has(id) && !listed?.folders.has(id) && isUnlisted(listed, id);
      await add("document", id, isGone);
    }
  return stale;
}

/** True if a run over everything has listed neither an image nor the file of a page, but could have. */
function isUnlisted(listed: Listed | undefined, identifier: string): boolean {
  if (!listed) return false;
  const { images, unlisted } = listed;
  if (images.has(identifier) || images.has(splitPage(identifier)?.identifier ?? identifier)) return false;
  return !unlisted.some((folder) => folder === "" || `${identifier}/`.startsWith(`${folder}/`));
}

/** Returns what `check` returns; false if it throws, which is noted. */
async function noting(
  { signal, fail }: Pick<Run, "signal" | "fail">,
  identifier: string,
  check: () => Promise<boolean>,
): Promise<boolean> {
  signal.throwIfAborted();
  try {
    return await check();
  } catch (error) {
    if (signal.aborted) throw error;
    fail(identifier || documentFile(identifier), error);
    return false;
  }
}

const isGated = (run: Run, kind: Stale["kind"], identifier: string) =>
  noting(run, identifier, async () => {
    // The collection of everything is of those documents that anyone may see.
    if (kind === "document" && run.refused.has(identifier)) return isExposed(run.target, kind, identifier);
    if (identifier === "") return false;
    const decision = await run.access.decide(anonymousCaller(identifier, run.signal));
    return !isOpen(decision, identifier) && (await isExposed(run.target, kind, identifier));
  });

/** True for an image with files, and for a document with items. */
async function isExposed(target: Target, kind: Stale["kind"], identifier: string): Promise<boolean> {
  if (kind === "image") {
    for await (const _ of target.filesOf(imageFolder(identifier))) return true;
    return false;
  }
  const bytes = await target.read(documentFile(identifier));
  if (!bytes || isRawText(identifier)) return bytes !== undefined;
  const items: unknown = Object(JSON.parse(new TextDecoder().decode(bytes))).items;
  return !Array.isArray(items) || items.length > 0;
}

/** Returns the documents of earlier runs that list gated images or documents. */
export async function documentsThatName(
  run: Pick<Run, "target" | "written" | "signal" | "fail">,
  stale: readonly Stale[],
): Promise<readonly string[]> {
  const { target, written } = run;
  const listing = new Set<string>();
  const addresses: string[] = [];
  for (const { kind, identifier, reason } of stale) {
    if (reason !== "gated") continue;
    addresses.push(addressOf("", kind === "image" ? imageFolder(identifier) : documentFile(identifier)));
    const folder = parentOf(identifier);
    listing.add(folder);
    // Images are in the manifest of those next to folders, folders in parts of long collections.
    listing.add(kind === "image" ? imagesId(folder) : parentOf(partId(folder, 1)));
  }
  const known = new Set(stale.map(({ identifier }) => identifier));
  const naming: string[] = [];
  for (const id of await target.notes.documents()) {
    if (written.has(id) || known.has(id) || !(listing.has(id) || isPartOf(listing, id))) continue;
    if (await noting(run, id, () => contains(target, id, addresses))) naming.push(id);
  }
  return naming;
}

/** True if a document contains one of the addresses. */
async function contains(target: Target, id: string, addresses: readonly string[]): Promise<boolean> {
  const bytes = await target.read(documentFile(id));
  const text = bytes ? new TextDecoder().decode(bytes) : "";
  return addresses.some((address) => text.includes(address));
}

const isPartOf = (listing: ReadonlySet<string>, id: string) =>
  partId(parentOf(parentOf(id)), Number(id.slice(id.lastIndexOf("/") + 1))) === id &&
  listing.has(parentOf(id));

const parentOf = (identifier: string) => identifier.slice(0, Math.max(0, identifier.lastIndexOf("/")));

/** Removes what is stale, and returns what was removed. */
export async function prune(
  { target, signal, fail }: Pick<Run, "target" | "signal" | "fail">,
  stale: readonly Stale[],
): Promise<ReadonlySet<Stale>> {
  const removed = new Set<Stale>();
  const noted = new Set(await target.notes.documents());
  try {
    for (const one of stale) {
      signal.throwIfAborted();
      const { kind, identifier } = one;
      try {
        if (kind === "document") {
          await target.remove(documentFile(identifier));
          noted.delete(identifier);
        } else {
          await target.removeImage(imageFolder(identifier));
          await target.notes.forgetImage(identifier);
        }
        removed.add(one);
      } catch (error) {
        fail(identifier, error);
      }
    }
  } finally {
    await target.notes.noteDocuments(noted);
  }
  return removed;
}
