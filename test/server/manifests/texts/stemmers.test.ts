// Stemmers of all languages, with words of any letters.

import { expect, test } from "vitest";
import { stemmerOf } from "../../../../src/server/manifests/texts/stemmers.ts";
import fc from "../../../properties.ts";

const languages = "ca cs da de en es eu fi fr ga hu it nb nl nn no pt ro sl sv de-Latf EN-GB".split(" ");

test.each(languages)("the stemmer of %s takes any word", (language) => {
  const stem = stemmerOf(language)!;
  fc.assert(
    fc.property(fc.string({ maxLength: 64 }), fc.string({ unit: "binary", maxLength: 64 }), (one, other) => {
      for (const word of [one, other, "aeiouy".repeat(10), ""]) {
        expect(typeof stem(word)).toBe("string");
        // It does not depend on the words before.
        expect(stem(word)).toBe(stem(word));
      }
    }),
  );
});

test.each(["ru", "tlh", "", "constructor", "__proto__"])("there is none of %j", (language) => {
  expect(stemmerOf(language)).toBeUndefined();
});
