// The JSON-LD contexts of documents (Presentation API 3.0, section 4.6).

import { authContextUri } from "../image/info.ts";
import { textsOf } from "./json.ts";
import type { Resource } from "./model.ts";
import { versionOfContext } from "./version4.ts";

/** JSON-LD context of documents, by version. */
export const presentationContext = {
  2: "http://iiif.io/api/presentation/2/context.json",
  3: "http://iiif.io/api/presentation/3/context.json",
} as const;

/**
 * Returns a document of 3.0 with its context first: a list with that of Authorization Flow 2.0 if it names
 * such services.
 */
export function withContext(document: Resource, gated: boolean): Resource {
  return addContexts(document, gated ? authContextUri : undefined);
}

/**
 * Returns a document of 3.0 with additional contexts, an address or a list of them; its own comes last in the
 * list, which precedes all members.
 */
export function addContexts(document: Resource, further: unknown): Resource {
  const own = presentationContext[3];
  const { "@context": given, ...members } = document;
  // The contexts of two versions contradict each other.
  const others = [...textsOf(further), ...textsOf(given)].filter(
    (context) => versionOfContext(context) === undefined,
  );
  return { "@context": others.length > 0 ? [...new Set(others), own] : own, ...members };
}

/** Returns a document of 2.1 with its context first: unchanged if it has one. */
export function withContext2({ "@context": given, ...members }: Resource): Resource {
  const own = presentationContext[2];
  return { "@context": textsOf(given).includes(own) ? given : own, ...members };
}
