// Image API paths: which resource of which identifier (Image API 3.0 sections 2, 3 and 9; 2.1 alike).

import { plainSegments, ServiceError } from "../../base/index.ts";
import type { ImageSegments } from "./grammar.ts";

/**
 * The resource that a path names. Identifiers and segments are decoded; identifiers have passed {@link
 * checkIdentifier}.
 */
export type ImagePath =
  | { readonly kind: "info"; readonly identifier: string }
  | { readonly kind: "base"; readonly identifier: string }
  | ({ readonly kind: "image"; readonly identifier: string } & ImageSegments);

/**
 * Splits the raw request path after the mount prefix (still encoded, without its query). Consecutive `/`
 * count as one, the split at `/` precedes decoding, and each segment is decoded once. Five or more segments
 * are an image, a final `info.json` is image information, everything else the base URI, which may end in `/`.
 *
 * Throws ServiceError `bad-request` (`bad_encoding`) for broken percent-encoding, `not-found` for identifiers
 * that {@link checkIdentifier} refuses and for paths that name nothing.
 */
export function splitImagePath(rawPath: string): ImagePath {
  const segments = rawSegments(rawPath).map(decode);
  const kind = kindOf(segments.length, segments.at(-1));
  if (kind === "base") return { kind: "base", identifier: checkIdentifier(segments.join("/")) };
  if (rawPath.endsWith("/")) {
    throw new ServiceError(
      "not-found",
      "Expected a path without a / at its end; received one with it. Remove the last /.",
      { code: "no_such_resource" },
    );
  }
  if (kind === "info") return { kind: "info", identifier: checkIdentifier(segments.slice(0, -1).join("/")) };
  const [region = "", size = "", rotation = "", file = ""] = segments.slice(-4);
  const identifier = checkIdentifier(segments.slice(0, -4).join("/"));
  return { kind: "image", identifier, region, size, rotation, file };
}

/**
 * Returns the identifier that a whole raw path spells, as {@link splitImagePath} reads it; "" if it has no
 * segment. Throws the same errors.
 */
export function identifierOf(rawPath: string): string {
  const segments = rawSegments(rawPath).map(decode);
  return segments.length === 0 ? "" : checkIdentifier(segments.join("/"));
}

/**
 * Returns the kind of resource that a raw path would name, as {@link splitImagePath}, at a fraction of its
 * cost. Never throws.
 */
export function kindOfPath(rawPath: string): ImagePath["kind"] {
  let count = 0;
  let first = 0;
  let end = 0;
  for (let i = 0; i < rawPath.length; i++) {
    if (rawPath.charCodeAt(i) === slash) continue;
    if (i === 0 || rawPath.charCodeAt(i - 1) === slash) {
      count++;
      first = i;
    }
    end = i + 1;
  }
  const last = rawPath.slice(first, end);
  try {
    return kindOf(count, last.includes("%") ? decodeURIComponent(last) : last);
  } catch {
    return kindOf(count, last);
  }
}

const slash = 0x2f;

/** Returns the kind by the number of segments and the last of them, decoded. */
function kindOf(count: number, last: string | undefined): ImagePath["kind"] {
  if (count > 1 && last === "info.json") return "info";
  return count < 5 ? "base" : "image";
}

/**
 * Returns a decoded identifier in canonical form: an identifier that contains an http URL has `//` after the
 * scheme, even if normalisation removed one `/`. Throws ServiceError `not-found` (`identifier_refused`) for
 * anything that could name something outside a source: all that {@link plainSegments} refuses, and a leading
 * drive letter (`C:x`).
 */
export function checkIdentifier(identifier: string): string {
  const mayHoldUrl = identifier.includes(":/");
  const whole = mayHoldUrl ? identifier.replace(/(^|\/)(https?:)\/(?=[^/])/gi, "$1$2//") : identifier;
  const folded = mayHoldUrl ? whole.replace(/(?<=^|\/)(https?:)\/\//gi, "$1/") : identifier;
  if (!plainSegments(folded) || /^[a-z]:/i.test(whole)) {
    throw new ServiceError(
      "not-found",
      "Expected an identifier without empty, . or .. parts, backslash, NUL, or an absolute path; received one that has them. Check the identifier.",
      { code: "identifier_refused" },
    );
  }
  return whole;
}

/**
 * Returns the canonical spelling of an identifier as one path segment: unreserved characters, sub-delimiters
 * and `:` unchanged, all others percent-encoded as UTF-8 (RFC 3986 section 3.3, without `@`).
 */
export function encodeIdentifier(identifier: string): string {
  return percentEncode(identifier, /[^A-Za-z0-9\-._~!$&'()*+,;=:]+/gu);
}

/** Encodes every UTF-8 byte of the matches of `special` (global, by code points) as `%XX`. */
export function percentEncode(text: string, special: RegExp): string {
  return text.replace(special, (run) => {
    let encoded = "";
    for (const byte of new TextEncoder().encode(run))
      encoded += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    return encoded;
  });
}

/**
 * Returns `name;3` as page 3 of `name`; undefined if the identifier does not end with a page number from 1.
 */
export function splitPage(
  identifier: string,
): { readonly identifier: string; readonly page: number } | undefined {
  const [, name, page] = /^(.+);([1-9][0-9]{0,8})$/su.exec(identifier) ?? [];
  return name === undefined || page === undefined ? undefined : { identifier: name, page: Number(page) };
}

function rawSegments(rawPath: string): readonly string[] {
  return rawPath.split("/").filter((segment) => segment !== "");
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new ServiceError(
      "bad-request",
      "Expected percent-encoded UTF-8 in the path; received broken encoding. Write a percent sign itself as %25.",
      { code: "bad_encoding", cause },
    );
  }
}
