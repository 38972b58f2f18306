// Which requests open something in the window of a reader, as opposed to those of viewers and scripts.

/** What strangers prove work for: a page for people, or a whole item or a large image. */
export type ProofKind = "page" | "download";

/**
 * True if a browser's window opens the address (Fetch Metadata Request Headers, section 2.1), or seems to:
 * over HTTP, browsers send no such headers, but prefer HTML. Never for a request of a script of another
 * origin, nor for a part of a file.
 */
export function isNavigation(method: string, headers: Headers): boolean {
  if (method !== "GET" || headers.has("Origin") || headers.has("Range")) return false;
  const destination = headers.get("Sec-Fetch-Dest");
  if (destination !== null) return destination === "document";
  return /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:[,;]|$)/i.test(headers.get("Accept") ?? "");
}
