// The words of a search, and texts in the form that they are compared in.

import { objectOf, objectsOf, type Resource } from "../../../iiif/index.ts";

/** Characters of a search text that count. */
export const maxSearchLength = 200;
/** Words in it that count. */
const maxWords = 12;

/** Characters of an item's text in a manifest file that a search reads. */
const maxTextLength = 4000;

/** The words of a search in the form that texts are compared in; none for one that is blank. */
export function wordsOf(text: string): readonly string[] {
  return toComparable(text.slice(0, maxSearchLength)).split(/\s+/u).filter(Boolean).slice(0, maxWords);
}

/** A text without case, accents and differences of width. */
export function toComparable(text: string): string {
  const plain = /^[\x20-\x7e]*$/.test(text) ? text : text.normalize("NFKD").replace(/\p{M}+/gu, "");
  return plain.toLowerCase();
}

/**
 * Returns the visible text in members of a document, in all its languages and in comparable form: label,
 * summary, the values of the metadata and the required statement. "" if there is none.
 */
export function textIn(members: Resource): string {
  const { label, summary, metadata, requiredStatement } = members;
  const values = [...objectsOf(metadata), ...objectsOf(requiredStatement)].map(({ value }) => value);
  const texts = [label, summary, ...values].flatMap(textsOf);
  return texts.length === 0 ? "" : toComparable(texts.join("\n").slice(0, maxTextLength));
}

/** The texts of a language map. */
const textsOf = (map: unknown): readonly string[] =>
  Object.values(objectOf(map) ?? {})
    .flat()
    .filter((text) => typeof text === "string");
