// Types of prose.mjs, for its tests.

export interface PageLength {
  readonly path: string;
  readonly prose: number;
  readonly withTables: number;
  readonly isGenerated: boolean;
  readonly isForUsers: boolean;
}

export function pageLengths(docs: string): readonly PageLength[];
export function wordsOf(markdown: string): number;
export function wordsWithTables(markdown: string): number;
export function sumOf(pages: readonly PageLength[], number: (page: PageLength) => number): number;
