// Documents of Presentation API 3.0 for what addresses name: derived from folders and images, with what their operator stored.

import type { Caller, Sharing } from "../access/access.ts";
import { ServiceError } from "../errors.ts";
import {
  canvasesOf,
  collectionOf,
  manifestHead,
  manifestOf,
  partOfCollection,
  partRange,
} from "../iiif/presentation/derive.ts";
import type { DocumentContext, ManifestFacts, Resource } from "../iiif/presentation/model.ts";
import {
  documentAddress,
  imagesId,
  type Piece,
  type PresentationPath,
  pieceAddress,
} from "../iiif/presentation/mounts.ts";
import { pieceAt } from "../iiif/presentation/pieces.ts";
import type { Sources } from "../sources/index.ts";
import { folderCanvases, imageCanvases, imagesOf } from "./canvases.ts";
import type { Folder, Folders } from "./folders.ts";
import { type Gate, type GateParts, openGate } from "./gate.ts";
import type { FactsParts } from "./image-facts.ts";
import { isManifestFolder, type Listed, lookInto, membersOf } from "./members.ts";
import type { PresentationOptions } from "./options.ts";
import { identifierOf, nameOf, type Place, parentOf, placeOf } from "./places.ts";

export interface ManifestsParts extends GateParts {
  readonly images: FactsParts;
  readonly sources: Sources;
  readonly folders: Folders;
  readonly options: Pick<PresentationOptions, "derive">;
}

/** A document, or a piece of one. */
export interface Made {
  /** Of version 3.0, with its context. */
  readonly document: Resource;
  /** The canvases of a manifest that is too long to be held as a whole; the items of the document are empty then. */
  readonly long?: LongManifest;
}

export interface LongManifest {
  canvases(): Iterable<Resource>;
  /** What all of them are made of, as text: it changes when one of them does. */
  identity(): string;
}

/** A document for one caller. */
export interface Presented {
  /** Makes it; all that may fail has been done before. */
  make(): Made;
  /** The same for documents that have the same base URL and are the same, as long as their folder is not listed again; absent where nobody knows. */
  readonly stamp?: string;
  /** Who may keep it. */
  readonly sharing: Sharing;
  /** False where the next look may find something else, since a source did not answer. */
  readonly lasts: boolean;
}

export interface Manifests {
  /**
   * What the first reading of an address that names something says, for one caller. The caller's identifier is not looked at.
   * Throws `not-found` (code no_such_manifest) with the reason, and what sources, hooks and codecs throw.
   */
  present(
    readings: readonly PresentationPath[],
    caller: Caller,
    context: DocumentContext,
  ): Promise<Presented>;
}

/** Canvases of a manifest that are held at once; 1,000 take about 10 MB. */
export const mostHeld = 2000;

/** What is known while one document is made. */
interface Making {
  readonly parts: ManifestsParts;
  readonly caller: Caller;
  readonly context: DocumentContext;
  readonly gate: Gate;
}

/** The documents of a service. */
export function createManifests(parts: ManifestsParts): Manifests {
  return {
    async present(readings, caller, context) {
      for (const reading of readings) {
        const gate = openGate(parts, caller, context.base);
        const found = await documentAt({ parts, caller, context, gate }, reading);
        if (found === undefined) continue;
        gate.note(reading.id);
        const sharing = gate.sharing();
        const lasts = !gate.doubts();
        // What any cache may keep is the same for all callers.
        const isSame = lasts && sharing.keptBy === "anyone" && sharing.vary.length === 0;
        const { make, folder } = found;
        const stamp = isSame && folder && { stamp: `${folder.serial} ${JSON.stringify(reading)}` };
        return { make, sharing, lasts, ...stamp };
      }
      throw missing(parts, readings);
    },
  };
}

/** A document that is still to be made. */
interface Found {
  make(): Made;
  /** The one folder that it is made of, and nothing else. */
  readonly folder?: Folder;
}

/** The document or piece of one reading; undefined where it names nothing. */
async function documentAt(making: Making, reading: PresentationPath): Promise<Found | undefined> {
  const found = await wholeAt(making, reading);
  if (found === undefined || reading.piece === undefined) return found;
  const address = pieceAddress(documentAddress(making.context.base, reading.id), reading.piece);
  const document = pieceAt(found.make().document, address);
  return document && { make: () => ({ document }) };
}

async function wholeAt(making: Making, reading: PresentationPath): Promise<Found | undefined> {
  const { parts, caller } = making;
  const place = placeOf(parts.sources, reading.of);
  const folder = derivesFolders(parts)
    ? await parts.folders.find(place.source, place.key, caller.signal)
    : undefined;
  if (folder || isRoot(parts, place)) return folderDocument(making, reading, place, folder);
  return reading.extent === "whole" ? imageDocument(making, reading.id) : undefined;
}

/** Whether identifiers are the paths of files, so that a listing leads to images. */
function derivesFolders({ images, options }: ManifestsParts): boolean {
  return !images.hooks.has("resolve") || options.derive === "always" || images.hooks.has("presentation");
}

