// Offsets of parts of a JSON text, without a tree of it.

import { endOfString, jsonUnits } from "./json.ts";

interface Sought {
  readonly inside: Map<string, Sought>;
  offset?: number;
}

/**
 * Returns the offsets of the parts at some paths in a valid JSON text, in one pass: of the name of a member,
 * or of an item; for a part that does not exist, those of the last existing part on the way to it. The last
 * of several members of one name counts.
 */
export function locateInJson(text: string, paths: readonly (readonly PropertyKey[])[]): readonly number[] {
  const top: Sought = { inside: new Map(), offset: Math.max(0, text.search(/\S/)) };
  for (const path of paths) {
    let at = top;
    for (const step of path) {
      const next: Sought = at.inside.get(String(step)) ?? { inside: new Map() };
      at.inside.set(String(step), next);
      at = next;
    }
  }
  markOffsets(text, top);
  return paths.map((path) => {
    let [at, offset] = [top, top.offset as number];
    for (const step of path) {
      at = at.inside.get(String(step)) as Sought;
      if (at.offset === undefined) break;
      offset = at.offset;
    }
    return offset;
  });
}

/** An open list or object. Nothing is sought inside if `sought` is undefined. */
interface Open {
  readonly sought: Sought | undefined;
  /** Index of the next item; undefined in an object. */
  index: number | undefined;
  /** True if the next string is the name of a member. */
  expectsName: boolean;
  /** What is sought in the member whose name was read last. */
  member?: Sought | undefined;
}

const { quote, colon, comma, openList, closeList, openObject, closeObject } = jsonUnits;

function markOffsets(text: string, top: Sought): void {
  const open: Open[] = [];
  let at = 0;
  const steps: { readonly [unit: number]: (parent: Open | undefined) => void } = {
    [quote](parent) {
      const start = at;
      at = endOfString(text, start);
      if (!parent?.expectsName) return void begin(parent, top, start);
      parent.expectsName = false;
      // Only names of objects in which something is sought are worth parsing.
      const name = parent.sought && (JSON.parse(text.slice(start, at + 1)) as string);
      parent.member = name === undefined ? undefined : mark(parent.sought?.inside.get(name), start);
    },
    [openList]: (parent) => void open.push({ sought: begin(parent, top, at), index: 0, expectsName: false }),
    [openObject]: (parent) =>
      void open.push({ sought: begin(parent, top, at), index: undefined, expectsName: true }),
    [closeList]: () => void open.pop(),
    [closeObject]: () => void open.pop(),
    [comma](parent) {
      if (parent?.index !== undefined) parent.index++;
      else if (parent) parent.expectsName = true;
    },
    [colon]() {},
  };
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= space) continue;
    const step = steps[unit];
    if (step) step(open.at(-1));
    else {
      begin(open.at(-1), top, at);
      while (isInWord(text.charCodeAt(at + 1))) at++;
    }
  }
}

const space = 0x20;

/** True for units within numbers, true, false and null. */
const isInWord = (unit: number) =>
  unit > space && unit !== comma && unit !== closeList && unit !== closeObject;

/** Returns what is sought in a value that begins at an offset, and marks the offset of an item. */
function begin(parent: Open | undefined, top: Sought, offset: number): Sought | undefined {
  if (!parent) return top;
  if (parent.index === undefined) return parent.member;
  return mark(parent.sought?.inside.get(String(parent.index)), offset);
}

function mark(sought: Sought | undefined, offset: number): Sought | undefined {
  if (sought) sought.offset = offset;
  return sought;
}
