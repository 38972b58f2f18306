// The paths of manifests and collections, and of their parts. No other file contains them.

import { ServiceError } from "../../base/index.ts";
import { checkIdentifier, identifierOf, percentEncode } from "../image/path.ts";

/** Supported versions of the Presentation API: 3.0 and 2.1. */
export type PresentationVersion = 2 | 3;

const common = "/iiif/presentation/";

/** Path of the root collection of a version, without a trailing /; all other paths follow after a /. */
export const presentationRoot: Readonly<Record<PresentationVersion, string>> = {
  2: `${common}2`,
  3: `${common}3`,
};

/** Last segment of the manifest of images in a directory that also contains directories. */
const imagesSegment = "_images";
/** Segment before the number of a part of a long collection. */
const partSegment = "_part";

/** Parts of documents with an address of their own. */
export type PieceKind =
  | "canvas"
  | "page"
  | "annotation"
  | "annotations"
  | "lines"
  | "words"
  | "text"
  | "ocr"
  | "georeference"
  | "map"
  | "range";

/** A piece of a document by its kind and its number from 1. */
export interface PathPiece {
  readonly kind: PieceKind;
  readonly number: number;
  /** Number of the page of annotations, from 1; only for the kind `annotations`. */
  readonly nth?: number;
}

/**
 * Segments of each kind below the address of its document; the first # is the number, the second `nth`.
 * `annotations`: those of one page that are about one canvas. `lines`, `words`: its text as annotations;
 * `text`: as plain text; `ocr`: the file that it comes from. `georeference`, `map`: the maps
 * on the canvas, and the same of its image.
 */
const pieceSegments = {
  canvas: ["canvas", "#"],
  page: ["canvas", "#", "page"],
  annotation: ["canvas", "#", "annotation"],
  annotations: ["canvas", "#", "annotations", "#"],
  lines: ["canvas", "#", "lines"],
  words: ["canvas", "#", "words"],
  text: ["canvas", "#", "text"],
  ocr: ["canvas", "#", "ocr"],
  georeference: ["canvas", "#", "georeference"],
  map: ["canvas", "#", "map"],
  range: ["range", "#"],
} as const satisfies Readonly<Record<PieceKind, readonly string[]>>;

/** One interpretation of a presentation path. */
export interface PresentationPath {
  /** Identifier of the document as in its address: "" for the root, `a/_images`, `a/_part/2`. */
  readonly id: string;
  /** Identifier of the document's directory or image; "" for the top directory. */
  readonly of: string;
  /**
   * `whole`: the document; `images`: the manifest of the images next to directories; otherwise the number of
   * a part.
   */
  readonly extent: "whole" | "images" | number;
  /** The requested part of the document; absent: the document itself. */
  readonly piece?: PathPiece;
}

/** Returns the identifier of the manifest of images in a directory that also contains directories. */
export function imagesId(directory: string): string {
  return pathBelow(directory, imagesSegment);
}

/** Returns the identifier of a part, numbered from 1, of a long collection. */
export function partId(collection: string, part: number): string {
  return pathBelow(collection, `${partSegment}/${part}`);
}

/**
 * Returns the address of a document in its one spelling, see {@link encodeSegments}. `base`: the public URL
 * of the service, without a / at its end.
 */
export function documentAddress(base: string, id: string, version: PresentationVersion = 3): string {
  const root = base + presentationRoot[version];
  return id === "" ? root : `${root}/${encodeSegments(id)}`;
}

/**
 * Returns an identifier as a path: / kept, and each segment encoded as `encodeURIComponent` does, so that
 * clients that build an address from names build the id. Lone surrogates become U+FFFD instead of an error.
 */
