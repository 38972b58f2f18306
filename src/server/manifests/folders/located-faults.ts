// Faults of a file that an operator wrote, with their lines.

import { type Finding, findingLine } from "../../../base/index.ts";
import type { Fault } from "../../../iiif/index.ts";
import type { ReadText } from "./manifest-file-text.ts";

export interface LocatedFaults {
  /** Adds faults that are not known yet. */
  add(faults: readonly Fault[]): void;
  /** Returns all of them. */
  list(): readonly Finding[];
}

/** Maximum of recorded faults per file: nobody fixes more in one go. */
const maxFaults = 50;

/** The faults of a text that has been read. */
export function createLocatedFaults({ faults: unread, locate }: Omit<ReadText, "value">): LocatedFaults {
  /** Each once, by its line of text. */
  const faults = new Map(unread.map((fault) => [findingLine(fault), fault]));
  const known = new Set<string>();
  return {
    add(more) {
      // They are located and reported once, however often what was read is applied.
      const fresh = more.slice(0, maxFaults).filter((fault) => !known.has(JSON.stringify(fault)));
      const listed = fresh.slice(0, Math.max(0, maxFaults - known.size));
      if (listed.length === 0) return;
      for (const fault of listed) known.add(JSON.stringify(fault));
      for (const located of locate(listed)) faults.set(findingLine(located), located);
    },
    list: () => [...faults.values()],
  };
}
