// Pages of any content that the readers can return, for property tests.

import type { Box, Line, PageText, Word } from "../../../src/text/index.ts";
import fc from "../../properties.ts";

const greatest = 2 ** 31 - 1;

const box: fc.Arbitrary<Box> = fc
  .tuple(fc.nat(greatest - 1), fc.nat(greatest - 1), fc.nat(5000), fc.nat(greatest))
  .map(
    ([x, y, width, height]): Box => [
      x,
      y,
      Math.min(1 + width, greatest - x),
      Math.max(1, Math.min(height, greatest - y)),
    ],
  );

const text = fc
  .string({ minLength: 1, maxLength: 12, unit: "binary" })
  .map((value) => value.replace(/[\s\p{Cc}\p{Cs}]/gu, "-"));

const language = fc.constantFrom("de", "en", "zh-Hant", "la");

const word: fc.Arbitrary<Word> = fc.record({ text, box }, { requiredKeys: ["text"] });

const line: fc.Arbitrary<Line> = fc.record(
  { words: fc.array(word, { minLength: 1, maxLength: 6 }), box, block: fc.nat(20), language },
  { requiredKeys: ["words", "block"] },
);

/** Returns the lines with the word at the end of some joined to the next one, or to any other. */
function withJoinedWords(
  lines: readonly Line[],
  wholes: readonly (string | true | undefined)[],
): readonly Line[] {
  return lines.map((one, at) => {
    const next = lines[at + 1]?.words[0];
    const whole = wholes[at];
    if (!next || whole === undefined) return one;
    const last = one.words.at(-1)!;
    const joined = whole === true ? last.text.replace(/[-¬]$/, "") + next.text : whole;
    return { ...one, words: [...one.words.slice(0, -1), { ...last, joined }] };
  });
}

export const anyPage: fc.Arbitrary<PageText> = fc
  .record(
    {
      width: fc.nat(greatest),
      height: fc.nat(greatest),
      language,
      lines: fc.array(line, { maxLength: 8 }),
      wholes: fc.array(fc.constantFrom("whole", true as const, undefined), { minLength: 8, maxLength: 8 }),
    },
    { requiredKeys: ["width", "height", "lines", "wholes"] },
  )
  .map(({ wholes, lines, ...page }) => ({ ...page, lines: withJoinedWords(lines, wholes) }));
