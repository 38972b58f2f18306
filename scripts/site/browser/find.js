// What the search finds, and in which order.

import MiniSearch from "minisearch";

/**
 * Weights of pages by the beginning of their address. Readers look for a symptom or a task more often than
 * for the name of a setting, and seldom for how smalti is made.
 */
const weights = {
  "operations/troubleshooting": 2.3,
  start: 2,
  "how-to": 2,
  operations: 2,
  reference: 0.7,
  contributing: 0.3,
};
const weightOf = (address) =>
  Object.entries(weights).find(([begin]) => address.startsWith(begin))?.[1] ?? 1.5;

/**
 * Returns an index of sections: each has an address, the title of its page, a heading, a text, and other
 * words that readers may type for it.
 */
export function createIndex(sections) {
  const index = new MiniSearch({
    idField: "address",
    fields: ["heading", "title", "text", "words"],
    storeFields: ["heading", "title", "text"],
    processTerm: stemOf,
    searchOptions: {
      prefix: true,
      fuzzy: (word) => word.length > 4 && 0.2,
      combineWith: "AND",
      boost: { heading: 6, words: 6, title: 3 },
    },
  });
  index.addAll(sections);
  return index;
}

/**
 * Returns the sections that contain all words, or else those that contain most of them, the best first. A
 * whole name, such as `base_url`, comes first.
 */
export function find(index, words) {
  const isName = /^\w+[_.][\w.]+$/.test(words);
  const boostDocument = (address, _, { heading }) => (isName && heading === words ? 20 : weightOf(address));
  const withAll = index.search(words, { boostDocument });
  if (withAll.length > 0) return withAll;
  const withSome = index.search(words, { boostDocument, combineWith: "OR" });
  const most = Math.max(0, ...withSome.map(({ queryTerms }) => queryTerms.length));
  return withSome.filter(({ queryTerms }) => queryTerms.length === most);
}

/** Words of a question that say nothing of its subject. All others are looked for. */
const stopWords = new Set(
  "a am an and are by can could do does for how i if in is it my of on or should the there to what why with you".split(
    " ",
  ),
);

/**
 * Returns a word without its ending: "upgrade" finds "upgrading", and "blurry" finds "blurred". Returns null,
 * which skips the word, for stop words.
 */
const stemOf = (word) =>
  stopWords.has(word.toLowerCase()) ? null : word.toLowerCase().replace(/(?<=\w{4})(?:ing|ed|es|e|s|y)$/, "");
