// Languages as files name them.

import { expect, test } from "vitest";
import { languageTag } from "../../../src/text/formats/language.ts";

test.each([
  ["deu", "de"],
  ["ger", "de"],
  ["fre", "fr"],
  ["lat", "la"],
  ["grc", "grc"],
  ["frk", "de-Latf"],
  ["deu+eng", "de"],
  ["chi_tra_vert", "zh-Hant"],
  ["ita_old", "it"],
  ["German", "de"],
  ["Old Church Slavonic", "cu"],
  ["en_us", "en-US"],
  ["ZH-hant-tw", "zh-Hant-TW"],
  ["en", "en"],
  ["Fraktur", undefined],
  ["script/Latin", undefined],
  ["osd", undefined],
  ["und", undefined],
  ["constructor", undefined],
  ["", undefined],
  [undefined, undefined],
])("%s is %s in BCP 47", (name, tag) => {
  expect(languageTag(name)).toBe(tag);
});

test("the codes of ISO 639 are those of the platform's list", () => {
  for (const code of ["alb", "baq", "chi", "cze", "dut", "gre", "ice", "per", "rum", "slk", "wel", "zha"])
    expect(languageTag(code)).toBe(Intl.getCanonicalLocales(code)[0]);
});
