// Converts ranges: the flat list of Presentation API 2.1 (section 5.7), whose ranges name each other, becomes
// the tree of 3.0.

import { idOf, isThere, objectsOf, present } from "../../json.ts";
import type { Resource } from "../../model.ts";
import { listOf, properties3, typeOf } from "./properties.ts";

/** Maximum nesting of ranges; deeper ones are listed at the top. */
const maxLevels = 32;

/**
 * Returns the top ranges of a list, each with its contents. A range appears only once: in the first range
 * that names it.
 */
export function structures3(structures: unknown): readonly Resource[] {
  const all = objectsOf(structures).filter((range) => idOf(range) !== undefined);
  const byId = new Map(all.map((range) => [idOf(range) as string, range]));
  const children = new Map(all.map((range) => [range, childrenOf(range)]));
  // Earlier versions named the parent range instead of the children.
  for (const range of all)
    for (const whole of listOf(range.within)) {
      const around = children.get(byId.get(idOf(whole) ?? "") ?? {});
      around?.members.add(idOf(range) as string);
      around?.ranges.add(idOf(range) as string);
    }
  const inner = new Set([...children.values()].flatMap(({ ranges }) => [...ranges]));
  const nested = new Set<Resource>();
  const read = (range: Resource, level: number): Resource | undefined => {
    if (nested.has(range)) return undefined;
    nested.add(range);
    const items = [...(children.get(range)?.members ?? [])].map((id) => {
      if (!children.get(range)?.ranges.has(id)) return canvas3(id);
      const child = byId.get(id);
      return child && level < maxLevels ? read(child, level + 1) : { id, type: "Range" };
    });
    const { partOf: _, ...described } = properties3(range, "Range");
    const start = idOf(range.startCanvas);
    return {
      id: idOf(range),
      type: "Range",
      ...described,
      ...present({ start: start === undefined ? undefined : canvas3(start) }),
      items: items.filter(isThere),
    };
  };
  const tops = all.filter((range) => !inner.has(idOf(range) as string));
  // Ranges in a circle have no top: reading starts at the first one.
  return [...tops, ...all].map((range) => read(range, 1)).filter(isThere);
}

/** Returns the contents of a range in order: canvases, and ids of ranges. */
function childrenOf({ members, canvases, ranges }: Resource) {
  const idsOf = (list: unknown) => listOf(list).map(idOf).filter(isThere);
  const inner = new Set([
    ...idsOf(listOf(members).filter((each) => typeOf(each) === "Range")),
    ...idsOf(ranges),
  ]);
  return { members: new Set([...idsOf(members), ...idsOf(canvases), ...inner]), ranges: inner };
}

/** Returns a canvas, or a part of one by the fragment of its address. */
export function canvas3(address: string): Resource {
  const [id = "", ...fragment] = address.split("#");
  if (fragment.length === 0) return { id, type: "Canvas" };
  return {
    type: "SpecificResource",
    source: { id, type: "Canvas" },
    selector: {
      type: "FragmentSelector",
      conformsTo: "http://www.w3.org/TR/media-frags/",
      value: fragment.join("#"),
    },
  };
}
