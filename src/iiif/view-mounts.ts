// The addresses of pages that show documents in a viewer, which no other file spells out.

import { stateParameter } from "./content-state/mounts.ts";
import { encodeSegments, presentationRoot } from "./presentation/mounts.ts";

/** Path of the page of the root collection, without a trailing /; all other paths follow after a /. */
export const viewPath = "/view";

/**
 * Returns the address of the page that shows a document, by the document's identifier; "" is the root
 * collection. `base`: the public URL of the service, without a trailing /.
 */
export function viewAddress(base: string, id: string): string {
  return `${base}${viewPath}/${encodeSegments(id)}`;
}

/** Returns the address of the page that opens a content state, in its encoded form. */
export function stateViewAddress(base: string, encoded: string): string {
  return `${base}${viewPath}/?${stateParameter}=${encoded}`;
}

/**
 * Returns the address of the page that shows a document, by the address of the document in version 3;
 * undefined for external documents.
 */
export function viewOfDocument(base: string, document: string): string | undefined {
  const root = base + presentationRoot[3];
  const rest = document.slice(root.length);
  if (!document.startsWith(root) || !/^($|\/)/.test(rest)) return undefined;
  return `${base}${viewPath}${rest || "/"}`;
}
