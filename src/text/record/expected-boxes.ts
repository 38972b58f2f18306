// Boxes as small numbers: their differences from those that lines and words are expected to have, given the
// ones before. Writer and reader expect the same, since both use nothing but sums, products and quotients.

import type { Box } from "../page-text.ts";
import { maxVarint } from "./varints.ts";

/** Four whole numbers, mostly small. */
export type Differences = readonly [number, number, number, number];

/** Follows the boxes of a page in their order. */
export interface ExpectedBoxes {
  /** Returns the differences of the box of the next line, and expects its words after that. */
  ofLine(box: Box): Differences;
  /** Returns the box of the next line. */
  lineOf(differences: Differences): Box;
  /** Begins the words of a line without a box. */
  startLine(): void;
  ofWord(text: string, box: Box): Differences;
  wordOf(text: string, differences: Differences): Box;
}

/**
 * Creates the expectations of a new page. A line is as large as the one before, and follows it. A word begins
 * as far after the word before it as that did after its own, from the top to the bottom of the line, and is
 * as wide as its characters are on this page.
 */
export function createExpectedBoxes(): ExpectedBoxes {
  let line: Box = [0, 0, 0, 0];
  let [next, gap, unit] = [0, 0, 0];
  let isFirst = true;
  const startLine = () => {
    next = line[0];
    isFirst = true;
  };
  const follow = (text: string, [x, , width]: Box) => {
    if (!isFirst) gap = x - next;
    isFirst = false;
    next = x + width;
    const own = width / unitsOf(text);
    unit = unit === 0 ? own : 0.9 * unit + 0.1 * own;
  };
  const leftOf = () => (isFirst ? next : clamp(next + gap));
  const widthOf = (text: string) => clamp(Math.round((unit === 0 ? line[3] / 2 : unit) * unitsOf(text)));
  const setLine = (box: Box) => {
    line = box;
    startLine();
  };
  return {
    startLine,
    ofLine(box) {
      const [x, y, width, height] = line;
      setLine(box);
      return [box[0] - x, box[1] - y - height, box[2] - width, box[3] - height];
    },
    lineOf([dx, dy, dWidth, dHeight]) {
      const [x, y, width, height] = line;
      setLine([x + dx, y + height + dy, width + dWidth, height + dHeight]);
      return line;
    },
    ofWord(text, box) {
      const [x, y, width, height] = box;
      const differences = [
        x - leftOf(),
        y - line[1],
        width - widthOf(text),
        y + height - line[1] - line[3],
      ] as const;
      follow(text, box);
      return differences;
    },
    wordOf(text, [dx, top, dWidth, bottom]) {
      const box: Box = [leftOf() + dx, line[1] + top, widthOf(text) + dWidth, line[3] + bottom - top];
      follow(text, box);
      return box;
    },
  };
}

/** Returns the number that can be written next to a value, so that their difference can be written too. */
const clamp = (value: number): number => Math.min(Math.max(value, 0), maxVarint);

/** Widths of ASCII characters, in letters such as n. */
const units = new Float64Array(128).fill(1);
for (const narrow of "iljtfrI.,;:'!|()-") units[narrow.charCodeAt(0)] = 0.55;
for (const wide of "ABCDEFGHJKLMNOPQRSTUVWXYZmw") units[wide.charCodeAt(0)] = 1.3;

/** Returns about how wide a word is, in letters such as n. */
function unitsOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += units[text.charCodeAt(at)] ?? 1;
  return sum;
}
