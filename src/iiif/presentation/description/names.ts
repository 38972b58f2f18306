// The images or folders that an operator means by names and places.

import type { Named } from "./description.ts";
import { type Fault, fault, type Place, quoted, unknownWord } from "./faults.ts";

/** What can be meant: the names of each, the one to suggest first in front. */
export interface Names {
  /** The place from 0 of what is meant; undefined, after a fault, where it is nothing. */
  find(named: Named, faults: Fault[]): number | undefined;
}

/** Finds by a name, by the name without its extension where it is no other's, and by the place from 1. */
export function namesOf(all: readonly (readonly string[])[], what: "image" | "folder"): Names {
  const places = new Map<string, number | undefined>();
  const add = (name: string, place: number) => places.set(name, places.has(name) ? undefined : place);
  for (const [place, names] of all.entries()) for (const name of new Set(names)) add(name, place);
  const known = all.flatMap(([first = ""]) => first);
  const exact = new Map(places);
  for (const [place, names] of all.entries())
    for (const stem of new Set(names.map(stemOf))) if (!exact.has(stem)) add(stem, place);
  return {
    find({ name, path }, faults) {
      const found = places.get(String(name));
      if (found !== undefined) return found;
      const at: Place = { path, faults };
      if (typeof name === "number" && all[name - 1]) return name - 1;
      if (places.has(String(name)))
        return fault(at, `${quoted(name)} is the name of several; expected the whole name of one`);
      return unknownWord(at, `there is no ${what} ${quoted(name)} here`, String(name), known);
    },
  };
}

const stemOf = (name: string) => name.replace(/(?<=.)\.[^.]+$/, "");

/** Places in an order: those that are named first, all others behind them as they were. */
export function ordered(
  count: number,
  order: readonly Named[],
  names: Names,
  faults: Fault[],
): readonly number[] {
  const first = new Set<number>();
  for (const named of order) {
    const place = names.find(named, faults);
    if (place === undefined) continue;
    if (first.has(place)) fault({ path: named.path, faults }, `${quoted(named.name)} is named twice`);
    else first.add(place);
  }
  return [...first, ...Array.from({ length: count }, (_, at) => at).filter((at) => !first.has(at))];
}
