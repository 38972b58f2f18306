// Makes addresses in operators' documents absolute for the public URL of a request.

import type { Resource } from "./model.ts";
import { inVersion, type PresentationVersion, spellAddress } from "./mounts.ts";

/**
 * Members whose texts are addresses, by version, in addition to the ids; `target`, `source`, `on` and `full`
 * are those of annotations.
 */
const addressed: Readonly<Record<PresentationVersion, ReadonlySet<string>>> = {
  3: new Set("id @id target source first last next prev".split(" ")),
  2: new Set(
    "@id on full within related rendering seeAlso thumbnail logo startCanvas canvases ranges first last next prev".split(
      " ",
    ),
  ),
};

export interface Origin {
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Address of the document. */
  readonly document: string;
  /** The document's own id, if it is another address. */
  readonly called?: string;
  /**
   * Version of the value, and of the service's documents that it names; absent for 3.0, with names left
   * unchanged.
   */
  readonly version?: PresentationVersion;
}

/**
 * Returns a value with all addresses absolute: those that begin with / are paths of the service, other ones
 * without a scheme are below the document. Those of the service's documents get their one spelling.
 */
export function makeAbsolute<T>(value: T, origin: Origin): T {
  return walk(value, origin) as T;
}

function walk(value: unknown, origin: Origin): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, origin));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Resource).map(([key, inner]) => {
      // Properties of GeoJSON are facts about a place, in any words.
      if (key === "properties") return [key, inner];
      if (!addressed[origin.version ?? 3].has(key)) return [key, walk(inner, origin)];
      if (typeof inner === "string") return [key, absoluteAddress(inner, origin)];
      // A list under `id` is a text in Indonesian.
      const texts = key !== "id" && Array.isArray(inner) && inner.every((item) => typeof item === "string");
      return [key, texts ? inner.map((item) => absoluteAddress(item, origin)) : walk(inner, origin)];
    }),
  );
}

function absoluteAddress(address: string, { base, document, called, version }: Origin): string {
  if (address === "" || address === called) return document;
  const own = spellAddress(address.startsWith("/") ? base + address : address, base);
  if (/^[a-z][a-z0-9+.-]*:/i.test(own)) return version === undefined ? own : inVersion(own, base, version);
  return address.startsWith("#") ? document + address : `${document}/${address}`;
}
