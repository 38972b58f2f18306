// The texts of the canvases of a manifest: what it says about them, and the documents at their addresses.

import { ServiceError } from "../../../base/index.ts";
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
import type { PageTexts } from "../texts/page-texts.ts";
import type { TextFile } from "../texts/text-files.ts";
import type { Making, PlannedDocument, RawText, SheetTexts } from "./making.ts";
import { withholdText } from "./restricted.ts";

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
  const { page } = scalePage(found, canvas.width, canvas.height, canvas);
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
  const found = await texts.readFile(files.filter(ocrFileOf));
  if (!found) throw noText();
  const type = ocrType({ format: found.format, isDrawable: false });
  return { type, bytes: found.bytes as Uint8Array<ArrayBuffer> };
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
  const refused = withholdText(
    "Only readers with access to all of the image may read its text. Log in, then ask again.",
  );
  const { id } = sheet.canvas;
  const title = { id: pieceAddress(String(made.document.id), piece), type: "AnnotationPage", items: [] };
  return {
    make: async () => ({ document: withContext({ ...title, partOf: [{ id, type: "Canvas" }] }, false) }),
    refused,
  };
}