export function encodeSegments(id: string): string {
  return percentEncode(id, /[^A-Za-z0-9\-._~!*'()/]+/gu);
}

/**
 * Returns the one spelling of the address of a document, or of a part of one: with `%2F` as /, in upper-case
 * escapes and without a / at its end. A query or fragment stays, and so does any other address.
 */
export function spellAddress(address: string, base: string): string {
  for (const version of [3, 2] as const) {
    const root = base + presentationRoot[version];
    if (!address.startsWith(root)) continue;
    const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(address.slice(root.length)) ?? [];
    if (path !== "" && !path.startsWith("/")) continue;
    const id = identifierIn(path);
    return id === undefined ? address : documentAddress(base, id, version) + rest;
  }
  return address;
}

/** Returns the address of a piece of a document. */
export function pieceAddress(document: string, { kind, number, nth = 1 }: PathPiece): string {
  const path = pieceSegments[kind].join("/").replace("#", String(number)).replace("#", String(nth));
  return `${document}/${path}`;
}

/** Returns the identifier that a raw path spells; undefined for one that none can have. */
function identifierIn(rawPath: string): string | undefined {
  try {
    return identifierOf(rawPath);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Returns the number of a document's canvas by its address; undefined if it is not one. */
export function canvasNumber(document: string, canvas: string): number | undefined {
  const number = numberOf(canvas.slice(canvas.lastIndexOf("/") + 1));
  const isOne = number !== undefined && canvas === pieceAddress(document, { kind: "canvas", number });
  return isOne ? number : undefined;
}

/** Returns an address below the service in the other version; all others unchanged. */
export function inVersion(address: string, base: string, version: PresentationVersion): string {
  for (const root of Object.values(presentationRoot)) {
    const start = base + root;
    const rest = address.slice(start.length);
    if (address.startsWith(start) && /^($|[/?#])/.test(rest)) return base + presentationRoot[version] + rest;
  }
  return address;
}

/**
 * Returns the readings of a raw path after the root of a version (still encoded, without its query), the most
 * likely first: a directory or file of exactly that name precedes the segments that this service reserves.
 * Consecutive `/` count as one, and a trailing one does not count.
 *
 * Throws ServiceError `bad-request` (`bad_encoding`) for broken percent-encoding, and `not-found`
 * (`identifier_refused`) for identifiers that `checkIdentifier` refuses.
 */
export function presentationPaths(rawPath: string): readonly PresentationPath[] {
  const whole = identifierOf(rawPath);
  const readings = documentReadings(whole);
  const segments = whole.split("/");
  for (const kind of Object.keys(pieceSegments) as PieceKind[]) {
    const pattern: readonly string[] = pieceSegments[kind];
    const rest = segments.slice(0, -pattern.length);
    const last = segments.slice(-pattern.length);
    const fits = pattern.every((segment, at) => segment === "#" || segment === last[at]);
    const numbers = last.filter((_, at) => pattern[at] === "#").map(numberOf);
    const [number, nth] = numbers;
    // The root is always a collection, which has no canvases.
    if (!fits || number === undefined || numbers.includes(undefined) || rest.length === 0) continue;
    const id = acceptIdentifier(rest.join("/"));
    if (id === undefined) continue;
    // Parts are collections too.
    const documents = documentReadings(id).filter(({ extent }) => typeof extent === "string");
    const piece = { kind, number, ...(nth !== undefined && { nth }) };
    readings.push(...documents.map((document) => ({ ...document, piece })));
  }
  return readings;
}

/** Returns the readings of an identifier as a document. */
function documentReadings(id: string): PresentationPath[] {
  const readings: PresentationPath[] = [{ id, of: id, extent: "whole" }];
  const segments = id.split("/");
  const part = numberOf(segments.at(-1));
  if (segments.at(-1) === imagesSegment)
    push(readings, { id, of: acceptIdentifier(segments.slice(0, -1).join("/")), extent: "images" });
  if (part !== undefined && segments.at(-2) === partSegment)
    push(readings, { id, of: acceptIdentifier(segments.slice(0, -2).join("/")), extent: part });
  return readings;
}

function push(
  readings: PresentationPath[],
  { id, of, extent }: Omit<PresentationPath, "of"> & { readonly of: string | undefined },
): void {
  if (of !== undefined) readings.push({ id, of, extent });
}

/** Returns the identifier in its canonical form; "" is the top directory. */
function acceptIdentifier(identifier: string): string | undefined {
  if (identifier === "") return "";
  try {
    return checkIdentifier(identifier);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Parses numbers from 1 in the spelling of addresses. */
function numberOf(segment: string | undefined): number | undefined {
  return segment !== undefined && /^[1-9]\d{0,8}$/.test(segment) ? Number(segment) : undefined;
}

const pathBelow = (id: string, rest: string) => (id === "" ? rest : `${id}/${rest}`);
