// The addresses of pages that show documents in a viewer. No other file spells them.

import { stateParameter } from "./content-state/mounts.ts";
import { encodeIdentifier } from "./image/path.ts";
import { presentationRoot } from "./presentation/mounts.ts";

/** Path of the page of the root collection, without a / at its end; those of all else follow behind a /. */
export const viewPath = "/view";

/**
 * Address of the page that shows a document, by the document's identifier; "" is the root collection. `base`:
 * the public URL of the service, without a / at its end.
 */
export function viewAddress(base: string, id: string): string {
  return `${base}${viewPath}/${id.split("/").map(encodeIdentifier).join("/")}`;
}

/** Address of the page that opens a content state, in its encoded form. */
export function stateViewAddress(base: string, encoded: string): string {
  return `${base}${viewPath}/?${stateParameter}=${encoded}`;
}

/**
 * Address of the page that shows a document, by the address of the document in version 3; undefined for those
 * of others.
 */
export function viewOfDocument(base: string, document: string): string | undefined {
  const root = base + presentationRoot[3];
  const rest = document.slice(root.length);
  if (!document.startsWith(root) || !/^($|\/)/.test(rest)) return undefined;
  return `${base}${viewPath}${rest || "/"}`;
}
