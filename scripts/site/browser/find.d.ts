// Types of find.js, for its tests.

import type MiniSearch from "minisearch";
import type { SearchResult } from "minisearch";

/** A section of a page that the search can find. */
export interface Section {
  readonly address: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  /** Other words that readers may type for it. */
  readonly words?: string;
}

export function createIndex(sections: readonly Section[]): MiniSearch<Section>;
export function find(index: MiniSearch<Section>, words: string): SearchResult[];
