// The texts of the manifest of a single image: those that the manifest of its folder would name.

import { type CanvasFacts, objectsOf, pieceAddress, type Resource, splitPage } from "../../../iiif/index.ts";
import { locationOf } from "../locations.ts";
import type { TextFile } from "../texts/text-files.ts";
import { canvasWithText, folderTexts } from "./canvas-texts.ts";
import type { Made, Making } from "./making.ts";

/** Returns what finds the texts of a page of an image by its number; none if its folder is not known. */
export async function textsNamed(
  making: Making,
  identifier: string,
): Promise<(page: number | undefined) => readonly TextFile[]> {
  const { parts, caller } = making;
  const { source, key } = locationOf(parts.sources, identifier);
  if (!source.list || parts.images.hooks?.has("resolve")) return () => [];
  const split = key.lastIndexOf("/");
  const location = { source, key: key.slice(0, Math.max(0, split)) };
  const folder = await parts.folders.find(source, location.key, caller.signal);
  if (!folder) return () => [];
  const texts = await folderTexts(making, location, folder);
  return (page) => texts.filesOf({ name: key.slice(split + 1), page });
}

/** Returns the manifest of an image whose canvases have links to their texts. */
export function withTexts(
  made: Made,
  facts: readonly CanvasFacts[],
  filesOf: (page: number | undefined) => readonly TextFile[],
): Made {
  const filesAt = (index: number) => {
    const { identifier, visible, size } = facts[index] ?? {};
    if (identifier === undefined || !size) return undefined;
    const page = facts.length > 1 ? (splitPage(identifier)?.page ?? 1) : undefined;
    return { identifier, size, visible, files: filesOf(page) };
  };
  const id = String(made.document.id);
  const add = (canvas: Resource, index: number): Resource => {
    const own = filesAt(index);
    return own?.visible ? canvasWithText(canvas, id, index + 1, own.files) : canvas;
  };
  const { canvases, document } = made;
  return {
    ...made,
    document: { ...document, items: objectsOf(document.items).map(add) },
    ...(canvases && {
      canvases: {
        ...canvases,
        at: async (index) => {
          const canvas = await canvases.at(index);
          return canvas && add(canvas, index);
        },
        async *batches() {
          let from = 0;
          for await (const some of canvases.batches()) {
            yield some.map((canvas, at) => add(canvas, from + at));
            from += some.length;
          }
        },
      },
    }),
    texts: async (number) => {
      const own = filesAt(number - 1);
      if (!own || own.files.length === 0) return undefined;
      const canvas = { id: pieceAddress(id, { kind: "canvas", number }), ...own.size };
      return { identifier: own.identifier, files: own.files, canvas };
    },
  };
}
