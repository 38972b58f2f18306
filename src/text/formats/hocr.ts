// hOCR 1.2 (kba.github.io/hocr-spec), in HTML or XHTML. Elements of a class end those of the same and of
// smaller ones before them, since end tags are often missing or in the wrong position.

import type { Edges } from "./edges.ts";
import { type FilePage, filePage, type PageHandler } from "./file-page.ts";
import { titleBox, titleProperties } from "./hocr-title.ts";
import { languageTag } from "./language.ts";
import type { Attributes } from "./markup.ts";
import { createPageDraft, type DraftWord, type FileCount, type PageDraft } from "./page-draft.ts";
import { type ReadFile, tooLargeText } from "./text-bounds.ts";

type Part = "page" | "block" | "line" | "word";

/** Classes to what they are here. Headers and others are lines in files of tesseract, else hold lines. */
const parts: ReadonlyMap<string, Part> = new Map([
  ["ocr_page", "page"],
  ["ocr_carea", "block"],
  ["ocr_block", "block"],
  ["ocrx_block", "block"],
  ["ocr_par", "block"],
  ["ocr_line", "line"],
  ["ocrx_line", "line"],
  ["ocr_header", "line"],
  ["ocr_footer", "line"],
  ["ocr_caption", "line"],
  ["ocr_textfloat", "line"],
  ["ocr_pageno", "line"],
  ["ocrx_word", "word"],
  ["ocr_word", "word"],
]);

interface HocrWord extends DraftWord {
  text: string;
}

interface HocrLine {
  readonly words: HocrWord[];
  readonly edges: Edges | undefined;
  readonly outer: Edges | undefined;
  readonly language: string | undefined;
  /** Text outside of words, which counts if there are none. */
  text: string;
}

interface HocrPage {
  readonly draft: PageDraft;
  readonly properties: ReadonlyMap<string, string>;
  readonly edges: Edges | undefined;
  readonly language: string | undefined;
}

/** An element around the present one. */
interface OpenElement {
  readonly part: Part | undefined;
  readonly edges: Edges | undefined;
  readonly language: string | undefined;
  /** True inside of what is no text. */
  readonly isHidden: boolean;
}

const outside: OpenElement = { part: undefined, edges: undefined, language: undefined, isHidden: false };

/** What has been read, and the elements around the present one. */
interface HocrState {
  readonly file: ReadFile;
  readonly count: FileCount;
  readonly pages: { readonly page: HocrPage; readonly read: FilePage }[];
  readonly around: OpenElement[];
  /** The language of the file, if it names just one. */
  language: string | undefined;
  block: number;
  page: HocrPage | undefined;
  line: HocrLine | undefined;
  word: HocrWord | undefined;
}

const opens: Readonly<
  Record<Part, (state: HocrState, element: OpenElement, title: string | undefined) => void>
> = {
  page(state, { edges, language }, title) {
    endPage(state);
    const properties = titleProperties(title);
    const own = languageTag(properties.get("ocrp_lang")) ?? language;
    state.page = { draft: createPageDraft(state.file, state.count), properties, edges, language: own };
  },
  block: endBlock,
  line(state, { edges, language }) {
    endLine(state);
    if (state.page) state.line = { words: [], text: "", edges, outer: blockEdges(state.around), language };
  },
  word(state, { edges, language }) {
    if (!state.page) return;
    const line = (state.line ??= {
      words: [],
      text: "",
      edges: undefined,
      outer: blockEdges(state.around),
      language,
    });
    state.page.draft.countWords(1);
    state.word = { text: "", edges };
    line.words.push(state.word);
  },
};

const ends: Readonly<Record<Part, (state: HocrState) => void>> = {
  page: endPage,
  block: endBlock,
  line: endLine,
  word: endWord,
};

