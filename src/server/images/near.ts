// The image or folder that was probably meant by an identifier of which no source has one.

import { findNearest, withDeadline } from "../../base/index.ts";
import { splitPage } from "../../iiif/index.ts";
import type { Sources } from "../sources/index.ts";
import type { Source, SourceEntry } from "../sources/source.ts";

/** Milliseconds for the listings of folders. */
const maxMs = 1000;
/** Characters that are compared, so that a large folder or long names take little time. */
const maxCharacters = 100_000;

/** What is looked for. */
type Wanted = "image" | "directory";

/**
 * Returns the identifier of the image or folder in the same folder whose name is most like that of
 * `identifier`, and not much different; if the folder does not exist, in that whose path is most like it.
 * Undefined if there is none, or if folders cannot be listed in time. Never rejects.
 */
export async function nearIdentifier(
  { resolve }: Pick<Sources, "resolve">,
  identifier: string,
  wanted: Wanted = "image",
): Promise<string | undefined> {
  const { source, key } = resolve(splitPage(identifier)?.identifier ?? identifier);
  const near = await withDeadline(maxMs, () => nearKey(source, key, wanted)).catch(() => undefined);
  return near === undefined ? undefined : `${source.prefix}${near}`;
}

async function nearKey(source: Source, key: string, wanted: Wanted): Promise<string | undefined> {
  const end = performance.now() + maxMs;
  const list = async (folder: string) => source.list?.(folder, () => performance.now() > end);
  const parents = key.split("/");
  const name = parents.pop() ?? "";
  let folder = parents.join("/");
  let entries = await list(folder);
  if (!entries) {
    const found = await nearFolder(list, parents);
    if (found === undefined) return undefined;
    folder = found;
    entries = await list(folder);
  }
  const near = findNear(entries ?? [], name, wanted);
  return near && (folder === "" ? near : `${folder}/${near}`);
}

/** Returns the existing folder whose path is most like another one, name by name. */
async function nearFolder(
  list: (folder: string) => Promise<readonly SourceEntry[] | undefined>,
  names: readonly string[],
): Promise<string | undefined> {
  let folder = "";
  for (const name of names) {
    const near = findNear((await list(folder)) ?? [], name, "directory");
    if (near === undefined) return undefined;
    folder = folder === "" ? near : `${folder}/${near}`;
  }
  return folder;
}

/** Returns the name itself if there is such an entry, else the one that is most like it. */
function findNear(entries: readonly SourceEntry[], name: string, wanted: Wanted): string | undefined {
  const names = entries.filter(({ kind }) => kind === wanted).map((entry) => entry.name);
  if (names.includes(name)) return name;
  return nearName(name, names.slice(0, Math.ceil(maxCharacters / Math.max(1, name.length))));
}

/** Compares names without their extensions; of equal ones the same extension is nearer. */
function nearName(name: string, names: readonly string[]): string | undefined {
  const near = findNearest(
    stemOf(name),
    names.map((each) => stemOf(each)),
  );
  const candidates = names.filter((each) => stemOf(each) === near);
  return candidates.find((each) => extensionOf(each) === extensionOf(name)) ?? candidates[0];
}

const extensionOf = (name: string): string => /\.\w+$/.exec(name)?.[0].toLowerCase() ?? "";

const stemOf = (name: string): string =>
  name
    .replace(/\.\w+$/, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("-", "_");
