// A page while a reader collects it, and what all formats have in common at its end: order, words, boxes,
// blocks, hyphens and languages.

import type { Box, Line, PageText, Word } from "../page-text.ts";
import { pageLanguage } from "../record/plain-text.ts";
import { boxOf, type Edges, shareOut, unionOf } from "./edges.ts";
import { type ReadFile, tooLargeText } from "./text-bounds.ts";
import { joinedWord, splitWords, type WordHalf } from "./words.ts";

/** A word as the file has it: perhaps empty, or several with spaces between them. */
export interface DraftWord {
  readonly text: string;
  readonly edges?: Edges | undefined;
  readonly part?: WordHalf | undefined;
}

export interface DraftLine {
  readonly words: readonly DraftWord[];
  readonly edges?: Edges | undefined;
  /** Edges of the block around the line, for a line without a box whose words have none. */
  readonly outer?: Edges | undefined;
  /** Any number that the lines of a block share. */
  readonly block: number;
  /** Lines are ordered by the first of these numbers that differs, else as they were added. */
  readonly order?: readonly number[];
  readonly language?: string | undefined;
}

/** Facts of the page around its lines. */
export interface PageFacts {
  readonly width: number;
  readonly height: number;
  readonly language?: string | undefined;
  /** False if the units of its boxes cannot be converted to pixels. */
  readonly hasBoxes: boolean;
}

export interface PageDraft {
  /** Counts words of a line that has not ended, against the bounds of the page and the file. */
  countWords(count: number): void;
  /** Adds a line, and counts the words that spaces in its words make. */
  addLine(line: DraftLine): void;
  /** Returns the lines so far, for a reader that knows their order only at the end of the page. */
  readonly lines: DraftLine[];
  finish(facts: PageFacts): PageText;
}

/** Counts the words and pages of a file. */
export interface FileCount {
  words: number;
  pages: number;
}

/** Creates the draft of the next page of a file. @throws TextFileError `text_too_large`. */
export function createPageDraft(file: ReadFile, count: FileCount): PageDraft {
  const { bounds } = file;
  const lines: DraftLine[] = [];
  let counted = 0;
  const countWords = (more: number) => {
    counted += more;
    count.words += more;
    if (counted > bounds.wordsPerPage) throw tooLargeText(file, "wordsPerPage", "words on a page");
    if (count.words > bounds.words) throw tooLargeText(file, "words", "words");
  };
  if (++count.pages > bounds.pages) throw tooLargeText(file, "pages", "pages");
  return {
    lines,
    countWords,
    addLine(line) {
      const words = line.words.flatMap(splitWord);
      countWords(Math.max(0, words.length - line.words.length));
      if (words.length > 0) lines.push({ ...line, words });
    },
    finish: (facts) => pageOf(inOrder(lines), facts),
  };
}

/** Returns a word as its parts without spaces, which share its box. */
function splitWord(word: DraftWord): readonly DraftWord[] {
  const texts = splitWords(word.text);
  if (texts.length === 1 && texts[0] === word.text) return [word];
  const shares = word.edges && shareOut(word.edges, texts);
  return texts.map((text, at) => ({ ...word, text, edges: shares?.[at] }));
}

/** Sorts by the numbers of `order`; lines that have the same, or none, stay as they are. */
function inOrder(lines: readonly DraftLine[]): readonly DraftLine[] {
  return lines.some(({ order }) => order) ? lines.toSorted(compareOrder) : lines;
}

function compareOrder({ order: first = [] }: DraftLine, { order: second = [] }: DraftLine): number {
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const [one, other] = [first[at] ?? Number.MAX_VALUE, second[at] ?? Number.MAX_VALUE];
    if (one !== other) return one - other;
  }
  return 0;
}

/** A line with its words, before those of two lines are joined. */
interface BoxedLine extends Omit<Line, "words"> {
  readonly words: readonly (Word & { readonly part?: WordHalf | undefined })[];
}

function pageOf(drafts: readonly DraftLine[], facts: PageFacts): PageText {
  const blocks = new Map<number, number>();
  const boxed = drafts.flatMap((draft): BoxedLine[] => {
    const { box, words } = boxWords(draft, facts);
    if (words.length === 0) return [];
    if (!blocks.has(draft.block)) blocks.set(draft.block, blocks.size);
    const { language } = draft;
    return [{ ...(box && { box }), block: blocks.get(draft.block)!, ...(language && { language }), words }];
  });
  const language = facts.language ?? pageLanguage({ lines: boxed });
  const lines = boxed.map(({ words, language: own, ...line }, at): Line => {
    const after = boxed[at + 1]?.words[0];
    const whole = after && joinedWord(words.at(-1)!, after);
    return {
      ...line,
      ...(own !== undefined && own !== language && { language: own }),
      words: words.map(({ text, box }, index) => ({
        text,
        ...(box && { box }),
        ...(whole !== undefined && index === words.length - 1 && { joined: whole }),
      })),
    };
  });
  return { width: facts.width, height: facts.height, ...(language !== undefined && { language }), lines };
}

/**
 * Returns the words of a line with boxes: their own, or, if no word has one, a share of the line's. The box
 * of a line without one is that around its words, or else that of its block.
 */
function boxWords(
  draft: DraftLine,
  { width, height, hasBoxes }: PageFacts,
): Pick<BoxedLine, "box" | "words"> {
  const own = draft.words.reduce<Edges | undefined>((all, { edges }) => unionOf(all, edges), undefined);
  const around = draft.edges ?? own ?? draft.outer;
  const texts = draft.words.map(({ text }) => text);
  const shares = own || !around ? undefined : shareOut(around, texts);
  const withBox = (edges: Edges | undefined): { readonly box?: Box } => {
    const box = hasBoxes ? boxOf(edges, width, height) : undefined;
    return box ? { box } : {};
  };
  const words = draft.words.map(({ text, edges, part }, at) => ({
    text,
    ...withBox(edges ?? shares?.[at]),
    ...(part && { part }),
  }));
  return { ...withBox(around), words };
}
