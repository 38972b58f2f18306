// Labels of folders from their manifest files.

import { forEachConcurrently, type LanguageMap } from "../../../base/index.ts";
import type { Sources } from "../../sources/index.ts";
import { folderInTime } from "../folders/folder-in-time.ts";
import type { Folders, ListedFolder } from "../folders/folders.ts";
import { type FolderLocation, locationOf, parentOf, type Trail, trailOf } from "../locations.ts";
import { labelIn, membersOfFolder } from "./contents.ts";
import type { Entry } from "./entries.ts";

/** Breadcrumbs whose folders have labels. */
export type LabelledTrail = readonly (Trail[number] & { readonly label?: LanguageMap })[];

/** Folders that are asked simultaneously. */
const atOnce = 8;
/** Milliseconds to wait for labels; after that, names are shown. */
const maxMs = 300;

/** Returns the label of a folder from its manifest file. */
export function labelOfFolder(
  sources: Sources,
  location: FolderLocation,
  folder: ListedFolder,
): LanguageMap | undefined {
  return labelIn(membersOfFolder(sources, location, folder));
}

/** Returns the label of a folder; undefined if it has none or does not respond in time. */
async function labelAt(
  { sources, folders }: { readonly sources: Sources; readonly folders: Folders },
  identifier: string,
): Promise<LanguageMap | undefined> {
  const location = locationOf(sources, identifier);
  const folder = await folderInTime(folders, location, maxMs);
  return folder && labelOfFolder(sources, location, folder);
}

/** Returns the labels of entries by identifier, without those of folders that do not respond in time. */
export async function labelsOf(
  parts: Parameters<typeof labelAt>[0],
  entries: readonly Entry[],
): Promise<Map<string, LanguageMap>> {
  const labels = new Map<string, LanguageMap>();
  await forEachConcurrently(entries, atOnce, async ({ kind, identifier, label }) => {
    const said = label ?? (kind === "folder" ? await labelAt(parts, identifier) : undefined);
    if (said) labels.set(identifier, said);
  });
  return labels;
}

/** Returns the ways from the root to the folders of entries, by the identifiers of the entries. */
export async function waysTo(
  parts: Parameters<typeof labelAt>[0],
  entries: readonly { readonly identifier: string }[],
  mayKnow: (folder: string) => Promise<boolean> | boolean,
): Promise<ReadonlyMap<string, LabelledTrail>> {
  const { sources } = parts;
  const ways = new Map<string, Promise<LabelledTrail>>();
  const around = new Map<string, LabelledTrail>();
  await forEachConcurrently(entries, atOnce, async ({ identifier }) => {
    const above = parentOf(sources, locationOf(sources, identifier)) ?? "";
    const way = ways.get(above) ?? withLabels(parts, trailOf(sources, locationOf(sources, above)), mayKnow);
    ways.set(above, way);
    around.set(identifier, await way);
  });
  return around;
}

/** A trail with the labels of its folders, as far as the caller may know them. */
export async function withLabels(
  parts: Parameters<typeof labelAt>[0],
  trail: Trail,
  mayKnow: (folder: string) => Promise<boolean> | boolean,
): Promise<LabelledTrail> {
  const known: Entry[] = [];
  for (const { identifier } of trail)
    if (await mayKnow(identifier)) known.push({ kind: "folder", identifier });
  const labels = await labelsOf(parts, known);
  return trail.map((one) => {
    const label = labels.get(one.identifier);
    return label ? { ...one, label } : one;
  });
}
