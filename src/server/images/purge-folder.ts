// Purges all images of a folder, that is, whose identifiers begin with its name.

import { forEachConcurrently, maskIdentifier, ServiceError, trimFinalSlashes } from "../../base/index.ts";
import { checkIdentifier } from "../../iiif/index.ts";
import type { Source } from "../sources/source.ts";
import { eachSlot } from "../stores/bounds.ts";
import { masterName } from "./cache-keys.ts";
import { nearIdentifier } from "./near.ts";
import { type PurgedImage, type PurgeParts, purgeMasters, removeNamed } from "./purge.ts";
import type { Owner } from "./resolved-masters.ts";

export interface PurgedFolder extends Pick<PurgedImage, "purged"> {
  /** Number of masters whose entries were removed, or that had none. */
  readonly masters: number;
}

export interface FolderPurgeOptions {
  /** Stops the purge between two masters. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of masters so far. */
  readonly onProgress?: (masters: number) => void;
}

/**
 * True if a text has more than `/` and spaces, so that it can name a folder: a script with an empty variable
 * would otherwise purge a whole source.
 */
export const namesFolder = (text: string): boolean => /[^/\s]/.test(text);

/** Number of masters that are purged simultaneously. */
const atOnce = 8;

/**
 * Removes everything cached of the images of a folder and of all folders below it, as {@link purgeImage} does
 * for one image. `folder`: the beginning of their identifiers, with or without a `/` at its end. Images are
 * found through the listings of the sources, whatever their extension, so the entries of a master that is no
 * longer listed stay until they expire. If a hook maps identifiers, the masters are purged too that this
 * process has seen under such identifiers.
 *
 * Throws `bad-request` (code invalid_purge_request) if {@link namesFolder} is false, `not-found` for an
 * impossible identifier (code identifier_refused) or if no source has the folder (no_such_folder),
 * `unsupported` (source_cannot_list) if a source of the folder has no listings, `busy` (purge_failed) if the
 * store of a slot fails, and what a source throws. In the last two cases some images may be purged already.
 */
export async function purgeFolder(
  parts: PurgeParts,
  folder: string,
  { signal, onProgress }: FolderPurgeOptions = {},
): Promise<PurgedFolder> {
  if (!namesFolder(folder)) throw unnamedFolderError(folder);
  const beginning = `${checkIdentifier(trimFinalSlashes(folder))}/`;
  const tops = topsOf(parts, beginning);
  for (const { source } of tops) if (!source.list) throw cannotListError(source);
  let total: PurgedFolder["purged"] = eachSlot(() => 0);
  let masters = 0;
  const purgeOne = async (owner: Owner) => {
    signal?.throwIfAborted();
    const removed = await purgeMasters(parts, [owner]);
    const before = total;
    total = eachSlot((slot) => before[slot] + removed[slot]);
    masters++;
    onProgress?.(masters);
  };
  let isThere = false;
  for (const top of tops)
    await forEachConcurrently(mastersBelow(parts, top), atOnce, async (owner) => {
      isThere = true;
      if (owner !== undefined) await purgeOne(owner);
    });
  const mapped = parts.images.resolved.below(beginning);
  await forEachConcurrently(mapped, atOnce, purgeOne);
  if (!isThere && mapped.length === 0) throw await noFolderError(parts, folder);
  return { purged: total, masters };
}

/** Returns the folders of sources that hold the identifiers with a beginning. */
function topsOf({ images: { sources, hooks } }: PurgeParts, beginning: string): readonly Owner[] {
  const { source, key } = sources.resolve(beginning);
  const own = { source, key: key.replace(/\/$/, "") };
  const inner = sources.all.filter((each) => each !== source && each.prefix.startsWith(beginning));
  // A hook may name masters of any identifiers, so a source need not have such a folder.
  const all = [own, ...inner.map((each) => ({ source: each, key: "" }))];
  return hooks?.has("resolve") ? all.filter((each) => each.source.list) : all;
}

/**
 * Yields the masters in a folder and below it, after `undefined` for each folder that exists. Removes the
 * stored listings of the folders.
 */
async function* mastersBelow(parts: PurgeParts, top: Owner): AsyncGenerator<Owner | undefined> {
  const folders = [top];
  for (const folder of folders) {
    const entries = await folder.source.list?.(folder.key);
    if (!entries) continue;
    await removeNamed(parts, "info", [masterName(folder)]);
    yield undefined;
    for (const { name, kind } of entries) {
      const key = folder.key === "" ? name : `${folder.key}/${name}`;
      if (kind === "directory") folders.push({ source: folder.source, key });
      else yield { source: folder.source, key };
    }
  }
}

const cannotListError = ({ name }: Source) =>
  new ServiceError(
    "unsupported",
    `The source ${name} has no listings, so the images of its folders are not known. Purge single images, or empty the caches.`,
    { code: "source_cannot_list" },
  );

const unnamedFolderError = (received: string) =>
  new ServiceError(
    "bad-request",
    `Expected the beginning of identifiers, such as maps/sheets; received ${/\S/.test(received) ? received.trim().slice(0, 40) : "nothing"}. To purge everything, empty the caches.`,
    { code: "invalid_purge_request" },
  );

async function noFolderError({ images: { sources } }: PurgeParts, folder: string): Promise<ServiceError> {
  const name = trimFinalSlashes(folder);
  const near = await nearIdentifier(sources, name, "directory");
  const advice =
    (await nearIdentifier(sources, name)) === name
      ? "It is an image: purge it by its identifier."
      : near === undefined
        ? "Check its spelling."
        : `Did you mean ${maskIdentifier(near)}?`;
  return new ServiceError(
    "not-found",
    `Expected the identifier of a folder, such as maps/sheets; received ${maskIdentifier(name)}, which no source has. ${advice}`,
    { code: "no_such_folder" },
  );
}
