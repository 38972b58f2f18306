// The text of a page as annotations of its canvas, and links to it (Presentation API 3.0, sections 3.3 and
// 5.6; text granularity extension, section 3).

import { boxAddress, type CanvasBox, type TargetCanvas } from "./canvas-box.ts";
import { addContexts } from "./context.ts";
import { extensionContext } from "./extensions.ts";
import { inertText } from "./inert-text.ts";
import type { Resource } from "./model.ts";
import { pieceAddress } from "./mounts.ts";

/** A word or a line of the text of a page. */
export interface TextPiece {
  readonly text: string;
  /** On the canvas; absent if the file does not say. */
  readonly box?: CanvasBox;
}

export interface TextLine extends TextPiece {
  /** BCP 47, if it differs from that of the page. */
  readonly language?: string;
  readonly words: readonly TextPiece[];
}

/** The text of the page on a canvas. */
export interface CanvasText {
  readonly canvas: TargetCanvas;
  /** BCP 47. */
  readonly language?: string;
  /** In reading order. */
  readonly lines: readonly TextLine[];
}

/** What each annotation of a page is. */
export type Granularity = "line" | "word";

/**
 * Returns the text of a canvas as a page of annotations at an address of its own: one for each line or word,
 * with a text as its target, which TIFY requires. Words without a box have that of their line. If no line has
 * a box, it is one annotation of the whole text, instead of many that cover the canvas.
 */
export function textPage(text: CanvasText, granularity: Granularity, address: string): Resource {
  const { canvas, language, lines } = text;
  const pieces = lines.some((line) => line.box) ? piecesOf(lines, granularity) : [joinLines(lines)];
  const items = pieces.flatMap((piece, at) =>
    piece.text === ""
      ? []
      : [
          {
            id: `${address}#${at + 1}`,
            type: "Annotation",
            motivation: "supplementing",
            textGranularity: piece.granularity,
            body: bodyOf(piece.text, piece.language ?? language),
            target: piece.box ? boxAddress(canvas, piece.box) : canvas.id,
          },
        ],
  );
  return addContexts(
    { id: address, type: "AnnotationPage", label: textLabel, items },
    extensionContext.textGranularity,
  );
}

interface AnnotatedPiece extends TextPiece {
  readonly granularity: Granularity | "page";
  readonly language?: string | undefined;
}

function piecesOf(lines: readonly TextLine[], granularity: Granularity): readonly AnnotatedPiece[] {
  if (granularity === "line")
    return lines.map(({ text, box, language }) => ({ text, ...(box && { box }), language, granularity }));
  return lines.flatMap(({ words, box: around, language }) =>
    words.map(({ text, box = around }) => ({ text, ...(box && { box }), language, granularity })),
  );
}

/** Returns all lines as one piece. */
function joinLines(lines: readonly TextLine[]): AnnotatedPiece {
  const languages = new Set(lines.map(({ language }) => language));
  const [language] = languages.size === 1 ? languages : [];
  return { text: lines.map(({ text }) => text).join("\n"), language, granularity: "page" };
}

const bodyOf = (text: string, language: string | undefined) => ({
  type: "TextualBody",
  value: inertText(text),
  format: "text/plain",
  ...(language !== undefined && { language }),
});

const textLabel = { en: ["Text of this page"] };

/** Formats of OCR files. */
export type OcrFormat = "alto" | "page" | "hocr" | "xml";

interface OcrForm {
  readonly label: string;
  readonly format: string;
  readonly profile?: string;
  /** Media type for clients that must not draw from the file. */
  readonly plain: string;
}

const ocrForms: Readonly<Record<OcrFormat, OcrForm>> = {
  alto: {
    label: "ALTO",
    format: "application/alto+xml",
    // With a / at its end, by which viewers recognise it.
    profile: "http://www.loc.gov/standards/alto/",
    plain: "application/xml",
  },
  page: {
    label: "PAGE XML",
    format: "application/vnd.prima.page+xml",
    profile: "http://schema.primaresearch.org/PAGE/gts/pagecontent/",
    plain: "application/xml",
  },
  // Of which nothing more is known than the ending of its name.
  xml: { label: "Text with positions (XML)", format: "application/xml", plain: "application/xml" },
  hocr: {
    label: "hOCR",
    format: "text/vnd.hocr+html",
    profile: "http://kba.cloud/hocr-spec/1.2/",
    plain: "text/html",
  },
};

/** The file that the text of a canvas comes from. */
export interface OcrFile {
  readonly format: OcrFormat;
  /**
   * True if boxes in the file are pixels of the canvas, and this page is its first: mirador-textoverlay draws
   * from such a file, without scaling, and reads the first page of hOCR only.
   */
  readonly isDrawable: boolean;
}

/** Media type of an OCR file as its own address sends it. */
export const ocrType = ({ format, isDrawable }: OcrFile): string =>
  ocrForms[format][isDrawable ? "format" : "plain"];

/** Members of a canvas that has text. */
export interface TextMembers {
  /** Before other pages of annotations: TIFY reads the first alone. */
  readonly annotations: readonly Resource[];
  readonly rendering: readonly Resource[];
  /** Absent without a file of a known format. */
  readonly seeAlso?: readonly Resource[];
}

/**
 * Returns the members of a canvas that has text, by its number in the manifest at `document`: a reference to
 * its lines, which viewers fetch for the page they show, the plain text, and the file it comes from. A file
 * that no viewer may draw from has neither the media type of its format nor a profile.
 */
export function textMembers(
  document: string,
  number: number,
  { file, language }: { readonly file?: OcrFile; readonly language?: string },
): TextMembers {
  const addressAt = (kind: "lines" | "text" | "ocr") => pieceAddress(document, { kind, number });
  const form = file && ocrForms[file.format];
  return {
    annotations: [{ id: addressAt("lines"), type: "AnnotationPage", label: textLabel }],
    rendering: [
      {
        id: addressAt("text"),
        type: "Text",
        label: { en: ["Plain text of this page"] },
        format: "text/plain",
        ...(language !== undefined && { language: [language] }),
      },
    ],
    ...(file &&
      form && {
        seeAlso: [
          {
            id: addressAt("ocr"),
            type: "Dataset",
            label: { en: [form.label] },
            format: ocrType(file),
            ...(file.isDrawable && form.profile !== undefined && { profile: form.profile }),
          },
        ],
      }),
  };
}

/** Returns a canvas with the members of its text in addition to its own. */
export function withText(canvas: Resource, members: TextMembers): Resource {
  const joined = Object.entries(members).map(([name, list]) => [
    name,
    [...list, ...[canvas[name] ?? []].flat()],
  ]);
  return { ...canvas, ...Object.fromEntries(joined) };
}
