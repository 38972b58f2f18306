// Sound, films and models in a manifest: finds those that a viewer does not play, so that the page can say so
// and link to the files.

import { parseUrl } from "../../../base/index.ts";
import type { Resource } from "../../../iiif/index.ts";
import { listOf, type OpenedDocument } from "./opened.ts";
import type { ViewerName } from "./viewers.ts";

/**
 * Types of painting annotation bodies (Presentation API 3.0, section 3.1, `type`) that each viewer supports
 * in addition to images.
 */
const played: Readonly<Record<ViewerName, readonly string[]>> = { mirador: ["Sound", "Video"], uv: [] };

const kinds = ["Sound", "Video", "Model"];

/** Maximum number of linked files. */
const maxLinked = 5;

/**
 * Returns the addresses of files that a viewer does not play, or that the page's policy blocks: those of
 * other origins than `origins`. At most {@link maxLinked}.
 */
export function unplayedMedia(
  { document }: OpenedDocument,
  viewer: ViewerName,
  origins: readonly string[],
): readonly string[] {
  const found = new Set<string>();
  for (const { type, id } of bodiesOf(document)) {
    if (typeof type !== "string" || !kinds.includes(type) || typeof id !== "string") continue;
    const url = parseUrl(id);
    if (!url || !/^https?:$/.test(url.protocol)) continue;
    if (!played[viewer].includes(type) || !origins.includes(url.origin)) found.add(id);
    if (found.size === maxLinked) break;
  }
  return [...found];
}

/** Yields the bodies that paint the canvases of a manifest, and the items of choices. */
function* bodiesOf(manifest: Resource): Generator<Resource> {
  for (const canvas of listOf(manifest.items))
    for (const page of listOf(canvas.items))
      for (const { body } of listOf(page.items))
        for (const each of listOf([body].flat())) {
          yield each;
          yield* listOf(each.items);
        }
}
