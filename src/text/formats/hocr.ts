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
  /** True inside of an alternative that the recognition has not chosen. */
  readonly isHidden: boolean;
}

const outside: OpenElement = { part: undefined, edges: undefined, language: undefined, isHidden: false };

/** Creates the reader of an hOCR file; HTML without a page of hOCR is none. */
export function createHocr(file: ReadFile): PageHandler {
  const count: FileCount = { words: 0, pages: 0 };
  const pages: { readonly page: HocrPage; readonly read: FilePage }[] = [];
  const around: OpenElement[] = [outside];
  /** The language of the file, if it names just one. */
  let only: string | undefined;
  let block = 0;
  let page: HocrPage | undefined;
  let line: HocrLine | undefined;
  let word: HocrWord | undefined;

  function endLine(): void {
    word = undefined;
    if (!line) return;
    const { words, text, ...rest } = line;
    line = undefined;
    if (words.length === 0 && text.trim() !== "") {
      page!.draft.countWords(1);
      words.push({ text });
    }
    page!.draft.addLine({ ...rest, block, words });
  }

  function endPage(): void {
    endLine();
    if (!page) return;
    const { draft, edges, language } = page;
    const size = { width: Math.round(edges?.[2] ?? 0), height: Math.round(edges?.[3] ?? 0) };
    const text = draft.finish({ ...size, language: language ?? only, hasBoxes: true });
    const { properties } = page;
    const path = properties.get("image") ?? properties.get("x_source");
    pages.push({ page, read: filePage(pages.length, text, path) });
    page = undefined;
  }

  const opens: Readonly<Record<Part, (title: string | undefined, element: OpenElement) => void>> = {
    page(title, { edges, language }) {
      endPage();
      const properties = titleProperties(title);
      const own = languageTag(properties.get("ocrp_lang")) ?? language;
      page = { draft: createPageDraft(file, count), properties, edges, language: own };
    },
    block() {
      endLine();
      block++;
    },
    line(_, { edges, language }) {
      endLine();
      if (page) line = { words: [], text: "", edges, outer: blockEdges(around), language };
    },
    word(_, { edges, language }) {
      if (!page) return;
      line ??= { words: [], text: "", edges: undefined, outer: blockEdges(around), language };
      page.draft.countWords(1);
      word = { text: "", edges };
      line.words.push(word);
    },
  };

  function setOnly({ name, content = "" }: Attributes): void {
    if (name === "ocr-langs" && !/[\s,]/.test(content.trim())) only = languageTag(content);
  }

  return {
    open(name, attributes) {
      const parent = around.at(-1)!;
      const { class: classes = "", title, lang = attributes["xml:lang"] } = attributes;
      if (name === "meta") setOnly(attributes);
      const part = partOf(classes);
      const element: OpenElement = {
        part,
        edges: part && titleBox(title),
        language: languageTag(lang) ?? parent.language,
        isHidden: parent.isHidden || (name === "del" && classes === "alt"),
      };
      if (part) opens[part](title, element);
      else if (name === "br") addText(" ");
      around.push(element);
    },
    close() {
      const { part } = around.length > 1 ? around.pop()! : outside;
      if (part === "word") word = undefined;
      else if (part === "line") endLine();
      else if (part === "block") opens.block(undefined, outside);
      else if (part === "page") endPage();
    },
    text(data) {
      if (!around.at(-1)!.isHidden) addText(data);
    },
    isInWord: () => word !== undefined,
    finish() {
      endPage();
      return count.pages > 0 ? inFileOrder(pages) : undefined;
    },
  };

  function addText(data: string): void {
    const holder = word ?? line;
    if (!holder) return;
    holder.text += data;
    if (holder.text.length > file.bounds.text) throw tooLargeText(file, "text", "characters of a line");
  }
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
