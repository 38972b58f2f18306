// The texts of a manifest that an operator stored: of the canvases that an image of this service fills.

import {
  idOf,
  objectsOf,
  type Resource,
  type StoredDocument,
  splitPage,
  textsOf,
} from "../../../iiif/index.ts";
import type { Folder } from "../folders/folder.ts";
import { type FolderLocation, identifierOf, locationOf, splitLocation } from "../locations.ts";
import { folderTexts, showsTexts } from "../texts/folder-texts.ts";
import type { TextFile } from "../texts/text-files.ts";
import { folderAt } from "./attached.ts";
import { canvasWithText } from "./canvas-texts.ts";
import { type FolderImage, imagesOf, readerOf } from "./folder-images.ts";
import type { CanvasTexts, Making, ReadableText } from "./making.ts";
import { paintedOf, sizedCanvas } from "./painted.ts";

/** The texts of a stored manifest. */
export interface StoredTexts {
  /** Equal as long as folders other than its own hold the same. */
  readonly stamp: string;
  /** Returns the manifest with links to the texts that its reader may see, and the texts. */
  addTo(document: Resource): { readonly document: Resource; readonly texts: CanvasTexts };
}

/** A canvas with a text. */
interface TextedCanvas {
  readonly identifier: string;
  readonly isVisible: boolean;
  readonly files: readonly TextFile[];
  readonly orientation: () => Promise<number | undefined>;
}

/** Folders of images whose texts are looked for. */
const maxFolders = 16;

/** Finds the texts of a stored manifest; undefined if there are none. Throws what sources throw. */
export async function storedTexts(
  making: Making,
  location: FolderLocation,
  folder: Folder,
  stored: StoredDocument,
): Promise<StoredTexts | undefined> {
  if (!showsTexts(making.parts)) return undefined;
  const folders = new Map<string, Promise<ImageFolder | undefined>>();
  const open = (around: FolderLocation) => {
    const id = identifierOf(around);
    const known = folders.get(id);
    if (known || folders.size >= maxFolders) return known;
    const isOwn = around.source === location.source && around.key === location.key;
    const found = openFolder(making, around, isOwn ? folder : undefined);
    folders.set(id, found);
    return found;
  };
  const canvases: (TextedCanvas | undefined)[] = [];
  for (const { images, isFilled } of paintedOf(making, stored)) {
    const [identifier] = isFilled ? images : [];
    canvases.push(identifier === undefined ? undefined : await textedCanvas(making, identifier, open));
  }
  if (canvases.every((canvas) => canvas === undefined)) return undefined;
  const opened = await Promise.all(folders.values());
  return {
    stamp: JSON.stringify(opened.map((each) => each?.stamp)),
    addTo: (document) => addTexts(making, document, canvases),
  };
}

interface ImageFolder {
  readonly stamp: string;
  /** Returns the files of text of an image, and how it is turned. */
  look(
    name: string,
    page: number | undefined,
  ): Promise<Pick<TextedCanvas, "files" | "orientation"> | undefined>;
}

async function openFolder(
  making: Making,
  location: FolderLocation,
  own: Folder | undefined,
): Promise<ImageFolder | undefined> {
  const { parts, caller } = making;
  if (!location.source.list) return undefined;
  const folder = own ?? (await folderAt(making, location));
  if (!folder) return undefined;
  const texts = await folderTexts((inner) => folderAt(making, inner), location, folder);
  const files = new Map(imagesOf(parts.sources, location, folder).map((file) => [file.name, file]));
  const reader = readerOf(parts.images, location, folder, caller);
  const factsOf = async (file: FolderImage, page: number | undefined) => {
    const [facts] = await reader.facts([file]);
    return facts && page !== undefined && facts.pages > 1
      ? (await reader.pages(file, facts))[page - 1]
      : facts;
  };
  return {
    stamp: `${folder.serial}${texts.stamp}`,
    async look(name, page) {
      const file = texts.isEmpty ? undefined : files.get(name);
      if (!file) return undefined;
      // A file may have further pages, with other readers: that is known once it is opened.
      const [facts] = file.mayHaveSheets && parts.options.pages === "all" ? await reader.facts([file]) : [];
      const ofPages = facts?.inFolders ? (page ?? 1) : undefined;
      const found = texts.filesOf({ name, page: ofPages });
      if (found.length === 0) return undefined;
      return { files: found, orientation: async () => (await factsOf(file, ofPages))?.orientation };
    },
  };
}

async function textedCanvas(
  { parts, gate }: Making,
  identifier: string,
  open: (location: FolderLocation) => Promise<ImageFolder | undefined> | undefined,
): Promise<TextedCanvas | undefined> {
  const paged = splitPage(identifier);
  for (const [whole, page] of [[identifier, undefined] as const, [paged?.identifier, paged?.page] as const]) {
    if (whole === undefined) continue;
    const { folder, name } = splitLocation(locationOf(parts.sources, whole));
    const found = await (await open(folder))?.look(name, page);
    if (!found) continue;
    const pass = await gate.pass(identifier);
    return { identifier, isVisible: pass.visible, ...found };
  }
  return undefined;
}

function addTexts(
  { gate }: Making,
  document: Resource,
  canvases: readonly (TextedCanvas | undefined)[],
): ReturnType<StoredTexts["addTo"]> {
  const address = String(document.id);
  const own = objectsOf(document.items);
  const items = own.map((canvas, at) => {
    const found = canvases[at];
    return found?.isVisible && sizedCanvas(canvas)
      ? withMissingText(canvas, canvasWithText({}, address, at + 1, found.files))
      : canvas;
  });
  const texts: CanvasTexts = {
    async at(number) {
      const found = canvases[number - 1];
      const canvas = found && sizedCanvas(own[number - 1]);
      if (!found || !canvas) return undefined;
      const { identifier, files, orientation } = found;
      return { identifier, files, canvas: { ...canvas, orientation: await orientation() } };
    },
    async *readable() {
      yield canvases.flatMap((found, at): ReadableText[] => {
        const canvas = sizedCanvas(own[at]);
        if (!found?.isVisible || !canvas) return [];
        const { identifier, files } = found;
        const accessClass = gate.accessClass(identifier);
        return [{ number: at + 1, id: canvas.id, identifier, accessClass, files }];
      });
    },
  };
  return { document: { ...document, items }, texts };
}

/** True for what is already the text of a canvas, by the member that it is in. */
const isText: Readonly<Record<string, (link: Resource) => boolean>> = {
  annotations: ({ items }) =>
    objectsOf(items).some(({ motivation }) => textsOf(motivation).includes("supplementing")),
  rendering: ({ format }) => format === "text/plain",
  seeAlso: ({ format, profile }) => /alto|hocr|pagecontent|prima/i.test(`${format} ${profile}`),
};

/** Returns a canvas with those members of its text that its operator has not written. */
function withMissingText(canvas: Resource, members: Resource): Resource {
  const added = Object.entries(members).map(([name, links]) => {
    const own = objectsOf(canvas[name]);
    const ids = new Set(own.map(idOf));
    const missing = own.some((link) => isText[name]?.(link))
      ? []
      : objectsOf(links).filter((link) => !ids.has(idOf(link)));
    return [name, [...missing, ...own]];
  });
  return { ...canvas, ...Object.fromEntries(added) };
}
