// The behaviours of Presentation API 3.0 (section 3.2), by resource type.

import { fault, inside, noteUnexpected, type Reader, unknownWord } from "./faults.ts";

export type DescribedType = "Collection" | "Manifest" | "Canvas" | "Range";

const all: readonly DescribedType[] = ["Collection", "Manifest", "Canvas", "Range"];
const ordered: readonly DescribedType[] = ["Collection", "Manifest", "Range"];

const validOn: Readonly<Record<string, readonly DescribedType[]>> = {
  "auto-advance": all,
  "no-auto-advance": all,
  repeat: ["Collection", "Manifest"],
  "no-repeat": ["Collection", "Manifest"],
  unordered: ordered,
  individuals: ordered,
  continuous: ordered,
  paged: ordered,
  "facing-pages": ["Canvas"],
  "non-paged": ["Canvas"],
  "multi-part": ["Collection"],
  together: ["Collection"],
  sequence: ["Range"],
  "thumbnail-nav": ["Range"],
  "no-nav": ["Range"],
};

/** Sets of which a resource has at most one value each. */
const disjoint: readonly (readonly string[])[] = [
  ["auto-advance", "no-auto-advance"],
  ["repeat", "no-repeat"],
  ["unordered", "individuals", "continuous", "paged"],
  ["facing-pages", "non-paged"],
  ["multi-part", "together"],
  ["sequence", "thumbnail-nav", "no-nav"],
];

/** Creates a reader of behaviours for a resource type: a word or a list of them. */
export function behaviorsOf(type: DescribedType): Reader<readonly string[]> {
  const known = Object.keys(validOn).filter((word) => validOn[word]?.includes(type));
  return (value, at) => {
    const list = (Array.isArray(value) ? value : [value]).map((item, index) => {
      const there = Array.isArray(value) ? inside(at, index) : at;
      if (typeof item !== "string") return noteUnexpected(there, "a behavior such as paged", item);
      if (known.includes(item)) return item;
      const owners = validOn[item];
      const what = owners ? `${item} is for ${owners.join(", ")}` : "unknown behavior";
      return owners ? fault(there, `${what}, not for a ${type}`) : unknownWord(there, what, item, known);
    });
    const words = list.filter((item) => item !== undefined);
    for (const set of disjoint) {
      const both = set.filter((word) => words.includes(word));
      if (both.length > 1) return fault(at, `${both.join(" and ")} exclude each other; expected one of them`);
    }
    return words.length === 0 ? undefined : words;
  };
}
