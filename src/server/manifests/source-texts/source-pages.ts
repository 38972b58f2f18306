// The pages of a source that have a text, folder by folder, in the order of their keys.

import { ServiceError } from "../../../base/index.ts";
import { type Caller, everythingPublic } from "../../access/access.ts";
import { unnoted } from "../../access/decisions.ts";
import type { LookParts } from "../../images/look.ts";
import type { Sources } from "../../sources/index.ts";
import type { Source } from "../../sources/source.ts";
import { contentsOf } from "../browse/contents.ts";
import { imagesOf, readerOf, sheetsOf } from "../documents/folder-images.ts";
import type { Folder } from "../folders/folder.ts";
import type { Folders } from "../folders/folders.ts";
import { Gate, type GateParts } from "../gate.ts";
import { type FolderLocation, identifierOf, inside, splitLocation } from "../locations.ts";
import type { PresentationOptions } from "../options.ts";
import { type FolderTexts, folderTexts } from "../texts/folder-texts.ts";
import type { TextFile } from "../texts/text-files.ts";
import { type PageClass, pageClassOf } from "./page-class.ts";
import { hasKey, keyOfPage, sortableName } from "./page-key.ts";

export interface SourcePagesParts extends GateParts {
  readonly sources: Sources;
  readonly folders: Pick<Folders, "find">;
  readonly images: LookParts;
  readonly options: Pick<PresentationOptions, "pages">;
}

/** A page that has a text. */
export interface SourcePage {
  readonly key: string;
  readonly pageClass: PageClass;
  readonly files: readonly TextFile[];
}

/** A folder with its texts. */
export interface TextFolderFound {
  readonly location: FolderLocation;
  /** Different whenever its pages may be others. */
  readonly state: string;
  /** Returns its pages, sorted by key. Opens the files that may have several. */
  pages(): Promise<readonly SourcePage[]>;
}

/** Levels of folders; links may lead in a circle. */
const maxLevels = 32;

/** Callers of listings, which depend on nobody. */
const nobody = (signal: AbortSignal | undefined): Caller => ({
  identifier: "",
  path: "",
  signal,
  header: () => undefined,
});

/**
 * Yields the folders of a source that have texts, in the order of the keys of their pages, without those that
 * manifest files hide. `onUnread` is called for each that cannot be read. Throws `cancelled` if the signal
 * aborts.
 */
export async function* walkTextFolders(
  parts: SourcePagesParts,
  source: Source,
  { signal, onUnread }: { readonly signal?: AbortSignal | undefined; readonly onUnread: () => void },
): AsyncGenerator<TextFolderFound> {
  const visit = async function* (location: FolderLocation, depth: number): AsyncGenerator<TextFolderFound> {
    const found = await readTextFolder(parts, location, signal).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
      onUnread();
      return undefined;
    });
    if (!found) return;
    if (found.text) yield found.text;
    if (depth === maxLevels) return;
    const inner = contentsOf(parts.sources, location, found.folder)
      .filter(({ kind, isHidden }) => kind === "folder" && !isHidden)
      .map(({ name }) => ({ name, sortable: sortableName(name) }))
      .sort((one, other) => (one.sortable < other.sortable ? -1 : 1));
    for (const { name } of inner) yield* visit(inside(location, name), depth + 1);
  };
  yield* visit({ source, key: "" }, 1);
}

/** Returns a folder, and its pages with a text if it has any; undefined if there is no folder. */
export async function readTextFolder(
  parts: SourcePagesParts,
  location: FolderLocation,
  signal?: AbortSignal,
): Promise<{ readonly folder: Folder; readonly text?: TextFolderFound } | undefined> {
  const find = (inner: FolderLocation) => parts.folders.find(inner.source, inner.key, signal);
  const folder = await find(location);
  if (!folder) return undefined;
  const texts = await folderTexts(find, location, folder);
  if (texts.isEmpty || folder.listing.images.length === 0) return { folder };
  const pages = () => pagesOf(parts, location, folder, texts, signal);
  return { folder, text: { location, state: `${folder.serial} ${texts.stamp}`, pages } };
}

async function pagesOf(
  parts: SourcePagesParts,
  location: FolderLocation,
  folder: Folder,
  texts: FolderTexts,
  signal: AbortSignal | undefined,
): Promise<readonly SourcePage[]> {
  const hidden = new Set(
    contentsOf(parts.sources, location, folder).flatMap(({ kind, name, isHidden }) =>
      kind === "image" && isHidden ? [name] : [],
    ),
  );
  const mayHaveText = (name: string) =>
    [undefined, 1, 2].some((page) => texts.filesOf({ name, page }).length > 0);
  const files = imagesOf(parts.sources, location, folder).filter(
    ({ name }) => !hidden.has(name) && mayHaveText(name),
  );
  const caller = nobody(signal);
  const open = { images: { access: everythingPublic, decisions: unnoted } };
  const reader = readerOf(parts.images, location, folder, caller);
  const sheets = await sheetsOf(
    { images: {}, options: parts.options },
    files,
    reader,
    new Gate(open, caller, ""),
  );
  const around = foldersAround(location);
  const pages: SourcePage[] = [];
  for await (const some of sheets.batches())
    for (const { file, page, identifier } of some) {
      const { name } = file;
      const own = texts.filesOf({ name, page });
      const keyed = { prefix: location.source.prefix, folder: location.key, name, page };
      if (own.length === 0 || !hasKey(keyed)) continue;
      pages.push({ key: keyOfPage(keyed), pageClass: pageClassOf(parts, identifier, around), files: own });
    }
  return pages.sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Returns the identifiers of a folder and of those that it is in, without the root. */
export function foldersAround(location: FolderLocation): readonly string[] {
  const identifiers: string[] = [];
  for (let at = location; ; at = splitLocation(at).folder) {
    const identifier = identifierOf(at);
    if (identifier !== "") identifiers.push(identifier);
    if (at.key === "") return identifiers;
  }
}