const isRoot = ({ sources }: ManifestsParts, { source, key }: Place) =>
  key === "" && source === sources.default;

async function folderDocument(
  making: Making,
  { extent, piece }: PresentationPath,
  place: Place,
  folder: Folder | undefined,
): Promise<Found | undefined> {
  const { parts } = making;
  const files = folder ? imagesOf(parts.sources, place, folder) : [];
  const isManifest = folder !== undefined && place.key !== "" && isManifestFolder(folder, files.length);
  if (extent === "images" ? !isManifest && files.length > 0 : isManifest && extent === "whole")
    return folderManifest(making, place, folder as Folder, extent === "images", piece);
  if (extent === "images" || isManifest) return undefined;
  const members = membersOf(parts, place, folder, isRoot(parts, place));
  if (folder === undefined && members.length === 0) return undefined;
  return collection(making, identityOf(parts, place), members, extent);
}

/** Identifier, name and parent of the document of a folder. */
function identityOf({ sources }: ManifestsParts, place: Place) {
  const parent = parentOf(sources, place);
  const id = parent === undefined ? "" : identifierOf(place);
  return { id, label: nameOf(place), ...(parent !== undefined && { parent }) };
}

async function folderManifest(
  { parts, caller, gate, context }: Making,
  place: Place,
  folder: Folder,
  besideFolders: boolean,
  piece?: Piece,
): Promise<Found | undefined> {
  const own = identityOf(parts, place);
  const canvases = await folderCanvases(
    parts.images,
    place,
    folder,
    imagesOf(parts.sources, place, folder),
    caller,
    gate,
  );
  if (canvases.length === 0) return undefined;
  const facts = { ...own, ...(besideFolders && { id: imagesId(own.id), parent: own.id }), canvases };
  return { make: () => manifestMade(facts, context, piece), folder };
}

function manifestMade(facts: ManifestFacts, context: DocumentContext, piece?: Piece): Made {
  if (facts.canvases.length <= mostHeld) return { document: manifestOf(facts, context) };
  const document = manifestHead(facts, context);
  if (!piece) return { document, long: longManifest(facts, context) };
  const items = [...canvasesOf(facts, context, piece.number - 1, piece.number)];
  return { document: { ...document, items } };
}

const longManifest = (facts: ManifestFacts, context: DocumentContext): LongManifest => ({
  canvases: () => canvasesOf(facts, context),
  identity: () => JSON.stringify([facts, context]),
});

/** A collection, or one of its parts. Only what the document shows is looked into. */
async function collection(
  { parts, caller, gate, context }: Making,
  own: ReturnType<typeof identityOf>,
  members: readonly Listed[],
  extent: PresentationPath["extent"],
): Promise<Found | undefined> {
  const range = typeof extent === "number" ? partRange(members.length, extent) : [0, members.length];
  if (range === undefined) return undefined;
  const [from = 0, to = 0] = partRange(members.length, 1) && extent === "whole" ? [0, 0] : range;
  const seen = await lookInto(parts, members.slice(from, to), caller, gate);
  const facts = members.map(
    ({ id, label }, at) => seen[at - from] ?? ({ kind: "collection", id, label } as const),
  );
  const whole = { ...own, members: facts };
  const document =
    typeof extent === "number" ? partOfCollection(whole, extent, context) : collectionOf(whole, context);
  return document && { make: () => ({ document }) };
}

/** The manifest of one image; undefined where there is none. */
async function imageDocument(
  { parts, caller, gate, context }: Making,
  id: string,
): Promise<Found | undefined> {
  if (id === "") return undefined;
  try {
    const canvases = await imageCanvases(parts.images, { ...caller, identifier: id }, gate);
    if (canvases.length === 0) return undefined;
    const label = id.slice(id.lastIndexOf("/") + 1);
    return { make: () => ({ document: manifestOf({ id, label, canvases }, context) }) };
  } catch (error) {
    if (error instanceof ServiceError && error.kind === "not-found") return undefined;
    throw error;
  }
}

/** Why there is nothing at an address. */
function missing(parts: ManifestsParts, [reading]: readonly PresentationPath[]): ServiceError {
  return new ServiceError("not-found", reasonOf(parts, reading?.of ?? ""), { code: "no_such_manifest" });
}

function reasonOf(parts: ManifestsParts, identifier: string): string {
  const { source } = placeOf(parts.sources, identifier);
  if (!derivesFolders(parts))
    return "A hook maps identifiers to images here, so that folders cannot be listed; there is no image with this identifier either. Ask for the manifest of one image by its identifier; the operator can set presentation.derive.";
  if (!source.list)
    return "The source of this identifier cannot list its folders. It serves manifests that are stored as manifest.yaml or manifest.json, and those of single images; there is none with this identifier.";
  return "There is no folder and no image with this identifier. Check its spelling.";
}
