// Stems of words by the algorithms of Snowball. They are in a file of their own, since they are large.

import { newStemmer } from "snowball-stemmers";
import type { Stemmer } from "../../../text/index.ts";

/**
 * Algorithms by language (BCP 47). Russian and Turkish are left out, since words are folded: their endings
 * have letters that are other ones then (й, ı).
 */
const algorithms: Readonly<Record<string, string>> = {
  ca: "catalan",
  cs: "czech",
  da: "danish",
  de: "german",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hu: "hungarian",
  it: "italian",
  nb: "norwegian",
  nl: "dutch",
  nn: "norwegian",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  sl: "slovene",
  sv: "swedish",
};

/** Words whose stems are remembered, since each takes up to 20 µs. */
const maxRemembered = 20_000;

const stemmers = new Map<string, Stemmer>();

/** Returns the stemmer of a language (BCP 47); undefined if there is none. */
export function stemmerOf(language: string): Stemmer | undefined {
  const code = language.split("-", 1)[0]!.toLowerCase();
  const algorithm = Object.hasOwn(algorithms, code) ? algorithms[code] : undefined;
  if (algorithm === undefined) return undefined;
  const known = stemmers.get(algorithm) ?? rememberStems(newStemmer(algorithm).stem);
  stemmers.set(algorithm, known);
  return known;
}

function rememberStems(stem: Stemmer): Stemmer {
  const remembered = new Map<string, string>();
  return (word) => {
    const before = remembered.get(word);
    if (before !== undefined) return before;
    const found = stem(word);
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(word, found);
    return found;
  };
}
