// Creates ranges of Presentation API 3.0 (section 5.4) from an operator's description: images by name, runs
// of them, and nested ranges.

import { makeAbsolute, type Origin } from "../addresses.ts";
import { isThere } from "../json.ts";
import type { Resource } from "../model.ts";
import { pieceAddress } from "../mounts.ts";
import type { Named, RangeDescription } from "./description.ts";
import { type Fault, fault, quote } from "./faults.ts";

export interface RangeContext {
  readonly origin: Origin;
  /** Addresses of the visible canvases, in order. */
  readonly canvases: readonly string[];
  /** Returns the addresses of the named canvases; empty, after a fault, if none is visible. */
  readonly find: (named: Named) => readonly string[];
  readonly faults: Fault[];
}

/** Returns the ranges, numbered in the order of the description, without empty ones. */
export function structuresOf(
  descriptions: readonly RangeDescription[],
  shown: RangeContext,
): readonly Resource[] {
  let count = 0;
  const writeRange = (description: RangeDescription): Resource | undefined => {
    const { members, items, run, start } = description;
    count++;
    const id = pieceAddress(shown.origin.document, { kind: "range", number: count });
    const inner = items
      .flatMap((item) => {
        if (isRange(item)) return writeRange(item);
        return isNamed(item) ? shown.find(item).map(canvasAt) : makeAbsolute(item, shown.origin);
      })
      .filter(isThere);
    const held = [...(run ? runOf(run, description, shown) : []), ...inner];
    if (held.length === 0) return undefined;
    const [first] = start ? shown.find(start).map(canvasAt) : [];
    return {
      id,
      type: "Range",
      ...makeAbsolute(members, shown.origin),
      ...(first && { start: first }),
      items: held,
    };
  };
  return descriptions.map(writeRange).filter(isThere);
}

const canvasAt = (id: string): Resource => ({ id, type: "Canvas" });

function runOf(
  [from, to]: readonly [Named, Named],
  { path }: RangeDescription,
  { canvases, find, faults }: RangeContext,
) {
  const [first, last] = [find(from)[0], find(to).at(-1)];
  if (first === undefined || last === undefined) return [];
  const [begin, end] = [canvases.indexOf(first), canvases.indexOf(last)];
  if (begin > end) fault({ path, faults }, `${quote(from.name)} comes after ${quote(to.name)}`);
  return canvases.slice(begin, end + 1).map(canvasAt);
}

const isNamed = (item: RangeDescription["items"][number]): item is Named => "path" in item && "name" in item;
const isRange = (item: RangeDescription["items"][number]): item is RangeDescription =>
  "path" in item && "members" in item;
