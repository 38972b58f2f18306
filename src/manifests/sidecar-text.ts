// The text of a manifest file as a value, in YAML 1.2 or JSON, and where in it each part stands.

import { isMap, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { Fault } from "../iiif/presentation/faults.ts";

/** A fault of a manifest file in one line: `line 3, metadata.0.label: expected …`. */
export type LocatedFault = string;

export interface ReadText {
  /** Absent where the text is not well-formed. */
  readonly value?: unknown;
  readonly faults: readonly LocatedFault[];
  /** Where a fault is, as people look for it. */
  locate(fault: Fault): LocatedFault;
}

/** Levels that a value may have: the deepest documents of the specification have about 20. */
const mostLevels = 64;

/** Aliases of YAML may be resolved so often before they count as an attack. */
const mostAliases = 100;

/** Reads a text; what is wrong with it becomes a fault, whatever it holds. JSON is read as such, and as YAML only to find its faults. */
export function readText(text: string, isJson: boolean): ReadText {
  const value = isJson ? parsedJson(text) : undefined;
  if (value !== undefined) return checked(value, (fault) => documentOf(text).locate(fault));
  const { document, locate } = documentOf(text);
  const [error] = document.errors;
  // The parser calls itself for each level, and says so of a stack that is full.
  if (error?.code === "RESOURCE_EXHAUSTION") return { faults: [tooDeep], locate };
  if (error) {
    const [message = ""] = error.message.split(/ at line \d+|\n/);
    return { faults: [`${lineOf(error.linePos?.[0].line)}${message}`], locate };
  }
  try {
    return checked(document.toJS({ maxAliasCount: mostAliases }), locate);
  } catch {
    return {
      faults: ["expected YAML with few aliases; received some that name each other many times"],
      locate,
    };
  }
}

function checked(value: unknown, locate: ReadText["locate"]): ReadText {
  if (levelsOf(value) <= mostLevels) return { value, faults: [], locate };
  return { faults: [tooDeep], locate };
}

const tooDeep = `expected at most ${mostLevels} levels of lists and keys; received more`;

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function documentOf(text: string) {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: true });
  const locate = ({ path, message }: Fault): LocatedFault => {
    const at = offsetOf(document.contents, path);
    const where = path.length > 0 ? `${path.join(".")}: ` : "";
    return `${lineOf(at === undefined ? undefined : lineCounter.linePos(at).line)}${where}${message}`;
  };
  return { document, locate };
}

const lineOf = (line: number | undefined) => (line ? `line ${line}, ` : "");

/** Where the part that a path leads to begins, or the last part on its way that is there. */
function offsetOf(top: Node | null, path: Fault["path"]): number | undefined {
  let node: unknown = top;
  let offset = top?.range?.[0];
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(key) === String(step));
      if (!pair) break;
      offset = (pair.key as Node | null)?.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(step)] as Node | undefined;
      if (!item) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

/** The depth of a value, which stops being counted beyond the bound. */
function levelsOf(value: unknown): number {
  let level = 0;
  let values: unknown[] = [value];
  while (values.length > 0 && level <= mostLevels) {
    values = values.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (values.length > 0) level++;
  }
  return level;
}
