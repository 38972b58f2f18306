// Regions of selectors (Web Annotation Data Model, section 4.2; IIIF annotation selectors of Presentation
// 3.0).

import { objectOf } from "../presentation/json.ts";
import { parseRegion, type Region } from "./region.ts";
import { boxOf } from "./svg-box.ts";

type Selector = Readonly<Record<string, unknown>>;

/** Side of the square around a point, in canvas pixels. */
const pointSide = 512;

/** Readers by type: they return a region, `whole` for the whole, or undefined if it cannot be determined. */
const readers: Readonly<Record<string, (selector: Selector) => Region | "whole" | undefined>> = {
  FragmentSelector: ({ value }) => (typeof value === "string" ? fragmentRegion(value) : undefined),
  PointSelector: ({ x, y }) => (isNumber(x) && isNumber(y) ? aroundPoint(x, y) : undefined),
  SvgSelector: ({ value, chars }) => {
    const svg = value ?? chars;
    const box = typeof svg === "string" ? boxOf(svg) : undefined;
    return box && toRegion(box.left, box.top, box.right, box.bottom);
  },
  ImageApiSelector: ({ region }) => imageRegion(region),
};

export interface Selected {
  readonly region?: Region;
  /** Types of the selectors if none has a readable region; absent if one does, or there are none. */
  readonly unread?: readonly string[];
}

/**
 * Returns what the selector of a target or a list of them selects: the region of the first that names one.
 * Missing selectors select nothing. `typeOf`: the type of a selector.
 */
export function selectedPart(
  selector: unknown,
  typeOf: (selector: Selector) => string | undefined,
): Selected {
  const unread = new Set<string>();
  if (Array.isArray(selector) && selector.length === 0) unread.add("empty list");
  for (const each of [selector ?? []].flat().flatMap(alternatives)) {
    const one = objectOf(each);
    if (!one) {
      unread.add(each === null ? "null" : Array.isArray(each) ? "list" : typeof each);
      continue;
    }
    const type = typeOf(one) ?? "selector without type";
    const read = Object.hasOwn(readers, type) ? readers[type]?.(one) : undefined;
    if (read === "whole") return {};
    if (read !== undefined) return { region: read };
    unread.add(type.slice(0, 40));
  }
  return unread.size > 0 ? { unread: [...unread].slice(0, 10) } : {};
}

/** Returns the selectors of a choice in version 2. */
function alternatives(selector: unknown): readonly unknown[] {
  const { default: first, item = [] } = objectOf(selector) ?? {};
  if (first === undefined) return [selector];
  return [first, item].flat();
}

/** Returns the region of a media fragment, ignoring its time. */
export function fragmentRegion(fragment: string): Region | undefined {
  for (const part of fragment.split("&")) {
    const [name, value = ""] = part.split("=", 2);
    if (name !== "xywh") continue;
    try {
      return parseRegion(decodeURIComponent(value));
    } catch {
      return undefined; // broken percent-encoding
    }
  }
  return undefined;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** Returns a square centred at the point, without the part beyond the upper and left edges of the canvas. */
function aroundPoint(x: number, y: number): Region | undefined {
  if (x < 0 || y < 0) return undefined;
  return toRegion(x - pointSide / 2, y - pointSide / 2, x + pointSide / 2, y + pointSide / 2);
}

/** Returns the whole pixels that a box touches; a line is one pixel wide. */
function toRegion(left: number, top: number, right: number, bottom: number): Region | undefined {
  const [x, y] = [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top))];
  const [w, h] = [Math.ceil(right) - x, Math.ceil(bottom) - y];
  if (w < 0 || h < 0) return undefined;
  return parseRegion([x, y, Math.max(1, w), Math.max(1, h)].join(","));
}

/**
 * Returns the region of an image request; `square` depends on the size of the image, which is unknown here.
 */
function imageRegion(region: unknown): Region | "whole" | undefined {
  if (region === undefined || region === "full") return "whole";
  return typeof region === "string" ? parseRegion(region.replace(/^pct:/, "percent:")) : undefined;
}
