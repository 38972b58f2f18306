// The labels of pages, such as "iv" (ISO 32000-2, section 12.4.2).

import { decodeText } from "../syntax/text.ts";
import { arrayOf, countOf, nameOf, type PdfValue } from "../syntax/values.ts";
import type { PdfFile } from "./file.ts";

/** Ranges of a file, nodes of their tree above each other, and characters of a prefix. */
const [maxRanges, maxDepth, maxPrefix] = [2000, 16, 64];
/** Numbers up to which letters and Roman numerals are written. */
const maxWritten = 4000;

/** Pages from an index on that are numbered together. */
interface LabelRange {
  readonly start: number;
  readonly style: string | undefined;
  readonly prefix: string;
  /** Number of its first page. */
  readonly first: number;
}

/** Returns what finds the label of a page by its index from 0; undefined if the file has no labels. */
export async function readPageLabels(
  file: PdfFile,
): Promise<((index: number) => string | undefined) | undefined> {
  const catalog = await file.dictionary(file.table.trailer.get("Root"));
  const root = catalog?.get("PageLabels");
  if (root === undefined) return undefined;
  const ranges: LabelRange[] = [];
  await readNode(file, root, ranges, 0);
  ranges.sort((a, b) => a.start - b.start);
  return (index) => {
    const range = ranges.findLast(({ start }) => start <= index);
    if (!range) return undefined;
    const label = `${range.prefix}${numberIn(range.style, range.first + index - range.start)}`;
    return label === "" ? undefined : label;
  };
}

/** Reads a node of the number tree (section 7.9.7). */
async function readNode(
  file: PdfFile,
  value: PdfValue | undefined,
  ranges: LabelRange[],
  depth: number,
): Promise<void> {
  const node = await file.dictionary(value);
  if (!node || depth === maxDepth) return;
  const numbers = arrayOf(await file.resolve(node.get("Nums"))) ?? [];
  for (let i = 0; i + 1 < numbers.length && ranges.length < maxRanges; i += 2) {
    const start = countOf(await file.resolve(numbers[i]));
    const range = await file.dictionary(numbers[i + 1]);
    if (start === undefined || !range) continue;
    const prefix = await file.resolve(range.get("P"));
    ranges.push({
      start,
      style: nameOf(await file.resolve(range.get("S"))),
      prefix: prefix instanceof Uint8Array ? decodeText(prefix).slice(0, maxPrefix) : "",
      first: countOf(await file.resolve(range.get("St"))) ?? 1,
    });
  }
  for (const kid of arrayOf(await file.resolve(node.get("Kids"))) ?? []) {
    if (ranges.length >= maxRanges) return;
    await readNode(file, kid, ranges, depth + 1);
  }
}

const roman = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
] as const;

/** Returns a number in a style: D decimal, R and r Roman, A and a letters; nothing in no style. */
function numberIn(style: string | undefined, number: number): string {
  if (style === undefined) return "";
  if (style === "D" || number < 1 || number > maxWritten) return `${number}`;
  const isLetters = style === "A" || style === "a";
  const written = isLetters ? lettersOf(number) : romanOf(number);
  return style === "A" || style === "R" ? written.toUpperCase() : written;
}

/** a to z, then aa to zz, and so on. */
const lettersOf = (number: number) =>
  String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.floor((number - 1) / 26) + 1);

function romanOf(number: number): string {
  let left = number;
  let written = "";
  for (const [value, letters] of roman) for (; left >= value; left -= value) written += letters;
  return written;
}
