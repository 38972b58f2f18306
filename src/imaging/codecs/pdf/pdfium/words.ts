// The words of a page as PDFium finds them, with boxes in pixels of the upright page.

import type { Size } from "../../../../base/index.ts";
import type { StoredWord } from "../../codec.ts";
import { damagedPdf } from "../../damaged.ts";
import type { PdfiumExports } from "./module.ts";

/** Characters of a page that are read. */
const maxCharacters = 200_000;
/** FS_RECTF, and two integers. */
const [rectangleBytes, pointBytes] = [16, 8];

/** Edges in pixels. */
interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Returns the lines of an open page, shown in the given size. Throws ImagingError `decode`. */
export function readWords(pdfium: PdfiumExports, page: number, size: Size): StoredWord[][] {
  const text = pdfium.FPDFText_LoadPage(page);
  if (text === 0) throw damagedPdf("the text of a page", "none");
  const scratch = pdfium.malloc(rectangleBytes + pointBytes);
  const lines = new Lines();
  const count = Math.min(maxCharacters, pdfium.FPDFText_CountChars(text));
  for (let i = 0; i < count; i++) {
    const code = pdfium.FPDFText_GetUnicode(text, i);
    const character = code > 0x10ffff ? "" : String.fromCodePoint(code);
    if (code === 10 || code === 13) lines.endLine();
    // Other control characters are no text.
    else if (code < 32 || /\s/.test(character)) lines.endWord();
    else lines.add(character, edgesOf(pdfium, { page, text, index: i, scratch }, size));
  }
  lines.endLine();
  pdfium.free(scratch);
  pdfium.FPDFText_ClosePage(text);
  return lines.found;
}

/** A character of a page, and memory for its box. */
interface Character {
  readonly page: number;
  readonly text: number;
  readonly index: number;
  readonly scratch: number;
}

/** Returns the box of a character, as high as its font; undefined if it has none. */
function edgesOf(pdfium: PdfiumExports, character: Character, size: Size): Edges | undefined {
  const { page, text, index, scratch } = character;
  if (pdfium.FPDFText_GetLooseCharBox(text, index, scratch) === 0) return undefined;
  const { buffer } = pdfium.memory;
  // Left, top, right and bottom, upwards.
  const [left, top, right, bottom] = new Float32Array(buffer.slice(scratch, scratch + rectangleBytes));
  const at = scratch + rectangleBytes;
  const pixelOf = (x: number, y: number): readonly [number, number] => {
    pdfium.FPDF_PageToDevice(page, 0, 0, size.width, size.height, 0, x, y, at, at + 4);
    const view = new DataView(pdfium.memory.buffer);
    return [view.getInt32(at, true), view.getInt32(at + 4, true)];
  };
  const [[x, y], [X, Y]] = [pixelOf(left!, top!), pixelOf(right!, bottom!)];
  return { left: Math.min(x, X), top: Math.min(y, Y), right: Math.max(x, X), bottom: Math.max(y, Y) };
}

/** Lines and words while their characters arrive. */
class Lines {
  readonly found: StoredWord[][] = [];
  #line: StoredWord[] = [];
  #text = "";
  #edges: Edges | undefined;

  add(character: string, edges: Edges | undefined): void {
    this.#text += character;
    if (!edges) return;
    this.#edges ??= { ...edges };
    const own = this.#edges;
    own.left = Math.min(own.left, edges.left);
    own.top = Math.min(own.top, edges.top);
    own.right = Math.max(own.right, edges.right);
    own.bottom = Math.max(own.bottom, edges.bottom);
  }

  endWord(): void {
    const edges = this.#edges;
    if (this.#text !== "" && edges) {
      const { left, top, right, bottom } = edges;
      this.#line.push({ text: this.#text, box: [left, top, right - left, bottom - top] });
    }
    this.#text = "";
    this.#edges = undefined;
  }

  endLine(): void {
    this.endWord();
    if (this.#line.length > 0) this.found.push(this.#line);
    this.#line = [];
  }
}
