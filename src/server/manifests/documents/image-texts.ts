// The texts of the manifest of a single image: those that the manifest of its folder would name.

import { type CanvasFacts, objectsOf, pieceAddress, type Resource, splitPage } from "../../../iiif/index.ts";
import { listingOf, manifestFileNames } from "../folders/listing.ts";
import { namesThere } from "../folders/names-there.ts";
import { isOfTexts } from "../folders/notes.ts";
import { textEndings, textFolders, withoutExtension } from "../folders/text-names.ts";
import { type FolderLocation, inside, locationOf, splitLocation } from "../locations.ts";
import { showsTexts, textsIn } from "../texts/folder-texts.ts";
import { stemsOfImage, type TextFile, type TextFolder } from "../texts/text-files.ts";
import { canvasWithText } from "./canvas-texts.ts";
import type { Made, Making, ReadableText } from "./making.ts";

const folderNames = [...textFolders].flatMap((name) => [name, name.toUpperCase()]);

/**
 * Returns what finds the texts of a page of an image by its number. Looks for files of the names that they
 * may have, since the folder may hold a hundred thousand others; finds none on a source that cannot tell
 * cheaply what it has, or if the manifest file of the folder turns texts off. Throws what sources throw.
 */
export async function textsNamed(
  { parts, caller }: Making,
  identifier: string,
  hasPages: boolean,
): Promise<(page: number | undefined) => readonly TextFile[]> {
  const location = locationOf(parts.sources, identifier);
  if (!location.source.has || !showsTexts(parts)) return () => [];
  const { folder, name } = splitLocation(location);
  const names = [...stemsOfImage(name)].flatMap((stem) => textEndings.map(([ending]) => stem + ending));
  const textsOf = (location: FolderLocation, there: readonly string[]): TextFolder => ({
    location,
    texts: there.map((each) => ({ name: each })),
  });
  // One look at the folder, for both.
  const there = new Set(await namesThere(folder, [...names, ...folderNames, ...manifestFileNames]));
  if (manifestFileNames.some((each) => there.has(each))) {
    const found = await parts.folders.find(folder.source, folder.key, caller.signal);
    if (found?.manifestFile?.texts === false) return () => [];
  }
  const named = folderNames.filter((each) => there.has(each)).map((each) => inside(folder, each));
  const folders = [
    textsOf(
      folder,
      names.filter((each) => there.has(each)),
    ),
    ...(await Promise.all(named.map(async (each) => textsOf(each, await namesThere(each, names))))),
  ];
  const pages = hasPages ? await pagesIn(inside(folder, withoutExtension(name))) : undefined;
  const { filesOf } = textsIn(folders, () => pages);
  return (page) => filesOf({ name, page });
}

/** Returns a folder with a file for each page; undefined if there is none. */
async function pagesIn(location: FolderLocation): Promise<TextFolder | undefined> {
  const entries = await location.source.list?.(location.key, undefined, true);
  const listing = entries && listingOf(entries);
  return listing && isOfTexts({ listing }) ? { location, texts: listing.texts } : undefined;
}

/** Returns the manifest of an image whose canvases have links to their texts. */
export function withTexts(
  { gate }: Pick<Making, "gate">,
  made: Made,
  facts: readonly CanvasFacts[],
  filesOf: (page: number | undefined) => readonly TextFile[],
): Made {
  const filesAt = (index: number) => {
    const { identifier, visible, size, orientation } = facts[index] ?? {};
    if (identifier === undefined || !size) return undefined;
    const page = facts.length > 1 ? (splitPage(identifier)?.page ?? 1) : undefined;
    return { identifier, size: { ...size, orientation }, visible, files: filesOf(page) };
  };
  const id = String(made.document.id);
  const add = (canvas: Resource, index: number): Resource => {
    const own = filesAt(index);
    return own?.visible ? canvasWithText(canvas, id, index + 1, own.files) : canvas;
  };
  return {
    ...withCanvases(made, add),
    texts: {
      async at(number) {
        const own = filesAt(number - 1);
        if (!own || own.files.length === 0) return undefined;
        const canvas = { id: pieceAddress(id, { kind: "canvas", number }), ...own.size };
        return { identifier: own.identifier, files: own.files, canvas };
      },
      async *readable() {
        yield facts.flatMap((_, index): ReadableText[] => {
          const { identifier, visible, files = [] } = filesAt(index) ?? {};
          if (identifier === undefined || !visible || files.length === 0) return [];
          return [{ number: index + 1, identifier, accessClass: gate.accessClass(identifier), files }];
        });
      },
    },
  };
}

/** Returns a manifest with its canvases changed, each by its index from 0. */
export function withCanvases(made: Made, change: (canvas: Resource, index: number) => Resource): Made {
  const { canvases, document } = made;
  return {
    ...made,
    document: { ...document, items: objectsOf(document.items).map(change) },
    ...(canvases && {
      canvases: {
        ...canvases,
        at: async (index) => {
          const canvas = await canvases.at(index);
          return canvas && change(canvas, index);
        },
        async *batches() {
          let from = 0;
          for await (const some of canvases.batches()) {
            yield some.map((canvas, at) => change(canvas, from + at));
            from += some.length;
          }
        },
      },
    }),
  };
}
