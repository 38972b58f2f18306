// Reads operators' texts, dates and rights into the forms of Presentation API 3.0 (sections 3.1, 3.2 and 4).

import { isLanguage, type LanguageMap } from "../../../base/index.ts";
import { objectOf } from "../json.ts";
import { type FaultPath, fault, inside, noteUnexpected, type Reader } from "./faults.ts";

/** An entry of `metadata`, or `requiredStatement`. */
export interface Pair {
  readonly label: LanguageMap;
  readonly value: LanguageMap;
}

const isScalar = (value: unknown): value is string | number | boolean =>
  (typeof value === "string" && value !== "") || typeof value === "number" || typeof value === "boolean";

/** A text, a list of texts, or texts by language. Numbers count as texts: a year, a shelf mark. */
export const texts: Reader<LanguageMap> = (value, at) => {
  if (isScalar(value) || Array.isArray(value)) {
    const list = textList(value, at);
    return list && { none: list };
  }
  const languages = Object.entries(objectOf(value) ?? {});
  if (languages.length === 0) return noteUnexpected(at, "text, or texts by language such as en: …", value);
  const map: Record<string, readonly string[]> = {};
  for (const [language, inner] of languages) {
    const path = inside(at, language);
    if (!isLanguage(language)) fault(path, "expected a language such as en or de-CH, or none");
    else map[language] = textList(inner, path) ?? [];
  }
  const there = Object.entries(map).filter(([, list]) => list.length > 0);
  return there.length === 0 ? undefined : Object.fromEntries(there);
};

function textList(value: unknown, at: FaultPath): readonly string[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  if (list.length > 0 && list.every(isScalar)) return list.map(String);
  return noteUnexpected(at, "text or a list of texts", list.find((item) => !isScalar(item)) ?? value);
}

/** Pairs as a list of `label` and `value`, a list of `Label: value`, or keys and values. */
export const pairs: Reader<readonly Pair[]> = (value, at) => {
  const list = Array.isArray(value)
    ? value.map((item, path) => [item, inside(at, path)] as const)
    : [[value, at] as const];
  const found = list.flatMap(([item, path]) => pairsOf(item, path));
  return found.length === 0 ? undefined : found;
};

/** A pair, or a text that gets the label "Attribution". */
export const statement: Reader<Pair> = (value, at) => {
  if (isScalar(value) || Array.isArray(value)) {
    const read = texts(value, at);
    return read && { label: { en: ["Attribution"] }, value: read };
  }
  const [first, ...others] = pairsOf(value, at);
  return others.length > 0 ? fault(at, "expected one label with its value, received several") : first;
};

function pairsOf(value: unknown, at: FaultPath): readonly Pair[] {
  const entries = Object.entries(objectOf(value) ?? {});
  if (entries.length === 0) {
    noteUnexpected(at, "Label: value, or label: and value:", value);
    return [];
  }
  if (entries.length === 2 && entries.every(([key]) => key === "label" || key === "value")) {
    const [label, inner] = (["label", "value"] as const).map((key) =>
      texts((value as Record<string, unknown>)[key], inside(at, key)),
    );
    return label && inner ? [{ label, value: inner }] : [];
  }
  return entries.flatMap(([label, inner]) => {
    const read = texts(inner, inside(at, label));
    return read ? [{ label: { none: [label] }, value: read }] : [];
  });
}

/** Reads a year, month, day or time as its first moment (UTC, unless a zone is given). */
export const moment: Reader<string> = (value, at) => {
  const text = typeof value === "number" ? String(value).padStart(4, "0") : value;
  const parts =
    typeof text === "string"
      ? /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?)?)?$/.exec(text)
      : null;
  const [, year, month = "01", day = "01", time = "00:00", zone = "Z"] = parts ?? [];
  const whole = `${year}-${month}-${day}T${time.length === 5 ? `${time}:00` : time}${zone}`;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (!parts || Number.isNaN(Date.parse(whole)) || Number(day) > days)
    return noteUnexpected(at, "a date such as 1998, 1998-05-17 or 1998-05-17T12:00:00Z", value);
  return whole;
};

/**
 * A licence by its usual short name, or a rights statement, or the address of either; always with http, as in
 * 3.0.
 */
export const rights: Reader<string> = (value, at) => {
  const text = typeof value === "string" ? value.trim() : "";
  const licence = /^cc[ -]by((?:-(?:nc|sa|nd))*)[ -](\d\.\d)$/i.exec(text);
  if (licence) return `http://creativecommons.org/licenses/by${licence[1]?.toLowerCase()}/${licence[2]}/`;
  const named = rightsNames[text.toLowerCase()];
  if (named) return named;
  const statement = statements.find((name) => name.toLowerCase() === text.toLowerCase());
  if (statement) return `http://rightsstatements.org/vocab/${statement}/1.0/`;
  const address =
    /^https?:\/\/(?:www\.)?((creativecommons\.org\/(licenses|publicdomain)|rightsstatements\.org\/(vocab|page))\/.+)$/i.exec(
      text,
    );
  if (address?.[1])
    return `http://${address[1].replace("rightsstatements.org/page/", "rightsstatements.org/vocab/")}`;
  return noteUnexpected(
    at,
    "a licence such as CC BY 4.0 or CC0, a rights statement such as InC, or an address of creativecommons.org or rightsstatements.org (everything else belongs in requiredStatement)",
    value,
  );
};

const rightsNames: Readonly<Record<string, string>> = {
  cc0: "http://creativecommons.org/publicdomain/zero/1.0/",
  "cc0 1.0": "http://creativecommons.org/publicdomain/zero/1.0/",
  "public domain": "http://creativecommons.org/publicdomain/mark/1.0/",
};

/** Statements of RightsStatements.org. */
const statements = [
  "InC",
  "InC-OW-EU",
  "InC-EDU",
  "InC-NC",
  "InC-RUU",
  "NoC-CR",
  "NoC-NC",
  "NoC-OKLR",
  "NoC-US",
  "CNE",
  "UND",
  "NKC",
];
