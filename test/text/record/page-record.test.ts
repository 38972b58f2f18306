// The record of a page: what was written is read again, and other bytes are refused.

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ServiceError } from "../../../src/base/index.ts";
import { decodePage, encodePage, type Line, type PageText } from "../../../src/text/index.ts";
import fc from "../../properties.ts";
import { seeded } from "../../seeded.ts";
import { anyPage } from "./pages.ts";

test("any page is read as it was written", () => {
  fc.assert(
    fc.property(anyPage, (page) => {
      expect(decodePage(encodePage(page))).toEqual(page);
    }),
  );
});

test("the same page has the same bytes, and the first one is the version", () => {
  const page: PageText = { width: 10, height: 20, lines: [{ block: 0, words: [{ text: "a" }] }] };
  expect(encodePage(page)).toEqual(encodePage(structuredClone(page)));
  expect(Array.from(encodePage(page))).toEqual([1, 10, 20, 0, 1, 97, 0, 0, 0]);
});

/** Returns what reading ends in: a page, or an error with a code. */
function outcome(bytes: Uint8Array): string {
  try {
    decodePage(bytes);
    return "page";
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code;
  }
}

test("cut records, records with more at their end and those of other versions are damaged", () => {
  fc.assert(
    fc.property(anyPage, fc.nat(), (page, cut) => {
      const bytes = encodePage(page);
      expect(outcome(bytes.subarray(0, cut % bytes.length))).toBe("text_record_damaged");
      expect(outcome(Uint8Array.of(...bytes, 0))).toBe("text_record_damaged");
      expect(outcome(Uint8Array.of(2, ...bytes.subarray(1)))).toBe("text_record_damaged");
    }),
  );
});

test("records with changed bytes end in a page or in the error of a damaged record", () => {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(anyPage, fc.array(change, { minLength: 1, maxLength: 5 }), (page, changes) => {
      const bytes = encodePage(page);
      for (const [at, value] of changes) bytes[1 + (at % (bytes.length - 1))] = value;
      expect(["page", "text_record_damaged"]).toContain(outcome(bytes));
    }),
  );
});

test("a length of four gigabytes in a record of ten bytes is damage", () => {
  expect(outcome(Uint8Array.of(1, 9, 9, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0))).toBe("text_record_damaged");
});

/**
 * A page as typeset: 40 lines of about ten words, widths as of a proportional font, some noise in each box.
 */
function typesetPage(): PageText {
  const random = seeded(7);
  const syllables = "ne re ti mo sal ver ci do quam ter lum is et an in con per fac tum ge".split(" ");
  const lines = Array.from({ length: 40 }, (_, row): Line => {
    let x = 200;
    const words = Array.from({ length: 8 + random(4) }, () => {
      const text = Array.from({ length: 1 + random(4) }, () => syllables[random(20)]).join("");
      const width = 22 * text.length + random(9);
      const word = { text, box: [x, 300 + 60 * row + random(6), width, 38 + random(4)] as const };
      x += width + 16 + random(7);
      return word;
    });
    return { block: Math.floor(row / 10), box: [200, 300 + 60 * row, x - 200, 44], words };
  });
  return { width: 2400, height: 3200, language: "la", lines };
}

test("a word takes at most seven bytes after compression, its box included", () => {
  const page = typesetPage();
  const words = page.lines.reduce((sum, line) => sum + line.words.length, 0);
  expect(gzipSync(encodePage(page)).length / words).toBeLessThan(7);
});
