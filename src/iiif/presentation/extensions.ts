// JSON-LD contexts of extensions of Presentation API 3.0, which precede its own (section 4.6).

import { objectsOf, textsOf } from "./json.ts";
import type { Resource } from "./model.ts";

export const extensionContext = {
  navPlace: "http://iiif.io/api/extension/navplace/context.json",
  georeference: "http://iiif.io/api/extension/georef/1/context.json",
  textGranularity: "http://iiif.io/api/extension/text-granularity/context.json",
} as const;

/** Motivation of annotations that put a map on its place on Earth. */
export const georeferencing = "georeferencing";

/** True if a page has annotations that put maps on their places, and no others. */
export function isOfMaps({ items }: Resource): boolean {
  const all = objectsOf(items);
  return all.length > 0 && all.every(({ motivation }) => textsOf(motivation).includes(georeferencing));
}

/** Returns the contexts of the extensions that parts of a document use. Nested ranges are looked into. */
export function extensionContexts(parts: readonly Resource[]): readonly string[] {
  const hasNavPlace = (part: Resource): boolean =>
    part.navPlace !== undefined || (part.type === "Range" && objectsOf(part.items).some(hasNavPlace));
  const hasMap = ({ annotations }: Resource) => objectsOf(annotations).some(isOfMaps);
  return [
    ...(parts.some(hasNavPlace) ? [extensionContext.navPlace] : []),
    ...(parts.some(hasMap) ? [extensionContext.georeference] : []),
  ];
}
