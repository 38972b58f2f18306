// The JSON-LD contexts of documents (Presentation API 3.0, section 4.6).

import { authContextUri } from "../image/info.ts";
import type { Resource } from "./model.ts";

/** The JSON-LD context of documents, by version. */
export const presentationContext = {
  2: "http://iiif.io/api/presentation/2/context.json",
  3: "http://iiif.io/api/presentation/3/context.json",
} as const;

/** A document of 3.0 with its context in front: a list with that of Authorization Flow 2.0 where it names such services. */
export function withContext(document: Resource, gated: boolean): Resource {
  const own = presentationContext[3];
  return { "@context": gated ? [authContextUri, own] : own, ...document };
}
