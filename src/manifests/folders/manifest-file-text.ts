// Parses the text of a manifest file, in YAML 1.2 or JSON, and finds the position of each part.

import { isMap, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { Fault } from "../../iiif/presentation/description/faults.ts";

/** A fault of a manifest file in one line: `line 3, metadata.0.label: expected …`. */
export type LocatedFault = string;

export interface ReadText {
  /** Absent if the text is malformed. */
  readonly value?: unknown;
  readonly faults: readonly LocatedFault[];
  /** Adds positions to faults, as people look for them. */
  locate(faults: readonly Fault[]): readonly LocatedFault[];
}

/** Bytes of a text that is read as YAML, which takes a hundred times longer than JSON. */
export const mostYaml = 2 ** 20;

/** Most levels of a value: the deepest documents of the specification have about 20. */
const mostLevels = 64;

/**
 * Most values and characters of a value: resolved aliases can make it far larger than its text.
 */
const mostContents = 16 * 2 ** 20;

/** How often aliases of YAML may be resolved before they count as an attack. */
const mostAliases = 100;

/**
 * Parses a text; anything wrong with it becomes a fault. JSON is parsed as such, and as YAML only to locate
 * its faults.
 */
export function readText(text: string, isJson: boolean): ReadText {
  const value = isJson ? parsedJson(text) : undefined;
  if (text.length > mostYaml) {
    const faults = value === undefined ? [`expected JSON, since YAML has at most ${mostYaml} bytes`] : [];
    return value === undefined ? { faults, locate: locateNowhere } : checkValue(value, locateNowhere);
  }
  // The text is parsed once for all faults, and the result is dropped.
  if (value !== undefined) return checkValue(value, (faults) => documentOf(text).locate(faults));
  const { document, locate } = documentOf(text);
  const [error] = document.errors;
  // The parser is recursive, and reports a full stack with this code.
  if (error?.code === "RESOURCE_EXHAUSTION") return { faults: [tooDeep], locate };
  if (error) {
    const [message = ""] = error.message.split(/ at line \d+|\n/);
    return { faults: [`${lineOf(error.linePos?.[0].line)}${message}`], locate };
  }
  try {
    return checkValue(document.toJS({ maxAliasCount: mostAliases }), locate);
  } catch {
    return {
      faults: ["expected YAML with few aliases; received some that name each other many times"],
      locate,
    };
  }
}

function checkValue(value: unknown, locate: ReadText["locate"]): ReadText {
  const excess = excessOf(value);
  return excess === undefined ? { value, faults: [], locate } : { faults: [excess], locate };
}

const tooDeep = `expected at most ${mostLevels} levels of lists and keys; received more`;
const tooMuch = "expected YAML with few aliases; received some that make it too large";

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

const locateNowhere: ReadText["locate"] = (faults) => faults.map((fault) => faultText(fault));

const faultText = ({ path, message }: Fault, line?: number): LocatedFault =>
  `${lineOf(line)}${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`;

function documentOf(text: string) {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: true });
  const locate: ReadText["locate"] = (faults) =>
    faults.map((fault) => {
      const at = offsetOf(document.contents, fault.path);
      return faultText(fault, at === undefined ? undefined : lineCounter.linePos(at).line);
    });
  return { document, locate };
}

const lineOf = (line: number | undefined) => (line ? `line ${line}, ` : "");

/** Returns the start of the part at a path, or of the last existing part on the way to it. */
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

/** Returns why a value is too deep or too large; a value that contains itself is too deep. */
function excessOf(top: unknown): string | undefined {
  let left = mostContents;
  const look = (value: unknown, level: number): string | undefined => {
    left -= 1 + (typeof value === "string" ? value.length : 0);
    if (left < 0) return tooMuch;
    if (typeof value !== "object" || value === null) return undefined;
    if (level > mostLevels) return tooDeep;
    for (const inner of Object.values(value)) {
      const excess = look(inner, level + 1);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  return look(top, 0);
}
