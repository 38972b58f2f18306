// The record of a page in bytes, as a store keeps it: a version, then columns, so that what is alike lies
// together and compresses well. Its reader accepts any bytes.
//
//   1 byte    version
//   varints   width, height
//   texts     languages (the page's first, perhaps empty), words (lines by line feeds, words by spaces),
//             whole words of two lines that do not follow from their parts (by line feeds)
//   columns   of each line: flags, block, language; of each word of some lines: whether it has a box
//   columns   of each box of a line, then of a word: four differences from what is expected

import { ServiceError } from "../../base/index.ts";
import type { Box, Line, PageText, Word } from "../page-text.ts";
import { createExpectedBoxes, type Differences } from "./expected-boxes.ts";
import { maxVarint, VarintReader, VarintWriter } from "./varints.ts";

/** Version of the bytes, which is their first one. */
export const recordVersion = 1;

/** Bits of the flags of a line. */
const flag = { box: 1, allBoxes: 2, someBoxes: 4, joined: 8, wholeWord: 16, language: 32 } as const;

const utf8 = new TextEncoder();
const lastHyphen = /[-\u2010¬⸗]$/u;

/** Returns the whole word that two parts make, without the hyphen of the first. */
const joinParts = (first: string, second: string): string => first.replace(lastHyphen, "") + second;

/**
 * Returns the record of a page. Sizes and boxes are whole numbers from 0 to 2³¹ − 1, words are not empty and
 * without white space, as {@link PageText} says; others are not told apart when they are read again.
 */
export function encodePage(page: PageText): Uint8Array {
  const { width, height, lines } = page;
  const languages = new Set([page.language ?? "", ...lines.flatMap(({ language }) => language ?? [])]);
  const numbers = new Map([...languages].map((language, at) => [language, at]));
  const flags = lines.map((line, at) => flagsOf(line, lines[at + 1]));
  const wholes = lines.flatMap(({ words }, at) => (flags[at]! & flag.wholeWord ? words.at(-1)!.joined! : []));
  const writer = new VarintWriter();
  writer.add(recordVersion);
  writer.add(width);
  writer.add(height);
  const text = (parts: Iterable<string>) => writer.addBytes(utf8.encode([...parts].join("\n")));
  text(languages);
  text(lines.map(({ words }) => words.map((word) => word.text).join(" ")));
  text(wholes);
  for (const one of flags) writer.add(one);
  for (const [at, { block }] of lines.entries()) writer.addSigned(block - (lines[at - 1]?.block ?? 0));
  for (const { language } of lines) if (language !== undefined) writer.add(numbers.get(language)!);
  for (const [at, { words }] of lines.entries())
    if (flags[at]! & flag.someBoxes) for (const { box } of words) writer.add(box ? 1 : 0);
  for (const column of columnsOf(lines)) for (const value of column) writer.addSigned(value);
  return writer.bytes();
}

function flagsOf({ box, words, language }: Line, next: Line | undefined): number {
  const boxes = words.reduce((sum, word) => sum + (word.box ? 1 : 0), 0);
  const last = words.at(-1)!;
  const follows = next && last.joined === joinParts(last.text, next.words[0]!.text);
  return (
    (box ? flag.box : 0) |
    (boxes === words.length ? flag.allBoxes : boxes > 0 ? flag.someBoxes : 0) |
    (last.joined === undefined ? 0 : follows ? flag.joined : flag.wholeWord) |
    (language === undefined ? 0 : flag.language)
  );
}

/** Returns the columns of the boxes of lines, then of words. */
function columnsOf(lines: readonly Line[]): readonly number[][] {
  const ofLines: number[][] = [[], [], [], []];
  const ofWords: number[][] = [[], [], [], []];
  const expected = createExpectedBoxes();
  const add = (columns: number[][], differences: Differences) => {
    for (let at = 0; at < 4; at++) columns[at]!.push(differences[at]!);
  };
  for (const { box, words } of lines) {
    if (box) add(ofLines, expected.ofLine(box));
    else expected.startLine();
    for (const word of words) if (word.box) add(ofWords, expected.ofWord(word.text, word.box));
  }
  return [...ofLines, ...ofWords];
}

/**
 * Returns the page of a record.
 *
 * @throws ServiceError `decode`, code `text_record_damaged`, for bytes that {@link encodePage} does not
 *   write. Memory is in proportion to the bytes.
 */
