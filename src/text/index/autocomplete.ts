// Completes the last word of a text from the dictionaries of segments (Content Search 2.0, section 6).

import { createPauses } from "../../base/index.ts";
import { type Lost, orLost } from "./lost-block.ts";
import type { OpenSegments } from "./open-segments.ts";
import { maxQueryLength } from "./query.ts";
import { scanTerms, TermTotals } from "./terms.ts";
import { unitsOf } from "./units.ts";

export interface Completion {
  /** The text with its last word completed, in the spelling that the pages have most often. */
  readonly text: string;
  /** Occurrences of the word. */
  readonly total: number;
}

export interface Completions {
  /** The most frequent first, equally frequent ones by code units. */
  readonly completions: readonly Completion[];
  /** True if there are more. */
  readonly isCut: boolean;
}

/**
 * Returns at most `count` words that begin like the last one of a text. All terms of the segments are shown,
 * so that the reader must be allowed to read all their pages. Returns `{ lost }` if a block is missing.
 */
export function complete(
  segments: OpenSegments,
  names: readonly string[],
  text: string,
  count: number,
): Promise<Completions | Lost> {
  return orLost(async () => {
    const { before, prefix } = lastWordOf(text.slice(0, maxQueryLength));
    if (prefix === "") return { completions: [], isCut: false };
    const totals = new TermTotals();
    /** Spelling of each term in the segment that has it most often. */
    const surfaces = new Map<string, { readonly surface: string; readonly count: number }>();
    let isWhole = true;
    const pause = createPauses();
    for (const name of names) {
      await pause();
      const isScanned = await scanTerms(await segments.open(name), prefix, (term) => {
        totals.add(term.text, term.count);
        const known = surfaces.get(term.text);
        if (known && known.count >= term.count) return;
        surfaces.set(term.text, { surface: term.surface(), count: term.count });
      });
      isWhole &&= isScanned;
      for (const term of surfaces.keys()) if (totals.total(term) === 0) surfaces.delete(term);
    }
    const terms = totals.byFrequency();
    return {
      completions: terms.slice(0, count).map((term) => ({
        text: before + surfaces.get(term)!.surface,
        total: totals.total(term),
      })),
      isCut: !isWhole || totals.isCut || terms.length > count,
    };
  });
}

/** Returns the folded last unit of a text, and the text before it; no unit if the last word has ended. */
function lastWordOf(text: string): { readonly before: string; readonly prefix: string } {
  const word = /\S*$/u.exec(text)?.[0].normalize("NFC") ?? "";
  const last = unitsOf(word).at(-1);
  if (!last) return { before: text, prefix: "" };
  return {
    before: text.slice(0, text.length - /\S*$/u.exec(text)![0].length) + word.slice(0, last.start),
    prefix: last.text,
  };
}
