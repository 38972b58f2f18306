// Documents of Presentation API 3.0 for the names in addresses: derived from folders and images, and from the
// operator's manifest files.

import { ServiceError } from "../../base/index.ts";
import {
  type DocumentContext,
  documentAddress,
  headOf,
  type ManifestFacts,
  manifestOf,
  mapsOfImage,
  type PieceKind,
  type PresentationPath,
  pieceAddress,
  pieceAt,
  presentationPaths,
  presentationRoot,
} from "../../iiif/index.ts";
import type { Caller, RefusedDecision, Sharing } from "../access/access.ts";
import { fileKind } from "../sources/listing.ts";
import { isTextPiece, textOf } from "./documents/canvas-texts.ts";
import { canvasesOfFacts, imageCanvases } from "./documents/canvases.ts";
import { withDownloads } from "./documents/downloads.ts";
import { folderDocument, isRoot, maxHeld } from "./documents/folder-documents.ts";
import { applyHook, inventedByHook } from "./documents/hooked.ts";
import { withAnnotations } from "./documents/image-annotations.ts";
import { textsNamed, withTexts } from "./documents/image-texts.ts";
import type { Made, Making, ManifestsParts, PlannedDocument, RawText } from "./documents/making.ts";
import { type RestrictedDocument, restrictDocument } from "./documents/restricted.ts";
import { withSearch } from "./documents/searched-text.ts";
import { lacksStatement, statementOf, withStatement } from "./documents/statement.ts";
import { pagesByFile } from "./folders/image-facts.ts";
import { Gate } from "./gate.ts";
import { locationOf, parentOf, splitLocation } from "./locations.ts";

/** A document for one caller. */
export interface Presented {
  /** Makes it. Throws as {@link Manifests.present} does. */
  make(): Promise<Made>;
  /** Returns the bytes of an address that has no document. Throws as {@link Manifests.present} does. */
  raw?(): Promise<RawText>;
  /** Why the caller may not read it; then the document is its title with the services to log in. */
  readonly refused?: RefusedDecision;
  /**
   * Equal for documents with the same base URL and contents for any caller, as long as nothing changes in
   * their folder; absent if unknown.
   */
  readonly stamp?: string;
  /**
   * Identifier of the folder whose contents it lists, if it is a collection that no operator wrote as a whole
   * and no hook changed.
   */
  readonly lists?: string;
  /** Returns who may cache it, as far as known. */
  sharing(): Sharing;
  /**
   * False while the next attempt may have another result: a source did not respond, or images still have to
   * be examined.
   */
  lasts(): boolean;
  /**
   * Identifier of the document of the folder that it is in; absent for the root, and if folders have no
   * documents.
   */
  readonly above?: string;
  /**
   * The manifest file that is not used, or not wholly, and from which line on; known once the document is
   * made.
   */
  readIgnoredFile?(): string | undefined;
}

export interface Manifests {
  /**
   * Presents the first reading of an address that names something, for one caller. The caller's identifier is
   * ignored. `partly`: only some canvases of a manifest are needed, which are made on demand. Throws
   * `not-found` (code no_such_manifest) with the reason, `unsupported` (code unsupported_format) for a file
   * that is named as an image but is none, `busy` if it is not known what the caller may read, and what
   * sources, hooks and codecs throw.
   */
  present(
    readings: readonly PresentationPath[],
    caller: Caller,
    context: DocumentContext,
    partly?: "partly",
  ): Promise<Presented>;
}

/** Finds what a reading names in one way, or returns undefined. */
type Find = (making: Making, reading: PresentationPath) => Promise<PlannedDocument | undefined>;

