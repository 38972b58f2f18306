// Reading orders, which ALTO (from 4.3) and PAGE write as groups of references to elements.

import { type ReadFile, tooLargeText } from "./text-bounds.ts";

/** A reference or a group, with its index among its siblings. */
interface Entry {
  readonly index: number;
  readonly id: string | undefined;
  readonly entries: Entry[];
  readonly isAlternatives: boolean;
}

/**
 * Collects a reading order, which stands before the elements that it orders; later references are ignored.
 */
export interface ReadingOrder {
  /** `id`: of the element that a group stands for, in PAGE. */
  openGroup(isOrdered: boolean, index?: number, id?: string): void;
  closeGroup(): void;
  /** `ids`: one, or several separated by white space. */
  refer(ids: string | undefined, index?: number): void;
  /** Returns the number of an element in the order, from 0; undefined if the order does not name it. */
  rankOf(id: string | undefined): number | undefined;
  /** True if the order names anything. */
  isUsed(): boolean;
}

/**
 * Creates an empty order. Children with an index are sorted by it. Several ordered groups in an unordered one
 * at the top are `alternatives` in ALTO, of which the first counts, and parts of the page in PAGE.
 */
export function createReadingOrder(file: ReadFile, hasAlternatives: boolean): ReadingOrder {
  const top = entry(0, undefined, false);
  const open = [top];
  let count = 0;
  let ranks: Map<string, number> | undefined;
  const add = (added: Entry): boolean => {
    if (ranks) return false;
    if (++count > file.bounds.references)
      throw tooLargeText(file, "references", "references of a reading order");
    open.at(-1)!.entries.push(added);
    return true;
  };
  return {
    openGroup(isOrdered, index, id) {
      const parent = open.at(-1)!;
      const group = entry(
        index ?? parent.entries.length,
        id,
        hasAlternatives && !isOrdered && parent === top,
      );
      if (add(group)) open.push(group);
    },
    closeGroup() {
      if (open.length > 1) open.pop();
    },
    refer(ids, index) {
      for (const id of ids?.trim().split(/\s+/) ?? [])
        add(entry(index ?? open.at(-1)!.entries.length, id, false));
    },
    rankOf(id) {
      if (id === undefined) return undefined;
      ranks ??= ranksOf(top);
      return ranks.get(id);
    },
    isUsed: () => count > 0,
  };
}

const entry = (index: number, id: string | undefined, isAlternatives: boolean): Entry => ({
  index,
  id,
  entries: [],
  isAlternatives,
});

/** Returns the numbers of all that an order names; the first mention counts. */
function ranksOf(top: Entry): Map<string, number> {
  const ranks = new Map<string, number>();
  const visit = ({ id, entries, isAlternatives }: Entry): void => {
    if (id !== undefined && !ranks.has(id)) ranks.set(id, ranks.size);
    const sorted = entries.toSorted((a, b) => a.index - b.index);
    const groups = isAlternatives ? sorted.filter((child) => child.entries.length > 0) : [];
    for (const child of groups.length > 1 ? groups.slice(0, 1) : sorted) visit(child);
  };
  visit(top);
  return ranks;
}
