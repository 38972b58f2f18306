// The texts of the canvases of a manifest: what it says about them, and the documents at their addresses.

import { forEachConcurrently, ServiceError } from "../../../base/index.ts";
import {
  type CanvasText,
  type OcrFile,
  ocrType,
  type PathPiece,
  pieceAddress,
  type Resource,
  textMembers,
  textPage,
  withContext,
  withText,
} from "../../../iiif/index.ts";
import { pageLanguage, plainText, scalePage } from "../../../text/index.ts";
import type { RefusedDecision } from "../../access/access.ts";
import type { Folder } from "../folders/folder.ts";
import { isOfTexts } from "../folders/notes.ts";
import { textFolders, withoutExtension } from "../folders/text-names.ts";
import { type FolderLocation, inside } from "../locations.ts";
import type { PageTexts } from "../texts/page-texts.ts";
import { type TextFile, type TextFolder, textFilesOf } from "../texts/text-files.ts";
import { folderAt } from "./attached.ts";
import type { Making, PlannedDocument, RawText, SheetTexts } from "./making.ts";
import { withheld } from "./restricted.ts";

/** The files of text that belong to the images of a folder. */
export interface FolderTexts {
  /** Equal as long as the same folders hold the same. */
  readonly stamp: string;
  /** True if no image has any. */
  readonly isEmpty: boolean;
  /** The files of an image or of its page, the most likely first; none if it has no text. */
  filesOf(image: { readonly name: string; readonly page?: number | undefined }): readonly TextFile[];
}

/** Folders of pages of one file each that are looked into. */
const maxFolders = 100;

/** Folders that are read simultaneously. */
const foldersAtOnce = 8;

/** Finds the texts in a folder and in the folders of texts in it. */
export async function folderTexts(
  making: Making,
  location: FolderLocation,
  folder: Folder,
): Promise<FolderTexts> {
  const { notes, images, texts } = folder.listing;
  const bare = new Set(notes.length > 0 ? images.map(({ name }) => withoutExtension(name)) : []);
  const wanted = notes.filter((name) => textFolders.has(name.toLowerCase()) || bare.has(name));
  const serials: (readonly [name: string, serial: number])[] = [];
  const found = new Map<string, TextFolder>();
  await forEachConcurrently(wanted.slice(0, maxFolders), foldersAtOnce, async (name) => {
    const own = inside(location, name);
    const inner = await folderAt(making, own);
    if (!inner || !isOfTexts(inner)) return;
    serials.push([name, inner.serial]);
    found.set(name, { location: own, texts: inner.listing.texts });
  });
  const named = wanted.filter((name) => textFolders.has(name.toLowerCase()));
  return {
    stamp: JSON.stringify(serials.sort()),
    isEmpty: texts.length === 0 && found.size === 0,
    ...textsIn([{ location, texts }, ...named.flatMap((name) => found.get(name) ?? [])], (name) =>
      found.get(withoutExtension(name)),
    ),
  };
}

/** Returns what finds the texts of images in folders; `pagesOf`: the folder of the pages of an image. */
export const textsIn = (
  folders: readonly TextFolder[],
  pagesOf: (name: string) => TextFolder | undefined,
): Pick<FolderTexts, "filesOf"> => ({
  filesOf: (image) => textFilesOf(image, folders, pagesOf(image.name)),
});

/** Returns a canvas with links to its text. */
export function canvasWithText(
  canvas: Resource,
  document: string,
  number: number,
  [first]: readonly TextFile[],
): Resource {
  if (!first) return canvas;
  const file = ocrFileOf(first);
  return withText(canvas, textMembers(document, number, file ? { file } : {}));
}

/**
 * Nobody has looked into the file yet, so viewers are not invited to draw from it. Readers of one page need
 * not be readers of the others.
 */
const ocrFileOf = ({ form, isShared }: TextFile): OcrFile | undefined =>
  form === "plain" || isShared ? undefined : { format: form, isDrawable: false };

/** The document of a piece; or, for others than readers of the image, why they may not read it. */
interface PlannedText extends PlannedDocument {
  readonly refused?: RefusedDecision;
}

/** Pieces that are about the text of a canvas. */
const textPieces = new Set<PathPiece["kind"]>(["lines", "words", "text", "ocr"]);

export const isTextPiece = (piece: PathPiece | undefined): piece is PathPiece =>
  piece !== undefined && textPieces.has(piece.kind);

/**
 * Returns the document of a piece: the text as annotations, or the bytes of plain text or of its file. The
 * caller has been found to be a reader of the image.
 */
function textDocument(
  texts: PageTexts,
  sheet: SheetTexts,
  document: string,
  piece: PathPiece,
): PlannedDocument {
  const address = pieceAddress(document, piece);
  if (piece.kind === "lines" || piece.kind === "words") {
    const granularity = piece.kind === "lines" ? "line" : "word";
    return {
      make: async () => ({ document: textPage(await canvasText(texts, sheet), granularity, address) }),
    };
  }
  const make = async () => ({ document: { id: address, type: "Text" } });
  return { make, raw: () => (piece.kind === "text" ? rawText(texts, sheet) : rawFile(texts, sheet)) };
}

async function canvasText(texts: PageTexts, { files, canvas }: SheetTexts): Promise<CanvasText> {
  const found = await texts.read(files);
  if (!found) return { canvas, lines: [] };
  const { page } = scalePage(found, canvas.width, canvas.height);
  const language = pageLanguage(page);
  return {
    canvas,
    ...(language !== undefined && { language }),
    lines: page.lines.map((line) => ({
      text: line.words.map(({ text }) => text).join(" "),
      ...(line.box && { box: line.box }),
      ...(line.language !== undefined && { language: line.language }),
      words: line.words.map(({ text, box }) => ({ text, ...(box && { box }) })),
    })),
  };
}

async function rawText(texts: PageTexts, { files }: SheetTexts): Promise<RawText> {
  const page = await texts.read(files);
  if (!page) throw noText();
  return { type: "text/plain; charset=utf-8", bytes: new TextEncoder().encode(plainText(page)) };
}

async function rawFile(texts: PageTexts, { files }: SheetTexts): Promise<RawText> {
  for (const file of files) {
    const found = ocrFileOf(file) && (await texts.readFile(file));
    if (!found || found.format === "plain" || found.format === "other") continue;
    const type = ocrType({ format: found.format, isDrawable: false });
    return { type, bytes: found.bytes as Uint8Array<ArrayBuffer> };
  }
  throw noText();
}

const noText = () =>
  new ServiceError("not-found", "There is no text of this page. Its manifest names what there is.", {
    code: "no_such_manifest",
  });

/** The text of a canvas, for readers of its image. */
export async function textOf(
  { parts, gate }: Making,
  piece: PathPiece,
  manifest: PlannedDocument | undefined,
): Promise<PlannedText | undefined> {
  const made = await manifest?.make();
  const sheet = await made?.texts?.at(piece.number);
  if (!made || !sheet) return undefined;
  const found = textDocument(parts.texts, sheet, String(made.document.id), piece);
  if (await gate.mayRead(sheet.identifier, "all")) return found;
  const refused = withheld(
    "Only readers with access to all of the image may read its text. Log in, then ask again.",
  );
  const { id } = sheet.canvas;
  const title = { id: pieceAddress(String(made.document.id), piece), type: "AnnotationPage", items: [] };
  return {
    make: async () => ({ document: withContext({ ...title, partOf: [{ id, type: "Canvas" }] }, false) }),
    refused,
  };
}