/** The documents of a service. */
export function createManifests(parts: ManifestsParts): Manifests {
  // Hooks are shown whole documents.
  const isHooked = parts.images.hooks?.has("presentation");
  return {
    async present(all, caller, context, part) {
      const readings = all.filter(({ of }) => !isTooLong(of));
      let unread: ServiceError | undefined;
      const noteUnread = (error: ServiceError) => {
        unread ??= error;
      };
      // Documents of a hook come last, since their names may equal those of parts.
      for (const find of [derivedOrStored, findInvented])
        for (const reading of readings) {
          const gate = new Gate(parts, caller, context.base);
          const partly = !isHooked && (part !== undefined || reading.piece !== undefined);
          const making = { parts, caller, context, gate, partly, noteUnread };
          const whole = await findReadable(find, making, reading);
          if (whole?.refused) return presentDocument(making, reading, whole);
          const found = await partOf(making, reading, whole);
          if (found === undefined) continue;
          if (found.refused) return presentDocument(making, reading, found);
          return presentDocument(
            making,
            reading,
            await addStatement(making, reading, addOffers(making, reading, found)),
          );
        }
      throw unread ?? missingError(parts, all);
    },
  };
}

/** Codes of errors whose reasons quote a manifest file. */
const quotingCodes: ReadonlySet<string | undefined> = new Set([
  "unusable_manifest_file",
  "unsupported_presentation_version",
]);

/** Returns the part of a document that a reading names, as its caller may read it, or the document itself. */
function partOf(
  making: Making,
  reading: PresentationPath,
  whole: RestrictedDocument | undefined,
): Promise<RestrictedDocument | undefined> {
  const { piece } = reading;
  if (piece?.kind === "annotations") return pageOf(making, reading, whole);
  return isTextPiece(piece) ? textOf(making, piece, whole) : pieceOf(reading, whole);
}

/** Returns what a reading names, as its caller may read it; undefined if they may not know of it. */
async function findReadable(
  find: Find,
  making: Making,
  reading: PresentationPath,
): Promise<RestrictedDocument | undefined> {
  try {
    const found = await find(making, reading);
    if (found === undefined) return undefined;
    const readable = await restrict(making, reading, found);
    const { status } = readable.refused ?? {};
    return status === 404 || status === 410 ? undefined : readable;
  } catch (error) {
    const isFault = error instanceof ServiceError && quotingCodes.has(error.code);
    if (!isFault || (await making.gate.mayRead(reading.of, "all"))) throw error;
    // The reason quotes the file.
    throw new ServiceError(
      error.kind,
      "The manifest file at this address cannot be used. Its operator has to correct it.",
      { code: error.code },
    );
  }
}

const restrict = (making: Making, reading: PresentationPath, found: PlannedDocument) =>
  restrictDocument(making, reading, found, (id) => manifestNamed(making, id));

/** Returns the manifest of an identifier, for text about parts of it in another document. */
async function manifestNamed(around: Making, id: string): Promise<Made | undefined> {
  const { parts, caller, context } = around;
  for (const find of [derivedOrStored, findInvented])
    for (const reading of presentationPaths(documentAddress("", id).slice(presentationRoot[3].length))) {
      const gate = new Gate(parts, caller, context.base);
      const partly = !parts.images.hooks?.has("presentation");
      const found = reading.piece === undefined && (await find({ ...around, gate, partly }, reading));
      const made = found ? await found.make() : undefined;
      if (made?.document.type === "Manifest") return made;
    }
  return undefined;
}

/**
 * Returns a document which, if it is a manifest, names the services that search its text, if it has a text
 * for its reader, and the files that it can be downloaded as.
 */
function addOffers(
  { parts, context, partly }: Making,
  { piece }: PresentationPath,
  found: RestrictedDocument,
): RestrictedDocument {
  if (piece || partly) return found;
  const make = async () => withDownloads(parts, await withSearch(await found.make(), context.base), context);
  return { ...found, make };
}

/** Returns a document which, if it is a collection, has a required statement. */
async function addStatement(
  making: Making,
  { of }: PresentationPath,
  found: PlannedDocument,
): Promise<PlannedDocument> {
  const find = () => statementOf(making, locationOf(making.parts.sources, of));
  const whole = found.folder?.manifestFile?.stored?.whole;
  // Its bytes are cached as long as its folder stays the same.
  const known = whole && lacksStatement(whole) ? await find() : undefined;
  const make = async () => {
    const made = await found.make();
    return lacksStatement(made.document) ? withStatement(made, known ?? (await find())) : made;
  };
  return { ...found, make, ...(known && { beyond: JSON.stringify(known) }) };
}

