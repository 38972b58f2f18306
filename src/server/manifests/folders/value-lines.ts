// The line of each part of a value that was read from YAML, as two arrays, which a worker can send.

import { type Document, isCollection, isMap, isNode, isScalar, isSeq, type LineCounter } from "yaml";
import { maxJsonLevels } from "../../../base/index.ts";

/** Parts in the order of a walk through the value: each before its members, members in their order. */
export interface ValueLines {
  /** Line of each part, from 1: of its key, if it has one. */
  readonly lines: Int32Array;
  /** Number of parts that each consists of, itself included. */
  readonly sizes: Int32Array;
}

/** Most parts and characters of a value: resolved aliases can make it far larger than its text. */
const max = { parts: 2 ** 20, characters: 16 * 2 ** 20 } as const;

/** Why a value is refused. */
export type Excess = "too deep" | "too large";

/** Returns the lines of a value; a value that contains itself is too deep. */
export function linesOf(value: unknown, document: Document, counter: LineCounter): ValueLines | Excess {
  const lines: number[] = [];
  const sizes: number[] = [];
  let characters = 0;
  const lineOf = (node: unknown, otherwise: number) =>
    isNode(node) && node.range ? Math.max(1, counter.linePos(node.range[0]).line) : otherwise;

  /** `level`: number of lists and objects around the part. The members of an alias have its line. */
  const walk = (part: unknown, node: unknown, line: number, level: number): Excess | undefined => {
    const at = lines.push(line) - 1;
    sizes.push(1);
    characters += typeof part === "string" ? part.length : 0;
    if (at >= max.parts || characters > max.characters) return "too large";
    if (typeof part !== "object" || part === null) return undefined;
    if (level > maxJsonLevels) return "too deep";
    for (const { child, node: inner, key } of membersOf(part, node)) {
      const excess = walk(child, inner, lineOf(key, lineOf(inner, line)), level + 1);
      if (excess) return excess;
    }
    sizes[at] = lines.length - at;
    return undefined;
  };
  const excess = walk(value, document.contents, lineOf(document.contents, 1), 0);
  return excess ?? { lines: Int32Array.from(lines), sizes: Int32Array.from(sizes) };
}

interface Member {
  readonly child: unknown;
  readonly node?: unknown;
  readonly key?: unknown;
}

/** Returns the members of a list or an object with their nodes. */
function membersOf(part: object, node: unknown): Member[] {
  if (Array.isArray(part))
    return part.map((child, index) => ({ child, node: isSeq(node) ? node.items[index] : undefined }));
  const pairs = new Map(
    isMap(node)
      ? node.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value ?? "") : "", pair])
      : [],
  );
  return Object.entries(part).map(([name, child]) => {
    const pair = pairs.get(name);
    return { child, node: pair?.value, key: isCollection(pair?.key) ? undefined : pair?.key };
  });
}

/** Returns the lines of the parts at some paths, or of the last existing parts on the way to them. */
export function linesAt(
  value: unknown,
  { lines, sizes }: ValueLines,
  paths: readonly (readonly PropertyKey[])[],
): readonly number[] {
  const known = new Map<number, ReadonlyMap<string, number>>();
  /** Indexes of the members of a list or an object by their names. */
  const indexesIn = (part: object, at: number) => {
    const found = known.get(at);
    if (found) return found;
    let next = at + 1;
    const indexes = new Map<string, number>();
    for (const name of Object.keys(part)) {
      indexes.set(name, next);
      next += sizes[next] ?? 1;
    }
    known.set(at, indexes);
    return indexes;
  };
  return paths.map((path) => {
    let [part, at] = [value, 0];
    for (const step of path) {
      const next: number | undefined =
        typeof part === "object" && part !== null ? indexesIn(part, at).get(String(step)) : undefined;
      if (next === undefined) break;
      at = next;
      part = (part as Readonly<Record<PropertyKey, unknown>>)[step];
    }
    return lines[at] ?? 1;
  });
}
