// The canvases of the manifest of a folder, made when they are asked for, so that a long one is never held as
// a whole.

import {
  type CanvasFacts,
  canvasNumber,
  canvasOf,
  type DocumentContext,
  documentAddress,
  isThere,
  labelOfPage,
  pieceAddress,
  type Resource,
  type Standing,
} from "../../../iiif/index.ts";
import type { FolderReader } from "../folders/image-facts.ts";
import type { Gate } from "../gate.ts";
import type { FolderTexts } from "../texts/folder-texts.ts";
import type { AnnotatedManifest } from "./attached-files.ts";
import { canvasWithText } from "./canvas-texts.ts";
import { canvasFacts } from "./canvases.ts";
import type { Sheet, Sheets } from "./folder-images.ts";
import type { Attached, Canvases, CanvasTexts, ReadableText } from "./making.ts";

export interface FolderCanvasesParts {
  readonly sheets: Sheets;
  readonly reader: FolderReader;
  readonly gate: Gate;
}

/** Returns the facts of canvases with their numbers; undefined for files that no longer exist. */
export async function factsOfSheets(
  { reader, gate }: Omit<FolderCanvasesParts, "sheets">,
  sheets: readonly Sheet[],
): Promise<readonly (CanvasFacts | undefined)[]> {
  const found = await reader.facts(sheets.map(({ file }) => file));
  const canvases: (CanvasFacts | undefined)[] = [];
  for (const [at, { file, page, identifier, pass }] of sheets.entries()) {
    const whole = found[at];
    const facts = whole && page !== undefined ? (await reader.pages(file, whole))[page - 1] : whole;
    // It was there when the folder was listed.
    if (!facts || facts.passes) gate.doubt();
    const name = page === undefined ? { label: file.name } : { label: labelOfPage(file.name, page), page };
    canvases.push(facts && canvasFacts({ identifier, ...name }, facts, pass));
  }
  return canvases;
}

export interface CanvasesLook {
  readonly stand: Standing;
  readonly context: DocumentContext;
  readonly attached: Pick<Attached, "of">;
  readonly texts: Pick<FolderTexts, "filesOf">;
}

/** The canvases of the document of an identifier. The number of a canvas is its position among the sheets. */
export function folderCanvases(
  parts: FolderCanvasesParts,
  id: string,
  { stand, context, attached, texts }: CanvasesLook,
): Canvases {
  const address = documentAddress(context.base, id);
  const { sheets } = parts;
  const canvasAt = (facts: CanvasFacts, { file, page }: Sheet, number: number): Resource => {
    const canvas = canvasOf(facts, number, { address, stand, context });
    // Annotations are for readers of the image.
    if (!facts.visible) return canvas;
    const annotations = attached.of(number, file.name);
    const annotated = annotations.length > 0 ? { ...canvas, annotations } : canvas;
    if (!facts.size) return annotated;
    return canvasWithText(annotated, address, number, texts.filesOf({ name: file.name, page }));
  };
  const makeCanvases = async (some: readonly Sheet[], from: number): Promise<readonly Resource[]> =>
    (await factsOfSheets(parts, some))
      .map((facts, at) => facts && canvasAt(facts, some[at] as Sheet, from + at + 1))
      .filter(isThere);
  return {
    count: async () => (await sheets.all()).length,
    async at(index) {
      const [canvas] = await makeCanvases((await sheets.all()).slice(index, index + 1), index);
      return canvas;
    },
    async indexOf(canvasId) {
      const number = canvasNumber(address, canvasId);
      return number !== undefined && number <= (await sheets.all()).length ? number - 1 : undefined;
    },
    async *batches() {
      let from = 0;
      for await (const some of sheets.batches()) {
        yield await makeCanvases(some, from);
        from += some.length;
      }
    },
  };
}

/** The canvases of sheets in the manifest at an address, as annotations may be about them. */
export function annotatedSheets(
  looking: FolderCanvasesParts,
  address: string,
): Pick<AnnotatedManifest, "canvases" | "sizedCanvas"> {
  const { sheets } = looking;
  const idOf = (number: number) => pieceAddress(address, { kind: "canvas", number });
  return {
    canvases: async () =>
      (await sheets.all()).map(({ identifier, file, page }, at) => ({
        id: idOf(at + 1),
        identifier,
        file: file.name,
        ...(page === undefined ? { label: file.name } : { label: labelOfPage(file.name, page), page }),
      })),
    async sizedCanvas(number) {
      const sheet = (await sheets.all())[number - 1];
      const [own] = sheet ? await factsOfSheets(looking, [sheet]) : [];
      return own?.size && { id: idOf(number), ...own.size };
    },
  };
}

/** The texts of sheets, as canvases of the manifest at an address. */
export function textsOfSheets(
  looking: FolderCanvasesParts,
  texts: Pick<FolderTexts, "filesOf" | "isEmpty">,
  address: string,
): CanvasTexts {
  const { sheets, gate } = looking;
  const filesOf = ({ file, page }: Sheet) => texts.filesOf({ name: file.name, page });
  return {
    async at(number) {
      const sheet = (await sheets.all())[number - 1];
      const files = sheet ? filesOf(sheet) : [];
      const [own] = sheet && files.length > 0 ? await factsOfSheets(looking, [sheet]) : [];
      if (!sheet || !own?.size) return undefined;
      const id = pieceAddress(address, { kind: "canvas", number });
      const { size, orientation } = own;
      return { identifier: sheet.identifier, files, canvas: { id, ...size, orientation } };
    },
    async *readable() {
      if (texts.isEmpty) return;
      let from = 0;
      for await (const some of sheets.batches()) {
        yield some.flatMap((sheet, at): ReadableText[] => {
          const files = sheet.pass.visible ? filesOf(sheet) : [];
          if (files.length === 0) return [];
          const { identifier } = sheet;
          return [{ number: from + at + 1, identifier, accessClass: gate.accessClass(identifier), files }];
        });
        from += some.length;
      }
    },
  };
}

/** Maximum of images examined to find one that can be shown. */
const maxSought = 100;

/** The first of some sheets that can be read; undefined if there is none among the first hundred. */
export async function firstReadable(
  parts: FolderCanvasesParts,
  fits: (sheet: Sheet) => boolean,
): Promise<CanvasFacts | undefined> {
  let sought = 0;
  for await (const some of parts.sheets.batches())
    for (const sheet of some) {
      if (!fits(sheet)) continue;
      const [facts] = await factsOfSheets(parts, [sheet]);
      if (facts?.size) return facts;
      if (++sought === maxSought) return undefined;
    }
  return undefined;
}