function presentDocument(
  { parts, gate }: Making,
  reading: PresentationPath,
  found: RestrictedDocument,
): Presented {
  gate.note(reading.id, "document");
  const { make, raw, refused, ignoredFile, lists } = found;
  const above = folderAbove(parts, reading);
  const stamp = refused ? undefined : stampOf(parts, found, reading, gate);
  return {
    make,
    ...(raw && { raw }),
    sharing: () => gate.sharing(),
    lasts: () => !gate.doubts() && (found.isKnown?.() ?? true),
    ...(refused && { refused }),
    ...(lists !== undefined && { lists }),
    ...(above !== undefined && { above }),
    ...(stamp !== undefined && { stamp }),
    ...(ignoredFile && { readIgnoredFile: ignoredFile }),
  };
}

function folderAbove(parts: ManifestsParts, { of, extent }: PresentationPath): string | undefined {
  const location = locationOf(parts.sources, of);
  if (!location.source.list || hasUnknownIdentifiers(parts)) return undefined;
  return extent === "whole" ? parentOf(parts.sources, location) : of;
}

/** Returns what the document of a folder depends on, if that is brief. */
function stampOf(
  { images }: ManifestsParts,
  { folder, beyond = "", outcome }: PlannedDocument,
  reading: PresentationPath,
  gate: Gate,
): string | undefined {
  // A hook may change its mapping while the folder stays the same.
  if (!folder || gate.doubts() || images.hooks?.has("resolve")) return undefined;
  const { cachedBy, vary } = gate.sharing();
  // A response that any cache may store is the same for all callers.
  const isShared = cachedBy === "anyone" && vary.length === 0;
  const of = outcome ? outcome() : isShared ? "" : undefined;
  return of === undefined ? undefined : `${folder.serial} ${JSON.stringify([reading, beyond])} ${of}`;
}

/** The piece of a document that a reading names, or the document itself. */
async function pieceOf(
  { piece }: PresentationPath,
  found: PlannedDocument | undefined,
): Promise<PlannedDocument | undefined> {
  if (found === undefined || piece === undefined) return found;
  const { document, canvases } = await found.make();
  // Ranges exist only in descriptions by operators.
  const canvas = piece.kind === "range" ? undefined : await canvases?.at(piece.number - 1);
  const around = canvases ? { ...document, items: canvas ? [canvas] : [] } : document;
  // The document may spell its identifier in another way, such as with the prefix of its source.
  const address = (kind: PieceKind) => pieceAddress(String(document.id), { ...piece, kind });
  const maps = piece.kind === "map" ? pieceAt(around, address("canvas")) : undefined;
  const part = maps ? mapsOfImage(maps, address("map")) : pieceAt(around, address(piece.kind));
  return part && { make: async () => ({ document: part, services: document.services }) };
}

/** The page of annotations that a reading names, as its caller may read it. Manifests only refer to it. */
async function pageOf(
  making: Making,
  reading: PresentationPath,
  manifest: PlannedDocument | undefined,
): Promise<RestrictedDocument | undefined> {
  const { number = 0, nth = 1 } = reading.piece ?? {};
  const page = await (await manifest?.make())?.attached?.page(number, nth);
  if (!page) return undefined;
  if (page.refused) return { make: async () => ({ document: page.document }), refused: page.refused };
  const left = await restrict(making, reading, { make: async () => ({ document: page.document }) });
  if (left.refused) return left;
  return { ...left, make: async () => ({ document: page.narrow((await left.make()).document) }) };
}

const derivedOrStored: Find = async (making, reading) => {
  const found = await findUnhooked(making, reading);
  // Parts show what their collection lists; hooks are asked about the collection.
  if (found === undefined || typeof reading.extent === "number") return found;
  return applyHook(making, reading.id, found, hasUnknownIdentifiers(making.parts));
};

const findInvented: Find = async (making, { id, extent }) =>
  extent === "whole" && id !== "" ? inventedByHook(making, id) : undefined;

const findUnhooked: Find = async (making, reading) => {
  const { parts, caller } = making;
  const { id, of, extent } = reading;
  const location = locationOf(parts.sources, of);
  const folder = () =>
    derivesFolders(parts) ? parts.folders.find(location.source, location.key, caller.signal) : undefined;
  // A source that cannot list is asked for an image first, because nearly all requests to it are for images.
  if (location.source.list || location.key === "") {
    const listed = await folder();
    if (listed || isRoot(parts, location)) return folderDocument(making, reading, location, listed);
  }
  const image = extent === "whole" ? await imageDocument(making, id) : undefined;
  if (image || location.source.list) return image;
  const stored = await folder();
  return stored && folderDocument(making, reading, location, stored);
};

