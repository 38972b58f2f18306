// Addresses that operators wrote in documents, made absolute for the public URL that a request came by.

import type { Resource } from "./model.ts";

/** Members whose texts are addresses, beside the ids; `target` and `source` are those of annotations. */
const addressed = new Set(["id", "@id", "target", "source", "first", "last", "next", "prev"]);

export interface Origin {
  /** Public URL of the service, without a / at its end. */
  readonly base: string;
  /** Address of the document. */
  readonly document: string;
  /** What the document calls itself, where that is another address. */
  readonly called?: string;
}

/**
 * A value with all addresses absolute: those that begin with / are paths of the service, other ones without a scheme are below the
 * document.
 */
export function absolute<T>(value: T, origin: Origin): T {
  return walk(value, origin) as T;
}

function walk(value: unknown, origin: Origin): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, origin));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as Resource).map(([key, inner]) => {
      if (!addressed.has(key)) return [key, walk(inner, origin)];
      if (typeof inner === "string") return [key, absoluteAddress(inner, origin)];
      // Under `id` a list is a text in Indonesian.
      const texts =
        key === "target" && Array.isArray(inner) && inner.every((item) => typeof item === "string");
      return [key, texts ? inner.map((item) => absoluteAddress(item, origin)) : walk(inner, origin)];
    }),
  );
}

function absoluteAddress(address: string, { base, document, called }: Origin): string {
  if (address === "" || address === called) return document;
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return address;
  if (address.startsWith("/")) return base + address;
  return address.startsWith("#") ? document + address : `${document}/${address}`;
}
