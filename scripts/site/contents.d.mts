// Types of contents.mjs, for tests.

/** Returns the words that readers type for sections, by the address of the section on the site. */
export function readSearchWords(docs: string): ReadonlyMap<string, string>;
