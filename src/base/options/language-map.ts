// Schemas of texts by language in the configuration, in every form that people write them.

import { z } from "zod";
import { isLanguage } from "../text/language-tag.ts";

/** Texts by language tag, in the operator's order; `none`: no language (Presentation 3.0, section 4). */
export type LanguageMap = Readonly<Record<string, readonly string[]>>;

const mapForm = "expected text, or languages with texts such as { en: [Sign in] }";

const languageForm = "expected a language such as en, de-CH or none";

const text = z.string({ error: mapForm });
const someTexts = z.array(text, { error: mapForm }).min(1, { error: mapForm });

/** A text or a list of texts by language; a text alone becomes a list. */
const mapInput = z
  .record(
    z.string().refine(isLanguage, { error: languageForm }),
    z.union([text, someTexts], { error: mapForm }),
    { error: mapForm },
  )
  .transform(
    (map): Record<string, string[]> =>
      Object.fromEntries(
        Object.entries(map).map(([language, texts]) => [
          language,
          typeof texts === "string" ? [texts] : [...texts],
        ]),
      ),
  );

/**
 * A text, a list of texts, or texts by language; always read as texts by language. Texts without a language
 * are under `none`, and an empty text is nothing.
 */
export const languageMap = z
  .union(
    [
      text.transform((plain): Record<string, string[]> => (plain === "" ? {} : { none: [plain] })),
      someTexts.transform((texts): Record<string, string[]> => ({ none: texts })),
      mapInput,
    ],
    { error: mapForm },
  )
  .prefault({});

/** Schema of a language map, or of a text without a language, which stays a text. */
export const textOrLanguageMap = z
  .union([text, someTexts.transform((texts): Record<string, string[]> => ({ none: texts })), mapInput], {
    error: mapForm,
  })
  .prefault("");
