// Plain text, as tesseract and others write it: lines, empty lines between blocks, form feeds between pages.

import { assertText } from "./decode-text.ts";
import { type FilePage, filePage } from "./file-page.ts";
import type { TextConsumer } from "./markup.ts";
import { createPageDraft, type DraftWord, type FileCount, type PageDraft } from "./page-draft.ts";
import type { ReadFile } from "./text-bounds.ts";
import { splitWords } from "./words.ts";

/** Characters of a word; text without spaces is cut into words of this length. */
const maxWord = 4096;

/** The end of a page, or one or more ends of lines. */
const ends = /\f|(?:\r\n|[\n\r\u2028\u2029\u0085])+/g;

/** Creates the reader of a file of plain text: pages without boxes. */
export function createPlain(file: ReadFile): TextConsumer & { finish(): readonly FilePage[] } {
  const pages: FilePage[] = [];
  const count: FileCount = { words: 0, pages: 0 };
  let draft: PageDraft = createPageDraft(file, count);
  let words: DraftWord[] = [];
  let block = 0;
  let rest = "";

  const addWords = (text: string) => {
    const found = splitWords(text).flatMap(cutWord);
    draft.countWords(found.length);
    for (const word of found) words.push({ text: word });
  };
  const endLine = () => {
    if (words.length === 0) block++;
    draft.addLine({ words, block });
    words = [];
  };
  const endPage = () => {
    pages.push(filePage(pages.length, draft.finish({ width: 0, height: 0, hasBoxes: false }), undefined));
  };
  return {
    write(piece) {
      assertText(piece, file);
      const all = rest + piece;
      // A carriage return may be half of an end of a line.
      const text = all.endsWith("\r") ? all.slice(0, -1) : all;
      let start = 0;
      for (const { 0: end, index } of text.matchAll(ends)) {
        addWords(text.slice(start, index));
        endLine();
        if (end.length > 1 && end !== "\r\n") block++;
        start = index + end.length;
        if (end !== "\f") continue;
        endPage();
        draft = createPageDraft(file, count);
      }
      // The last word may go on in the next piece.
      const last = Math.max(start, text.length - maxWord);
      const from = last > start && isLowSurrogate(text.charCodeAt(last)) ? last - 1 : last;
      const space = text.slice(from).search(/\s\S*$/);
      const cut = space < 0 ? from : from + space;
      addWords(text.slice(start, cut));
      rest = all.slice(cut);
    },
    end() {
      addWords(rest);
      endLine();
      // A form feed ends a page, and does not begin one.
      if (pages.length === 0 || draft.lines.length > 0) endPage();
    },
    finish: () => pages,
  };
}

const isLowSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;

function cutWord(word: string): string[] {
  if (word.length <= maxWord) return [word];
  const characters = Array.from(word);
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += maxWord / 2)
    pieces.push(characters.slice(at, at + maxWord / 2).join(""));
  return pieces;
}
