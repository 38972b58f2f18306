// Folds characters, so that case, accents and the form of a letter do not matter to a search: NFKD (Unicode
// Standard Annex 15), marks off, lower case, and a table of letters that Unicode does not decompose.

/** Version of the rules of folding and tokens. A change of either finds nothing in older indexes. */
export const rulesVersion = 1;

/**
 * Scripts whose marks are accents or points that readers leave out. The marks of other scripts are vowels and
 * tones (Devanagari, Thai), which tell words apart.
 */
const accented = [
  "Zinh",
  "Latn",
  "Grek",
  "Cyrl",
  "Copt",
  "Goth",
  "Glag",
  "Armn",
  "Geor",
  "Hebr",
  "Arab",
  "Syrc",
];

/** Letters that Unicode does not decompose, with what readers type for them. */
const letters: Readonly<Record<string, string>> = {
  // Latin, with medieval and phonetic letters that occur in catalogues.
  æ: "ae",
  œ: "oe",
  ꜳ: "aa",
  ꜵ: "ao",
  ꜷ: "au",
  ꜹ: "av",
  ꜽ: "ay",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ß: "ss",
  þ: "th",
  ı: "i",
  ȷ: "j",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ĸ: "k",
  ƀ: "b",
  ɨ: "i",
  ʉ: "u",
  ƿ: "w",
  ꝛ: "r",
  ꝺ: "d",
  ꝼ: "f",
  ꞇ: "t",
  // Modifier letters that are apostrophes.
  ʹ: "'",
  ʺ: "'",
  ʻ: "'",
  ʼ: "'",
  ʽ: "'",
  ʾ: "'",
  ʿ: "'",
  ꞌ: "'",
  // Greek: sigma at the end of a word, and its lunate form.
  ς: "σ",
  ϲ: "σ",
  ϗ: "και",
  // Hebrew: Yiddish digraphs.
  "\u05f0": "וו",
  "\u05f1": "וי",
  "\u05f2": "יי",
  // Arabic: letters that writers interchange, Persian forms, and the tatweel, which only stretches.
  ٱ: "ا",
  ى: "ي",
  ی: "ي",
  ة: "ه",
  ک: "ك",
  ہ: "ه",
  "\u0640": "",
};

/** The digits zero of the decimal systems; the nine others follow each of them. */
const zeros = [..."٠۰߀०০੦૦୦௦౦೦൦๐໐༠၀០᠐"];

const digits = Object.fromEntries(
  zeros.flatMap((zero) =>
    Array.from({ length: 10 }, (_, value) => [
      String.fromCodePoint(zero.codePointAt(0)! + value),
      `${value}`,
    ]),
  ),
);

const replacements = new Map(Object.entries({ ...letters, ...digits }));
const replaced = new RegExp(`[${[...replacements.keys()].join("")}]`, "gu");

/** Accents (voicing marks of Kana excepted), and characters without a shape, such as the soft hyphen. */
const removed = new RegExp(
  `(?![\\u3099\\u309a])(?=\\p{M})[${accented.map((script) => `\\p{Script=${script}}`).join("")}]|\\p{Cf}`,
  "gu",
);

/** A character with the marks after it. */
export const clusters = /\P{M}\p{M}*|\p{M}+/gsu;

/** Returns a folded cluster: any number of characters, also none. */
export function foldCluster(cluster: string): string {
  return cluster
    .normalize("NFKD")
    .replace(removed, "")
    .toLowerCase()
    .replace(replaced, (letter) => replacements.get(letter)!)
    .normalize("NFC");
}

const ascii = /^[\0-\x7f]*$/;

/** True if a text is of the 128 characters that fold to themselves in lower case. */
export const isAscii = (text: string): boolean => ascii.test(text);
