// What a manifest says about the item that is downloaded: its facts, its pages, its table of contents.

import {
  canvasesOfRange,
  idOf,
  objectOf,
  objectsOf,
  plainText,
  type Resource,
  textOf,
} from "../../iiif/index.ts";
import type { FilledCanvas } from "../manifests/documents/downloads.ts";
import type { OutlineItem } from "./pdf/outline.ts";

/** A page of an item: a canvas. */
export interface ItemPage {
  /** Id of the canvas. */
  readonly id: string;
  /** Identifier of its image; absent if it has none. */
  readonly identifier?: string | undefined;
  readonly label: string;
  /** Why it has no image, if the manifest says so. */
  readonly problem?: string | undefined;
  readonly width: number;
  readonly height: number;
}

export interface Item {
  readonly id: string;
  readonly title: string;
  readonly publisher?: string | undefined;
  readonly rights?: string | undefined;
  readonly licence?: string | undefined;
  readonly isLeftward: boolean;
  readonly pages: readonly ItemPage[];
  /** The ranges of the manifest. */
  readonly ranges: readonly Resource[];
}

/** Returns the item of a manifest of Presentation API 3.0. */
export function itemOf(document: Resource, canvases: readonly FilledCanvas[]): Item {
  const [provider] = objectsOf(document.provider);
  return {
    id: String(document.id),
    title: textIn(document.label) ?? "",
    publisher: textIn(provider?.label),
    rights: textIn(objectOf(document.requiredStatement)?.value),
    licence: textOf(document.rights),
    isLeftward: document.viewingDirection === "right-to-left",
    pages: canvases.map(({ canvas, identifier }, at) => ({
      id: idOf(canvas) ?? "",
      ...(identifier !== undefined && { identifier }),
      label: textIn(canvas.label) ?? String(at + 1),
      problem: identifier === undefined ? textIn(canvas.summary) : undefined,
      width: sideOf(canvas.width),
      height: sideOf(canvas.height),
    })),
    ranges: objectsOf(document.structures),
  };
}

const sideOf = (value: unknown) => (typeof value === "number" && value >= 1 ? value : 1000);

/** Returns the English text of a language map, or that of its first language. */
function textIn(value: unknown): string | undefined {
  const map = objectOf(value);
  if (!map) return undefined;
  const english = Object.keys(map).find((language) => /^en(-|$)/i.test(language));
  const texts = map[english ?? Object.keys(map)[0] ?? ""];
  const [first] = Array.isArray(texts) ? texts : [];
  const text = typeof first === "string" ? plainText(first).replace(/\s+/g, " ").trim() : "";
  return text === "" ? undefined : text;
}

/** A table of contents is cut at these: nobody reads more. */
const bounds = { items: 5000, depth: 12 } as const;

/** Returns the table of contents of ranges. `pages`: index of each page that the file has, by its canvas. */
export function outlineOf(
  ranges: readonly Resource[],
  pages: ReadonlyMap<string, number>,
): readonly OutlineItem[] {
  let left: number = bounds.items;
  const walk = (resources: readonly Resource[], depth: number): OutlineItem[] => {
    if (depth === bounds.depth) return [];
    const items: OutlineItem[] = [];
    for (const range of resources) {
      const title = textIn(range.label);
      if (range.type !== "Range" || title === undefined || left-- <= 0) continue;
      const page = canvasesOfRange(range)
        .map((id) => pages.get(id))
        .find((index) => index !== undefined);
      items.push({ title, page, items: walk(objectsOf(range.items), depth + 1) });
    }
    return items;
  };
  return walk(ranges, 0);
}