/** Creates the reader of an hOCR file; HTML without a page of hOCR is none. */
export function createHocr(file: ReadFile): PageHandler {
  const state: HocrState = {
    file,
    count: { words: 0, pages: 0 },
    pages: [],
    around: [outside],
    language: undefined,
    block: 0,
    page: undefined,
    line: undefined,
    word: undefined,
  };
  return {
    open(name, attributes) {
      const parent = state.around.at(-1)!;
      const { class: classes = "", title, lang = attributes["xml:lang"] } = attributes;
      if (name === "meta") state.language = languageOfFile(attributes) ?? state.language;
      const part = partOf(classes);
      const element: OpenElement = {
        part,
        edges: part && titleBox(title),
        language: languageTag(lang) ?? parent.language,
        isHidden: parent.isHidden || isNoText(name, classes),
      };
      if (part) opens[part](state, element, title);
      else if (name === "br") addText(state, " ");
      state.around.push(element);
    },
    close() {
      const { part } = state.around.length > 1 ? state.around.pop()! : outside;
      if (part) ends[part](state);
    },
    text(data) {
      if (!state.around.at(-1)!.isHidden) addText(state, data);
    },
    isInWord: () => state.word !== undefined,
    finish() {
      endPage(state);
      return state.count.pages > 0 ? inFileOrder(state.pages) : undefined;
    },
  };
}

/** True for scripts, and for alternatives that the recognition has not chosen. */
const isNoText = (name: string, classes: string): boolean =>
  name === "script" || name === "style" || (name === "del" && classes === "alt");

/** Returns the language in an element `meta`, if that names just one. */
const languageOfFile = ({ name, content = "" }: Attributes): string | undefined =>
  name === "ocr-langs" && !/[\s,]/.test(content.trim()) ? languageTag(content) : undefined;

function addText({ file, word, line }: HocrState, data: string): void {
  const holder = word ?? line;
  if (!holder) return;
  holder.text += data;
  if (holder.text.length > file.bounds.text) throw tooLargeText(file, "text", "characters of a line");
}

function endWord(state: HocrState): void {
  state.word = undefined;
}

function endLine(state: HocrState): void {
  const { page, line, block } = state;
  state.word = undefined;
  state.line = undefined;
  if (!line || !page) return;
  const { words, text, ...rest } = line;
  if (words.length === 0 && text.trim() !== "") {
    page.draft.countWords(1);
    words.push({ text });
  }
  page.draft.addLine({ ...rest, block, words });
}

function endBlock(state: HocrState): void {
  endLine(state);
  state.block++;
}

function endPage(state: HocrState): void {
  endLine(state);
  const { page, pages, language } = state;
  state.page = undefined;
  if (!page) return;
  const { draft, edges, properties } = page;
  const size = { width: Math.round(edges?.[2] ?? 0), height: Math.round(edges?.[3] ?? 0) };
  const text = draft.finish({ ...size, language: page.language ?? language, hasBoxes: true });
  const path = properties.get("image") ?? properties.get("x_source");
  pages.push({ page, read: filePage(pages.length, text, path) });
}

function partOf(classes: string): Part | undefined {
  const part = parts.get(classes);
  if (part || !classes.includes(" ")) return part;
  for (const name of classes.split(/\s+/)) if (parts.has(name)) return parts.get(name);
  return undefined;
}

const blockEdges = (around: readonly OpenElement[]): Edges | undefined =>
  around.findLast(({ part, edges }) => part === "block" && edges)?.edges;

/**
 * Returns the pages by the number that each says (`ppageno`), if there are several and the numbers grow; else
 * as they are.
 */
function inFileOrder(
  pages: readonly { readonly page: HocrPage; readonly read: FilePage }[],
): readonly FilePage[] {
  const numbers = pages.map(({ page }) => Number.parseInt(page.properties.get("ppageno") ?? "", 10));
  const grow = numbers.every((number, at) => number > (at === 0 ? -1 : numbers[at - 1]!));
  return pages.map(({ read }, at) => (grow && pages.length > 1 ? { ...read, index: numbers[at]! } : read));
}
