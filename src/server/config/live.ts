// The configuration in effect: `edit` in the schema says which parts of a changed file apply immediately.

import { keyPath } from "../../base/index.ts";
import { isObject, nodesAt, type Part, partsOf, type SchemaNode } from "./walk.ts";

export interface LiveSettings<T> {
  current(): T;
  /** Calls `act` after each change, for parts that do not read {@link current} on demand. */
  subscribe(act: (current: T) => void): void;
  /**
   * Applies the live keys of other settings. Returns the keys, as paths, that differ and wait for the next
   * start.
   */
  take(next: T): readonly string[];
  /**
   * Returns the paths that {@link take} of other settings would apply, and those that would wait. Changes
   * nothing.
   */
  compare(next: T): { readonly takes: readonly string[]; readonly waits: readonly string[] };
}

/** Creates settings that can change while in use. `root`: the tree of their schema. */
export function createLiveSettings<T>(root: SchemaNode, initial: T): LiveSettings<T> {
  let current = initial;
  const subscribers: ((current: T) => void)[] = [];
  return {
    current: () => current,
    subscribe: (act) => void subscribers.push(act),
    take(next) {
      current = takeLive(current, next, nodesAt(root, [])) as T;
      for (const act of subscribers) act(current);
      return differences(current, next).map(keyPath);
    },
    compare(next) {
      const after = takeLive(current, next, nodesAt(root, []));
      return {
        takes: differences(current, after).map(keyPath),
        waits: differences(after, next).map(keyPath),
      };
    },
  };
}

/**
 * Merges the live parts of the new value into the old one. Objects are merged key by key. A list, an object
 * of another kind, and a value that exists only before or after, are taken as a whole or not at all: as a
 * whole if none of their differences waits.
 */
function takeLive(before: unknown, after: unknown, nodes: readonly SchemaNode[]): unknown {
  if (
    isObject(before) &&
    isObject(after) &&
    editOf(nodes) === undefined &&
    !kindsDiffer(before, after, nodes)
  ) {
    const merged = pairsOf(before, after, nodes).map(
      (pair) => [pair.key, takeLive(pair.before, pair.after, pair.nodes)] as const,
    );
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  }
  return waits(before, after, nodes) ? before : after;
}

/** True if a difference waits for the next start, as all do that the schema does not mark as live. */
function waits(before: unknown, after: unknown, nodes: readonly SchemaNode[]): boolean {
  if (isSame(before, after)) return false;
  const edit = editOf(nodes);
  if (edit) return edit === "restart";
  const pairs = pairsOf(before, after, nodes);
  return pairs.length === 0 || pairs.some((pair) => waits(pair.before, pair.after, pair.nodes));
}

/** Returns `edit` of a value including all of its parts; undefined if the schema has it for parts only. */
function editOf(nodes: readonly SchemaNode[]): SchemaNode["edit"] {
  const edits = nodes.flatMap(({ edit }) => edit ?? []);
  return edits.includes("restart") ? "restart" : edits[0];
}

interface Pair {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly nodes: readonly SchemaNode[];
}

/** Returns the corresponding parts of two values. */
function pairsOf(before: unknown, after: unknown, nodes: readonly SchemaNode[]): Pair[] {
  const byKey = (value: unknown) =>
    new Map(partsOf(value, nodes).map((part): [string, Part] => [String(part.key), part]));
  const [old, now] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...now.keys()])].map((key) => ({
    key,
    before: old.get(key)?.value,
    after: now.get(key)?.value,
    nodes: (now.get(key) ?? old.get(key))?.nodes ?? [],
  }));
}

/** True if two objects are different members of a union, such as stores of different backends. */
function kindsDiffer(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  nodes: readonly SchemaNode[],
): boolean {
  const words = nodes.flatMap(({ properties = {} }) =>
    Object.keys(properties).filter((key) => properties[key]?.const !== undefined),
  );
  return words.some((key) => before[key] !== after[key]);
}

/** Returns the paths at which two values differ; a list counts as one value. */
function differences(before: unknown, after: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      differences(before[key], after[key], [...path, key]),
    );
  return isSame(before, after) ? [] : [path];
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
