// Cached bodies of documents that are the same for all callers, so that each is written once.

import { createLru } from "../../../base/index.ts";
import type { PresentationVersion } from "../../../iiif/index.ts";
import type { Presented } from "../../manifests/manifests.ts";
import { bodyOf, type DocumentBody } from "./body.ts";

/** Returns the body of a document, as made by `bodyOf`. */
export type Bodies = (
  presented: Pick<Presented, "make" | "stamp" | "lasts">,
  version: PresentationVersion,
  type: string,
  base: string,
) => Promise<DocumentBody | undefined>;

/** Total size of cached bodies in bytes: ten manifests of 1,000 canvases. */
const cacheBytes = 16 * 2 ** 20;

/** Bytes that a body takes in addition to its text. */
const overhead = 512;

/** Creates a cache of bodies for documents that have a stamp. */
export function rememberBodies(): Bodies {
  const cache = createLru<string, DocumentBody>(cacheBytes);
  return async ({ make, stamp, lasts }, version, type, base) => {
    const form = { version, type, base };
    if (stamp === undefined) return bodyOf(await make(), form, undefined);
    const key = JSON.stringify([stamp, version, type, base]);
    const known = cache.get(key);
    if (known) return known;
    const keep = (body: DocumentBody, weight: number) => {
      if (lasts()) cache.set(key, body, weight + overhead);
    };
    const body = await bodyOf(await make(), form, keep);
    if (body?.bytes instanceof Uint8Array) keep(body, body.bytes.length);
    return body;
  };
}
