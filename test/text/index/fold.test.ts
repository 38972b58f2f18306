// Folding is compared with the collation of Unicode (UTS 10, CLDR root, as ICU has it), which is made from
// other data: at its first strength it ignores case and accents.

import { describe, expect, it } from "vitest";
import { clusters, foldCluster } from "../../../src/text/index/fold.ts";
import fc from "../../properties.ts";

/** Folds cluster by cluster, as the index does with a word. */
const fold = (text: string) => text.normalize("NFC").replace(clusters, foldCluster);

const collator = new Intl.Collator("en", { sensitivity: "base" });

const lettersOf = (script: string, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).filter(
    (letter) => new RegExp(`^(?=\\p{L})\\p{Script=${script}}$`, "u").test(letter),
  );

describe("folding", () => {
  it.each([
    ["Latin", 0x41, 0x24f, "Þ þ ı ĸ ŉ Ŋ ŋ Ŧ ŧ ƀ Ɨ ƿ ȷ Ƀ Ʉ Ƿ"],
    ["Latin", 0x1e00, 0x1eff, "ẚ"],
    ["Greek", 0x370, 0x3ff, "ͺ"],
    ["Greek", 0x1f00, 0x1fff, ""],
    ["Cyrillic", 0x400, 0x52f, "Й й"],
    ["Hebrew", 0x5d0, 0x5ea, ""],
  ])(
    "finds each letter of %s from %d to %d as its base letter, but for those it adds",
    (script, first, last, added) => {
      const different = lettersOf(script, first, last).filter(
        (letter) => collator.compare(letter, fold(letter)) !== 0,
      );
      expect(different.sort()).toEqual(added.split(" ").filter(Boolean).sort());
    },
  );

  it.each([
    ["Straße", "strasse"],
    ["STRASSE", "strasse"],
    ["Ærøskøbing", "aeroskobing"],
    ["Łódź", "lodz"],
    ["İSTANBUL", "istanbul"],
    ["ısparta", "isparta"],
    ["ΟΔΥΣΣΕΎΣ", "οδυσσευσ"],
    ["Ὀδυσσεύς", "οδυσσευσ"],
    ["Ёлка", "елка"],
    ["ﬁſh", "fish"],
    ["Ｆｕｌｌ１２", "full12"],
    ["שָׁלוֹם", "שלום"],
    ["مُحَمَّد", "محمد"],
    ["أحمد", "احمد"],
    ["مـــصر", "مصر"],
    ["١٩٢٣", "1923"],
    ["१९४७", "1947"],
    ["co\u00adoperate", "cooperate"],
    ["a\u0364", "a"],
  ])("folds %s to %s", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it.each(["が", "ガ", "हिन्दी", "ก็", "한국어", "བོད"])(
    "keeps the marks of %s, which tell words apart",
    (text) => {
      expect(fold(text)).toBe(text.normalize("NFC"));
      expect(fold(text.normalize("NFD"))).toBe(text.normalize("NFC"));
    },
  );

  it("keeps what is folded already, and does not depend on the form of the input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 20 }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
        expect(fold(text.normalize("NFD"))).toBe(fold(text));
      }),
      { numRuns: 500 },
    );
  });
});
