// Types of sections.mjs, for its tests.

import type { Section } from "./browser/find.js";

/** Returns the sections of a page's HTML. */
export function sectionsOf(page: {
  readonly path: string;
  readonly title: string;
  readonly html: string;
}): Section[];