export function decodePage(bytes: Uint8Array): PageText {
  if (bytes[0] !== recordVersion) return refuse();
  const reader = new VarintReader(bytes, 1, refuse);
  const [width, height] = [inRange(reader.next()), inRange(reader.next())];
  const languages = textOf(reader.nextBytes()).split("\n");
  const texts = wordsOf(textOf(reader.nextBytes()));
  const wholes = textOf(reader.nextBytes()).split("\n");
  const flags = texts.map(() => reader.next());
  let block = 0;
  const blocks = texts.map(() => (block = inRange(block + reader.nextSigned())));
  const ownLanguages = flags.map((has) =>
    has & flag.language ? (languages[reader.next()] ?? refuse()) : undefined,
  );
  const boxes = readBoxes(reader, texts, flags);
  if (reader.left > 0) return refuse();
  let whole = 0;
  const lines = texts.map((words, at): Line => {
    const has = flags[at]!;
    const [box, language] = [boxes[at]!.line, ownLanguages[at]];
    const own = has & flag.wholeWord ? (wholes[whole++] ?? refuse()) : undefined;
    const joined = has & flag.joined ? joinParts(words.at(-1)!, (texts[at + 1] ?? refuse())[0]!) : own;
    return {
      ...(box && { box }),
      block: blocks[at]!,
      ...(language !== undefined && { language }),
      words: words.map((text, index) =>
        wordOf(text, boxes[at]!.words[index], index < words.length - 1 ? undefined : joined),
      ),
    };
  });
  return { width, height, ...(languages[0] !== "" && { language: languages[0]! }), lines };
}

function wordOf(text: string, box: Box | undefined, joined: string | undefined): Word {
  return { text, ...(box && { box }), ...(joined !== undefined && { joined }) };
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return refuse();
  }
}

/** Returns the words of each line. */
function wordsOf(text: string): string[][] {
  if (text === "") return [];
  if (/[^\S \n]/.test(text)) return refuse();
  const lines = text.split("\n").map((line) => line.split(" "));
  return lines.some((words) => words.includes("")) ? refuse() : lines;
}

/** Boxes of a line and its words. */
interface LineBoxes {
  readonly line: Box | undefined;
  readonly words: readonly (Box | undefined)[];
}

/** Reads what {@link columnsOf} returns, and adds the expected boxes. */
function readBoxes(reader: VarintReader, texts: readonly string[][], flags: readonly number[]): LineBoxes[] {
  /** Which words have a box, for lines in which only some do. */
  const some = texts.map((words, at) =>
    flags[at]! & flag.someBoxes ? words.map(() => reader.next() === 1) : undefined,
  );
  const hasBox = (line: number, word: number) => some[line]?.[word] ?? (flags[line]! & flag.allBoxes) > 0;
  const lineCount = flags.reduce((sum, has) => sum + (has & flag.box), 0);
  const wordCount = texts.reduce(
    (sum, words, at) => sum + words.filter((_, index) => hasBox(at, index)).length,
    0,
  );
  if (reader.left < 4 * (lineCount + wordCount)) return refuse();
  const [ofLines, ofWords] = [readColumns(reader, lineCount), readColumns(reader, wordCount)];
  const expected = createExpectedBoxes();
  return texts.map((words, number) => {
    const line = flags[number]! & flag.box ? checkedBox(expected.lineOf(ofLines())) : undefined;
    if (!line) expected.startLine();
    const wordBoxes = words.map((text, index) =>
      hasBox(number, index) ? checkedBox(expected.wordOf(text, ofWords())) : undefined,
    );
    return { line, words: wordBoxes };
  });
}

/** Reads four columns and returns a function that returns the next row of them. */
function readColumns(reader: VarintReader, count: number): () => Differences {
  const values = new Float64Array(4 * count);
  for (let at = 0; at < values.length; at++) values[at] = reader.nextSigned();
  let row = 0;
  return () => {
    const at = row++;
    return [values[at]!, values[at + count]!, values[at + 2 * count]!, values[at + 3 * count]!];
  };
}

function checkedBox(box: Box): Box {
  const [x, y, width, height] = box;
  const isSound = x >= 0 && y >= 0 && width > 0 && height > 0;
  return isSound && x + width <= maxVarint && y + height <= maxVarint ? box : refuse();
}

const inRange = (value: number): number => (value >= 0 && value <= maxVarint ? value : refuse());

function refuse(): never {
  throw new ServiceError(
    "decode",
    "A stored record of the text of a page is damaged. Remove it: it is made again from the file of the page.",
    { code: "text_record_damaged" },
  );
}
