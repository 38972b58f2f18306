// The search of an exported site: an index of the lines that the export has, and a page that searches it.

import { compareNaturally } from "../../../base/index.ts";
import { objectOf, objectsOf, type Resource, textOf, textsOf } from "../../../iiif/index.ts";
import { SiteIndex } from "../../../text/index.ts";
import { documentFile, textPieceOf } from "./names.ts";
import { foreignError, type Target } from "./target.ts";

/** Files of the page, by their names below `static/export/`. */
const pageFiles = ["index.html", "search.css", "search.js"] as const;

/** Pages of one index, which is built in memory. */
const maxPages = 100_000;

export interface SearchExport {
  readonly target: Target;
  /** Address of the exported folder, without a trailing /. */
  readonly base: string;
  /** Identifiers of documents that readers should not get any more. */
  readonly stale: ReadonlySet<string>;
  /** Returns a file of the page. */
  readonly asset: (name: string) => Promise<Uint8Array | undefined>;
  /** True to replace files of others. */
  readonly replaces: boolean;
  readonly signal: AbortSignal;
}

/** What was written. */
export interface ExportedSearch {
  /** Pages that it finds. */
  readonly pages: number;
  readonly files: readonly string[];
  /** True if there are more pages than one index has. */
  readonly isCut: boolean;
}

/** True if an earlier run has written an index, which then has to follow what is exported. */
export const hasSearch = async (target: Target): Promise<boolean> =>
  (await target.notes.searchFiles()).length > 0;

/**
 * Writes the index of all lines in the folder, also those of earlier runs, and the page that searches it.
 * Removes files of the earlier index that are no longer part of it. Throws export_foreign_file if files of
 * others are in its place.
 */
export async function exportSearch(search: SearchExport): Promise<ExportedSearch> {
  const { target, asset, replaces, signal } = search;
  const noted = new Set(await target.notes.searchFiles());
  const index = new SiteIndex();
  const isCut = await addDocuments(index, search);
  const files: string[] = [];
  const write = async (name: string, bytes: Uint8Array) => {
    signal.throwIfAborted();
    const path = `search/${name}`;
    if (!replaces && !noted.has(path) && (await target.has(path)))
      throw foreignError(path, ", or give --force to replace it");
    files.push(path);
    // Noted before it is written, so that a later run knows the file in any case.
    if (!noted.has(path)) await target.notes.noteSearchFiles([...noted.add(path)]);
    await target.write(path, bytes);
  };
  for (const name of pageFiles) {
    const bytes = await asset(name);
    if (!bytes) throw new Error(`the program lacks the file ${name} of exports; install it again`);
    await write(name, bytes);
  }
  const encoder = new TextEncoder();
  for (const { name, text } of index.files()) await write(name, encoder.encode(text));
  const current = new Set(files);
  for (const path of noted) if (!current.has(path)) await target.remove(path);
  await target.notes.noteSearchFiles(files);
  return { pages: index.pages, files, isCut };
}

/** Adds the pages of all manifests in their order. Returns true if there are too many. */
async function addDocuments(index: SiteIndex, search: SearchExport): Promise<boolean> {
  const { target, stale, signal } = search;
  const ids = [...(await target.notes.documents())].filter(
    (id) => textPieceOf(id) === undefined && !stale.has(id),
  );
  for (const id of ids.sort(compareNaturally)) {
    signal.throwIfAborted();
    const manifest = await readJson(target, documentFile(id));
    if (manifest?.type !== "Manifest") continue;
    index.addDocument(labelOf(manifest), relative(search, String(manifest.id)));
    for (const canvas of objectsOf(manifest.items)) {
      if (index.pages >= maxPages) return true;
      await addCanvas(index, search, canvas);
    }
  }
  return false;
}

async function addCanvas(index: SiteIndex, search: SearchExport, canvas: Resource): Promise<void> {
  const { target, base, stale } = search;
  for (const { id, items } of objectsOf(canvas.annotations)) {
    const path = items === undefined ? pathAt(textOf(id) ?? "", base) : undefined;
    const [, piece] = /^manifests\/(.+\/lines)\.json$/.exec(path ?? "") ?? [];
    if (path === undefined || piece === undefined || stale.has(piece)) continue;
    const page = await readJson(target, path);
    const lines = objectsOf(page?.items).map(({ body }) => textOf(objectOf(body)?.value) ?? "");
    const [painting] = objectsOf(objectsOf(canvas.items)[0]?.items);
    const image = textOf(objectOf(painting?.body)?.id) ?? "";
    const thumbnail = textOf(objectsOf(canvas.thumbnail)[0]?.id) ?? "";
    index.addPage(lines, {
      label: labelOf(canvas),
      file: relative(search, String(id)),
      image: relative(search, image),
      thumbnail: relative(search, thumbnail),
    });
    return;
  }
}

async function readJson(target: Target, path: string): Promise<Resource | undefined> {
  const bytes = await target.read(path);
  return bytes && objectOf(JSON.parse(new TextDecoder().decode(bytes)));
}

/** Returns the path of an exported file by its address; undefined for addresses of others. */
function pathAt(address: string, base: string): string | undefined {
  if (!address.startsWith(`${base}/`)) return undefined;
  return address
    .slice(base.length + 1)
    .split("/")
    .map(decodeURIComponent)
    .join("/");
}

/** Returns an address as the page has it, which works wherever the folder is served. */
const relative = ({ base }: Pick<SearchExport, "base">, address: string): string =>
  address.startsWith(`${base}/`) ? `../${address.slice(base.length + 1)}` : address;

/** Returns the first text of a label. */
const labelOf = ({ label }: Resource): string =>
  Object.values(objectOf(label) ?? {}).flatMap(textsOf)[0] ?? "";
