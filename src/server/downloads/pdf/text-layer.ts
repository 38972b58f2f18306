// The text of a page as invisible text over its image: words are stretched to their boxes, so that selections
// and hits lie where the words are seen (ISO 32000-1, 9.3 and 9.4).

import { type Box, type PageText, plainText } from "../../../text/index.ts";
import { glyphAdvance } from "./glyphless-font.ts";
import { decimal } from "./syntax.ts";
import type { TextCodes } from "./text-codes.ts";

/** Scripts that are written from right to left. */
const leftward =
  /^[\p{P}\p{N}\p{S}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A run of text in a box of the page, whose top is 0. */
interface Run {
  readonly text: string;
  readonly box: Box;
  /** True if a space follows. */
  readonly spaced: boolean;
}

/**
 * Returns the operators that show a text; "" if it has none. `page`: with boxes in pixels of its size.
 * `scale`: points of a pixel.
 */
export function textLayer(page: PageText, scale: number, codes: TextCodes): string {
  const shown = runsOf(page).map((run) => operatorsOf(run, page.height, scale, codes));
  const operators = shown.join("");
  return operators === "" ? "" : `BT\n3 Tr\n${operators}ET\n`;
}

/** Lines without any box get an equal share of the page each. */
function runsOf(page: PageText): readonly Run[] {
  const { width, height, lines } = page;
  const share = height / Math.max(1, lines.length);
  return lines.flatMap((line, at): Run[] => {
    const { words } = line;
    if (words.every(({ box }) => box !== undefined))
      return words.map(({ text, box }, index) => ({
        text,
        box: box as Box,
        spaced: index + 1 < words.length,
      }));
    const text = plainText({ ...page, lines: [line] }).trim();
    const own = Math.min(width, (text.length * share * glyphAdvance) / 1000);
    return [{ text, box: line.box ?? [0, at * share, own, share], spaced: false }];
  });
}

function operatorsOf(
  { text, box, spaced }: Run,
  pageHeight: number,
  scale: number,
  codes: TextCodes,
): string {
  const [left, top, width, height] = box;
  const { digits, count } = codes.encode(leftward.test(text) ? asSeen(text) : text);
  if (count === 0) return "";
  // A column of characters: the text runs downwards.
  const isDown = height > 2 * width && count > 1;
  const [along, size] = isDown ? [height, width] : [width, height];
  if (size <= 0 || along <= 0) return "";
  const stretch = (100_000 * along) / (count * glyphAdvance * size);
  const matrix = isDown ? "0 -1 1 0" : "1 0 0 1";
  const x = decimal(left * scale);
  const y = decimal((pageHeight - (isDown ? top : top + height)) * scale);
  const space = spaced ? codes.encode(" ").digits : "";
  return `/F ${decimal(size * scale)} Tf ${decimal(stretch)} Tz ${matrix} ${x} ${y} Tm <${digits}${space}> Tj\n`;
}

/**
 * Returns text from right to left in the order in which it is seen, which readers of PDF files expect and
 * turn back; numbers in it run from left to right.
 */
const asSeen = (text: string): string => (text.match(/\p{Nd}+|[^\p{Nd}]/gu) ?? []).reverse().join("");
