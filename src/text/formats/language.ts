// Languages as files of text name them, as BCP 47.

import { twoLetterCodes } from "./language-names.ts";

/** Names of models of tesseract that are no code of ISO 639 with a script. */
const models: Readonly<Record<string, string>> = {
  frk: "de-Latf", // German in Fraktur; Frankish, its meaning in ISO 639-3, has no model
  aze_cyrl: "az-Cyrl",
  chi_sim: "zh-Hans",
  chi_sim_vert: "zh-Hans",
  chi_tra: "zh-Hant",
  chi_tra_vert: "zh-Hant",
  dan_frak: "da-Latf",
  deu_frak: "de-Latf",
  deu_latf: "de-Latf",
  slk_frak: "sk-Latf",
  srp_latn: "sr-Latn",
  uzb_cyrl: "uz-Cyrl",
  german_print: "de-Latf",
  cantonese: "yue",
};

/** Codes that name no language: of ISO 639-2, and models of tesseract for layout and equations. */
const noLanguage: ReadonlySet<string> = new Set(["und", "mul", "zxx", "mis", "osd", "equ"]);

/**
 * Returns a language as BCP 47: from a tag, a code of ISO 639, an English name (PAGE) or the name of a model
 * of tesseract, of which the first counts if there are several (`deu+eng`). Returns undefined for what names
 * no language, such as `script/Latin` and `Fraktur`.
 */
export function languageTag(name: string | undefined): string | undefined {
  const first = name?.split(/[+,;|]/, 1)[0]?.trim() ?? "";
  if (first === "" || first.length > 40) return undefined;
  const key = first.toLowerCase();
  const model = Object.hasOwn(models, key) ? models[key] : undefined;
  return model ?? twoLetterCodes.get(key) ?? tagOf(key);
}

/** Returns a tag with its parts written as in RFC 5646, section 2.1.1. `key`: in lower case. */
function tagOf(key: string): string | undefined {
  // A suffix of a model, as in `ita_old`, is no part of a tag; a region or a script is.
  const parts = key.split(/[-_]/);
  const code = parts[0]!;
  if (!/^[a-z]{2,3}$/.test(code) || noLanguage.has(code)) return undefined;
  const rest = /^[a-z]{2,3}(?:[-_][a-z]{4})?(?:[-_](?:[a-z]{2}|\d{3}))?$/.test(key) ? parts.slice(1) : [];
  return [twoLetterCodes.get(code) ?? code, ...rest.map(subtag)].join("-");
}

const subtag = (part: string): string =>
  part.length === 4 ? part[0]!.toUpperCase() + part.slice(1) : part.toUpperCase();
