// Which language a reader is answered in (RFC 9110, section 12.5.4; RFC 4647, section 3.4).

import { expect, test } from "vitest";
import { acceptedLanguages, matchLanguage } from "../../../../src/server/api/http/representation/language.ts";

test.each([
  [null, []],
  ["", []],
  ["de", ["de"]],
  ["da, en-gb;q=0.8, en;q=0.7", ["da", "en-gb", "en"]],
  ["en;q=0.5,fr;q=0.9", ["fr", "en"]],
  ["de;q=0, *;q=0.5, it", ["it"]],
  ["DE-at ; q=1.0", ["de-at"]],
  ["de;q=2, x_y, é, fr;level=1, nl;q=", []],
  [Array.from({ length: 1000 }, () => "fr").join(","), Array.from({ length: 20 }, () => "fr")],
])("the field %j asks for %j", (field, ranges) => {
  expect(acceptedLanguages(field)).toEqual(ranges);
});

test.each([
  [["de-at"], ["en", "de"], "de"],
  [["pt", "fr"], ["en", "fr"], "fr"],
  [["de"], ["en", "de-CH"], "de-CH"],
  [["zh-hant-tw"], ["zh", "zh-Hant"], "zh-Hant"],
  [["en-gb"], ["en-US"], "en-US"],
  [["d"], ["de"], undefined],
  [["pl"], ["en"], undefined],
  [[], ["en"], undefined],
])("the best match of %j among %j is %j", (ranges, offered, tag) => {
  expect(matchLanguage(ranges, offered)).toBe(tag);
});
