// Finds the documents of which an export has nothing: a manifest has at least one canvas (Presentation API
// 3.0, section 5.2), and a collection without any of its members leads nowhere.

import { objectsOf, type Resource, textOf } from "../../../iiif/index.ts";
import type { LeftOutNotes } from "./left-out.ts";
import { documentAt, isShown, paintedImagesOf } from "./rewrite.ts";

export interface ContentsParts {
  /** Public URL in the documents. */
  readonly from: string;
  /** Exported images. */
  readonly images: { has(identifier: string): boolean };
  readonly leftOut: Pick<LeftOutNotes, "hasImage">;
}

/** `gated`: readers with a login see something in it; `missing`: its images could not be exported. */
export type EmptyReason = "gated" | "missing";

export interface Contents {
  add(id: string, document: Resource): void;
  /** Returns the documents that have nothing left. `hasDocument`: true for those that there are. */
  empty(hasDocument: (id: string) => boolean): ReadonlyMap<string, EmptyReason>;
}

export function createContents({ from, images, leftOut }: ContentsParts): Contents {
  const empty = new Map<string, EmptyReason>();
  /** Members of collections that have no other members than documents of the service. */
  const members = new Map<string, readonly string[]>();
  const isGated = (canvas: Resource) =>
    paintedImagesOf(canvas, from).some((image) => image !== undefined && leftOut.hasImage(image));
  return {
    add(id, document) {
      const items = objectsOf(document.items);
      if (document.type === "Manifest") {
        if (!items.some((canvas) => isShown(canvas, { from, images })))
          empty.set(id, items.some(isGated) ? "gated" : "missing");
        return;
      }
      if (document.type !== "Collection" || items.length === 0) return;
      const ids = items.map((item) =>
        Array.isArray(item.items) ? undefined : documentAt(textOf(item.id) ?? "", from),
      );
      if (ids.every((each) => each !== undefined)) members.set(id, ids);
    },
    empty(hasDocument) {
      for (let size = -1; size !== empty.size; ) {
        size = empty.size;
        for (const [id, ids] of members) {
          if (empty.has(id) || ids.some((each) => hasDocument(each) && !empty.has(each))) continue;
          empty.set(id, ids.every((each) => empty.get(each) === "missing") ? "missing" : "gated");
        }
      }
      return empty;
    },
  };
}