/** True if a hook decides which identifiers exist, so that those of a listing need not lead to images. */
export const hasUnknownIdentifiers = ({ images, options }: Pick<ManifestsParts, "images" | "options">) =>
  images.hooks?.has("resolve") === true && options.derive !== "always";

const derivesFolders = (parts: ManifestsParts) =>
  !hasUnknownIdentifiers(parts) || parts.images.hooks?.has("presentation");

/** Returns the manifest of one image, or undefined. */
async function imageDocument(making: Making, id: string): Promise<PlannedDocument | undefined> {
  const { parts, caller, gate, context, partly, noteUnread } = making;
  if (id === "") return undefined;
  try {
    const own = { ...caller, identifier: id };
    const { canvases, note } = await imageCanvases(parts.images, own, gate, () => pagesNamed(parts, own));
    if (canvases.length === 0) return undefined;
    const label = id.slice(id.lastIndexOf("/") + 1);
    const facts = { id, label, canvases, ...(note !== undefined && { note }) };
    const make = async () => {
      const filesOf = await textsNamed(making, id, canvases.length > 1);
      const made = withTexts(making, makeManifest(facts, context, partly), canvases, filesOf);
      return withAnnotations(making, made, id, canvases);
    };
    return { make, facts: async () => canvases };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // Folders list files with image names, and nothing about others.
    if (error.code === "unsupported_format") {
      if (fileKind(id) === "image") noteUnread(error);
    } else if (error.kind !== "not-found") throw error;
    return undefined;
  }
}

/** Returns the manifest of an image. Its canvases are made on demand if there are many or some are needed. */
function makeManifest(facts: ManifestFacts, context: DocumentContext, partly: boolean): Made {
  if (!partly && facts.canvases.length <= maxHeld) return { document: manifestOf(facts, context) };
  return { document: headOf(facts, context), canvases: canvasesOfFacts(facts, context) };
}

/** Returns the numbers of pages of a file that images of those very names replace, if its folder is known. */
async function pagesNamed(
  { sources, folders, images }: ManifestsParts,
  { identifier, signal }: Caller,
): Promise<readonly number[]> {
  const { folder, name } = splitLocation(locationOf(sources, identifier));
  if (!folder.source.list || images.hooks?.has("resolve")) return [];
  const found = await folders.find(folder.source, folder.key, signal);
  return (found && pagesByFile(found.listing).get(name)) ?? [];
}

/**
 * Bytes of the longest identifier with documents, which repeat it about ten times for each canvas: as long as
 * a key in S3. A web server may have the same image at addresses of any length.
 */
const maxIdentifier = 1024;

const isTooLong = (identifier: string) =>
  identifier.length > maxIdentifier / 3 && utf8.encode(identifier).length > maxIdentifier;

const utf8 = new TextEncoder();

/** Returns the error that says why there is nothing at an address. */
function missingError(parts: ManifestsParts, [reading]: readonly PresentationPath[]): ServiceError {
  return new ServiceError("not-found", reasonOf(parts, reading?.of ?? ""), { code: "no_such_manifest" });
}

function reasonOf(parts: ManifestsParts, identifier: string): string {
  if (isTooLong(identifier))
    return `Expected an identifier of at most ${maxIdentifier} bytes, since each canvas of a document repeats it; received a longer one. Shorten the names of its folders.`;
  const { source } = locationOf(parts.sources, identifier);
  if (hasUnknownIdentifiers(parts))
    return "A hook maps identifiers to images here, so folders are not listed unless it implements `presentation` for them; there is no image with this identifier either. Ask for the manifest of one image by its identifier; the operator can set presentation.derive.";
  if (!source.list)
    return "The source of this identifier cannot list its folders. It serves manifests that are stored as manifest.yaml or manifest.json, and those of single images; there is none with this identifier.";
  return "There is no folder and no image with this identifier. Check its spelling.";
}
