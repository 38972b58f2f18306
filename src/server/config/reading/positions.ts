// Positions of configuration keys in the text of a file.

import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from "yaml";
import type { Position } from "../../../base/index.ts";

/**
 * Finds the position of a key or of an item of a list; for one that is not written, the nearest enclosing
 * one, or undefined. Aliases are resolved. `counter`: the one that the document was parsed with.
 */
export function createFinder(document: Document, counter: LineCounter) {
  return (path: readonly PropertyKey[]): Position | undefined => {
    let node: unknown = document.contents;
    let start: number | undefined;
    for (const key of path) {
      const found = memberOf(isAlias(node) ? node.resolve(document) : node, key);
      if (found === undefined) break;
      node = found.value;
      start = found.start ?? start;
    }
    if (start === undefined) return undefined;
    const { line, col } = counter.linePos(start);
    return { line, column: col };
  };
}

/** Returns a member of a map or a list, with its offset. */
function memberOf(node: unknown, key: PropertyKey) {
  if (isMap(node)) {
    const pair = node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
    return pair && { value: pair.value, start: startOf(pair.key as Node) };
  }
  const item = isSeq(node) ? node.items[Number(key)] : undefined;
  return isNode(item) ? { value: item, start: startOf(item) } : undefined;
}

const startOf = (node: Node): number | undefined => node.range?.[0];
