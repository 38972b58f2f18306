// The paths of manifests and collections, and of their parts. No other file contains them.

import { ServiceError } from "../../errors.ts";
import { checkIdentifier, encodeIdentifier, identifierOf } from "../image/path.ts";

/** Versions of the Presentation API that this service speaks: 3.0 and 2.1. */
export type PresentationVersion = 2 | 3;

const common = "/iiif/presentation/";

/** Path of the root collection of a version, without a / at its end; those of all else follow behind a /. */
export const presentationRoot: Readonly<Record<PresentationVersion, string>> = {
  2: `${common}2`,
  3: `${common}3`,
};

/** The last segment of the manifest of the images of a directory that holds directories as well. */
const imagesSegment = "_images";
/** The segment before the number of a part of a collection that is listed in parts. */
const partSegment = "_part";

/** Parts of documents with an address of their own. */
export type PieceKind = "canvas" | "page" | "annotation" | "range";

/** A piece of a document by its kind and its number from 1. */
export interface PathPiece {
  readonly kind: PieceKind;
  readonly number: number;
}

/** The segments of each kind below the address of its document; # is the number. */
const pieceSegments = {
  canvas: ["canvas", "#"],
  page: ["canvas", "#", "page"],
  annotation: ["canvas", "#", "annotation"],
  range: ["range", "#"],
} as const satisfies Readonly<Record<PieceKind, readonly string[]>>;

/** One reading of a presentation path. */
export interface PresentationPath {
  /** Identifier of the document as its address has it: "" for the root, `a/_images`, `a/_part/2`. */
  readonly id: string;
  /** Identifier of the directory or image that the document is of; "" for the top directory. */
  readonly of: string;
  /**
   * `whole`: the document; `images`: the manifest of the images next to directories; otherwise the number of
   * a part.
   */
  readonly extent: "whole" | "images" | number;
  /** The requested part of the document; absent: the document itself. */
  readonly piece?: PathPiece;
}

/** Identifier of the manifest of the images in a directory that holds directories as well. */
export function imagesId(directory: string): string {
  return below(directory, imagesSegment);
}

/** Identifier of a part, numbered from 1, of a collection that is listed in parts. */
export function partId(collection: string, part: number): string {
  return below(collection, `${partSegment}/${part}`);
}

/**
 * Returns the address of a document, with each segment encoded and / kept. `base`: the public URL of the
 * service, without a / at its end.
 */
export function documentAddress(base: string, id: string, version: PresentationVersion = 3): string {
  const root = base + presentationRoot[version];
  return id === "" ? root : `${root}/${id.split("/").map(encodeIdentifier).join("/")}`;
}

/** Address of a piece of the document at an address. */
export function pieceAddress(document: string, { kind, number }: PathPiece): string {
  return `${document}/${pieceSegments[kind].join("/").replace("#", String(number))}`;
}

/** The number of a canvas of the document at an address, by its own address; undefined if it is none. */
export function canvasNumber(document: string, canvas: string): number | undefined {
  const number = numberOf(canvas.slice(canvas.lastIndexOf("/") + 1));
  const isOne = number !== undefined && canvas === pieceAddress(document, { kind: "canvas", number });
  return isOne ? number : undefined;
}

/** An address below the service as the other version has it; all others as they are. */
export function inVersion(address: string, base: string, version: PresentationVersion): string {
  for (const root of Object.values(presentationRoot)) {
    const start = base + root;
    const rest = address.slice(start.length);
    if (address.startsWith(start) && /^($|[/?#])/.test(rest)) return base + presentationRoot[version] + rest;
  }
  return address;
}

/**
 * The readings of a raw path behind the root of a version (never decoded before, without its query),
 * likeliest first: a directory or file of that very name comes before the segments that this service
 * reserves. Runs of `/` count as one, and one at the end does not count.
 *
 * Throws ServiceError `bad-request` (`bad_encoding`) for broken percent-encoding, and `not-found`
 * (`identifier_refused`) for identifiers that `checkIdentifier` refuses.
 */
export function presentationPaths(rawPath: string): readonly PresentationPath[] {
  const whole = identifierOf(rawPath);
  const readings = documentReadings(whole);
  const segments = whole.split("/");
  for (const kind of Object.keys(pieceSegments) as PieceKind[]) {
    const pattern = pieceSegments[kind];
    const rest = segments.slice(0, -pattern.length);
    const last = segments.slice(-pattern.length);
    const fits = pattern.every((segment, at) => segment === "#" || segment === last[at]);
    const number = numberOf(last[pattern.indexOf("#")]);
    // The root is a collection always, which has no canvases.
    if (!fits || number === undefined || rest.length === 0) continue;
    const id = acceptIdentifier(rest.join("/"));
    if (id === undefined) continue;
    // Parts are collections as well.
    const documents = documentReadings(id).filter(({ extent }) => typeof extent === "string");
    readings.push(...documents.map((document) => ({ ...document, piece: { kind, number } })));
  }
  return readings;
}

/** The readings of an identifier as that of a document. */
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

/** The identifier in its one form; "" is the top directory. */
function acceptIdentifier(identifier: string): string | undefined {
  if (identifier === "") return "";
  try {
    return checkIdentifier(identifier);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** Numbers from 1 as addresses spell them. */
function numberOf(segment: string | undefined): number | undefined {
  return segment !== undefined && /^[1-9]\d{0,8}$/.test(segment) ? Number(segment) : undefined;
}

const below = (id: string, rest: string) => (id === "" ? rest : `${id}/${rest}`);
