// Changes parts of a document and shares the rest with it: long documents are walked for each reader.

import type { Resource } from "./model.ts";

/**
 * Returns a list with its items changed, without those that become undefined; the same list if none changes.
 */
export function changedItems(
  list: readonly unknown[],
  change: (item: unknown, index: number) => unknown,
): readonly unknown[] {
  let left: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const now = change(item, index);
    if (!left && !Object.is(now, item)) left = list.slice(0, index);
    if (left && now !== undefined) left.push(now);
  }
  return left ?? list;
}

/**
 * Returns an object with its members changed, without those that become undefined; the same object if none
 * changes.
 */
export function changedMembers(object: Resource, change: (name: string, held: unknown) => unknown): Resource {
  const changed = new Map<string, unknown>();
  for (const name of Object.keys(object)) {
    const now = change(name, object[name]);
    if (!Object.is(now, object[name])) changed.set(name, now);
  }
  if (changed.size === 0) return object;
  return Object.fromEntries(
    Object.entries(object)
      .map(([name, held]) => [name, changed.has(name) ? changed.get(name) : held] as const)
      .filter(([, held]) => held !== undefined),
  );
}
