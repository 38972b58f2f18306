// Types of prose.mjs, for its tests.

export function proseOf(docs: string): { readonly path: string; readonly words: number }[];
export function wordsOf(markdown: string): number;
