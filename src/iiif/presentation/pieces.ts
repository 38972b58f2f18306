// Parts of documents at addresses of their own: canvases, annotation pages, annotations, ranges (Presentation
// API 3.0, section 5).

import { withContext } from "./context.ts";
import type { Resource } from "./model.ts";

/** Members of a document that contain pieces with addresses. */
const holders = ["items", "structures", "annotations"] as const;

/**
 * Returns the part of a document of 3.0 whose id is an address, as a document of its own: with the context,
 * and for canvases and ranges with the manifest that they belong to. Returns undefined if there is none; mere
 * references do not count.
 */
export function pieceAt(document: Resource, address: string): Resource | undefined {
  const found = find(document, address);
  if (found === undefined || found === document) return undefined;
  const { "@context": context } = document;
  const inManifest = document.type === "Manifest" && (found.type === "Canvas" || found.type === "Range");
  const partOf = inManifest &&
    found.partOf === undefined && { partOf: [{ id: document.id, type: "Manifest" }] };
  const piece = { ...found, ...partOf };
  return context === undefined ? withContext(piece, false) : { "@context": context, ...piece };
}

function find(resource: Resource, address: string): Resource | undefined {
  // A reference has an id and a type, but no contents.
  if (resource.id === address && (Array.isArray(resource.items) || resource.body !== undefined))
    return resource;
  for (const holder of holders) {
    const held = resource[holder];
    if (!Array.isArray(held)) continue;
    for (const inner of held) {
      const found =
        typeof inner === "object" && inner !== null ? find(inner as Resource, address) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
