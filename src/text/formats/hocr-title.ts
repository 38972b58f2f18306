// Properties in the `title` of an element of hOCR (1.2, section 2.2): `bbox 0 0 10 10; image "a;b.tif"`.

import { type Edges, numberOf } from "./edges.ts";

const bbox = /(?:^|;)\s*bbox\s+([-+\d.eE]+)\s+([-+\d.eE]+)\s+([-+\d.eE]+)\s+([-+\d.eE]+)/;

/** Returns the box of an element; undefined if it has none or an empty one. */
export function titleBox(title: string | undefined): Edges | undefined {
  const found = bbox.exec(title ?? "");
  if (!found) return undefined;
  const [left, top, right, bottom] = [1, 2, 3, 4].map((at) => numberOf(found[at]));
  if (left === undefined || top === undefined || right === undefined || bottom === undefined)
    return undefined;
  return right > left && bottom > top ? [left, top, right, bottom] : undefined;
}

/** Returns the properties by name, without quotes; a semicolon between quotes ends none. */
export function titleProperties(title: string | undefined): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  for (const part of splitOutsideQuotes(title ?? "")) {
    const [, name, value] = /^\s*([\w-]+)(?:\s+(.*))?$/s.exec(part) ?? [];
    if (name && !properties.has(name))
      properties.set(name, (value ?? "").trim().replace(/^(["'])(.*)\1$/s, "$2"));
  }
  return properties;
}

function splitOutsideQuotes(title: string): string[] {
  const parts: string[] = [];
  let [start, quote] = [0, ""];
  for (let at = 0; at < title.length; at++) {
    const character = title[at]!;
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === ";") {
      parts.push(title.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, title.slice(start)];
}
