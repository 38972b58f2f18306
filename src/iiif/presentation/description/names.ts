// Resolves an operator's names and indexes of images or folders.

import type { Named } from "./description.ts";
import { type Fault, type FaultPath, fault, quote, unknownWord } from "./faults.ts";

/** Possible names of each item, the one to suggest first. */
export interface Names {
  /** Returns the index of the named item; undefined, after a fault, if there is none. */
  find(named: Named, faults: Fault[]): number | undefined;
}

/** Finds items by name, by name without the extension if that is unique, and by position from 1. */
export function namesOf(all: readonly (readonly string[])[], what: "image" | "folder"): Names {
  const indexes = new Map<string, number | undefined>();
  const add = (name: string, index: number) => indexes.set(name, indexes.has(name) ? undefined : index);
  for (const [index, names] of all.entries()) for (const name of new Set(names)) add(name, index);
  const known = all.flatMap(([first = ""]) => first);
  const exact = new Map(indexes);
  for (const [index, names] of all.entries())
    for (const stem of new Set(names.map(stemOf))) if (!exact.has(stem)) add(stem, index);
  return {
    find({ name, path }, faults) {
      const found = indexes.get(String(name));
      if (found !== undefined) return found;
      const at: FaultPath = { path, faults };
      if (typeof name === "number" && all[name - 1]) return name - 1;
      if (indexes.has(String(name)))
        return fault(at, `${quote(name)} is the name of several; expected the whole name of one`);
      return unknownWord(at, `there is no ${what} ${quote(name)} here`, String(name), known);
    },
  };
}

const stemOf = (name: string) => name.replace(/(?<=.)\.[^.]+$/, "");

/** A canvas of a manifest, as operators may name it. */
interface NamedCanvas {
  readonly identifier: string;
  readonly label: string;
  /** Given if its file has several pages, which are all in the manifest. */
  readonly page?: number;
}

/**
 * Creates a function that returns the indexes of canvases, from 0. The name or index of a file means all its
 * pages, `scan.tif;2` one of them. Undefined, after a fault, if nothing matches; else never empty.
 */
export function canvasNamesOf(canvases: readonly NamedCanvas[]) {
  const files: { readonly names: readonly string[]; readonly indexes: number[] }[] = [];
  const pages = new Map<string, number>();
  let last: string | undefined;
  for (const [index, { identifier, label, page }] of canvases.entries()) {
    const name = identifier.slice(identifier.lastIndexOf("/") + 1);
    const file = page === undefined ? undefined : identifier.slice(0, -`;${page}`.length);
    if (file !== undefined) pages.set(name, index);
    if (file !== undefined && file === last) files.at(-1)?.indexes.push(index);
    else
      files.push({
        names: page === undefined ? [name, label] : [name.slice(0, -`;${page}`.length)],
        indexes: [index],
      });
    last = file;
  }
  const names = namesOf(
    files.map((file) => file.names),
    "image",
  );
  return (named: Named, faults: Fault[]): readonly number[] | undefined => {
    const page = pages.get(String(named.name));
    if (page !== undefined) return [page];
    const file = names.find(named, faults);
    return file === undefined ? undefined : files[file]?.indexes;
  };
}

/**
 * Returns indexes in an order: the named ones first, all others after them in their old order. `find`:
 * returns the indexes that a name means.
 */
export function sortByNames(
  count: number,
  order: readonly Named[],
  find: (named: Named, faults: Fault[]) => readonly number[] | undefined,
  faults: Fault[],
): readonly number[] {
  const first = new Set<number>();
  for (const named of order) {
    const indexes = find(named, faults);
    if (indexes?.every((index) => first.has(index)))
      fault({ path: named.path, faults }, `${quote(named.name)} is named twice`);
    for (const index of indexes ?? []) first.add(index);
  }
  return [...first, ...Array.from({ length: count }, (_, at) => at).filter((at) => !first.has(at))];
}
