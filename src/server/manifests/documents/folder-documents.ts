// The documents of a folder: its manifest, its collection as a whole or in parts, or the document of its
// manifest file that replaces them.

import { findingLine, ServiceError } from "../../../base/index.ts";
import {
  arrangeMembers,
  collectionOf,
  type Description,
  describeCollection,
  describeHead,
  describeManifest,
  documentAddress,
  emptyDescription,
  imagesId,
  isOfAnnotations,
  isThere,
  loginServices,
  manifestHead,
  objectsOf,
  type PresentationPath,
  partOfCollection,
  partRange,
  type Resource,
  type StoredDocument,
  standInSizeOf,
  storedDocuments,
} from "../../../iiif/index.ts";
import type { Folder } from "../folders/folder.ts";
import type { ManifestFile } from "../folders/manifest-file.ts";
import { type FolderLocation, identifierOf, nameOf, parentOf } from "../locations.ts";
import { folderTexts, noTexts, showsTexts } from "../texts/folder-texts.ts";
import { type AttachedPages, attachedPages, folderAt } from "./attached.ts";
import {
  annotatedSheets,
  factsOfSheets,
  firstReadable,
  folderCanvases,
  textsOfSheets,
} from "./folder-canvases.ts";
import { imagesOf, readerOf, type Sheet, sheetsOf } from "./folder-images.ts";
import { type FolderKind, isMisplaced, isOfImages, kindOfFolder } from "./folder-kind.ts";
import type { Canvases, Made, Making, ManifestsParts, PlannedDocument } from "./making.ts";
import { type ListedMember, lookInto, membersOf } from "./members.ts";
import { withMets } from "./mets-description.ts";
import { paintedCanvases, paintedOf, sizedCanvas } from "./painted.ts";
import { storedTexts } from "./stored-texts.ts";
import { findDerived, findStored } from "./targets.ts";

/** Maximum of canvases of a manifest held in memory; 1,000 take about 10 MB. */
export const maxHeld = 2000;

/** True if a place is the top of the default source, whose collection is the root of all documents. */
export const isRoot = ({ sources }: ManifestsParts, { source, key }: FolderLocation) =>
  key === "" && source === sources.default;

/**
 * Returns the document of a folder that a reading names, or undefined. Only the root may exist without a
 * folder.
 */
export async function folderDocument(
  making: Making,
  reading: PresentationPath,
  location: FolderLocation,
  folder: Folder | undefined,
): Promise<PlannedDocument | undefined> {
  const { parts } = making;
  const { extent } = reading;
  const files = folder ? imagesOf(parts.sources, location, folder) : [];
  const kind = folder ? kindOfFolder(folder, location, files.length) : "collection";
  const manifestFile = folder?.manifestFile;
  if (manifestFile && replacesWithNewer(reading, location, manifestFile))
    throw newerVersion(parts, location, manifestFile);
  const stored = readWhole(reading, { kind, images: files.length }, manifestFile);
  if (folder && manifestFile && stored)
    return storedFound(making, reading, { location, folder }, manifestFile, stored);
  if (!location.source.list && !isRoot(parts, location))
    return folder && refuseFaulty(making, location, folder);
  if (extent === "images") {
    if (!folder || kind === "manifest" || files.length === 0) return undefined;
    const description = manifestFile?.describe("collection").images ?? emptyDescription;
    return folderManifest(making, location, folder, { besideFolders: true, description });
  }
  if (folder && kind === "manifest") {
    if (extent !== "whole") return undefined;
    const description = manifestFile?.describe("manifest") ?? emptyDescription;
    return folderManifest(making, location, folder, { besideFolders: false, description });
  }
  const members = membersOf(parts, location, folder, isRoot(parts, location));
  if (folder === undefined && members.length === 0) return undefined;
  if (members.length === 0) refuseUnusable(parts, location, manifestFile);
  return folderCollection(making, location, folder, members, extent);
}

/** True if a document of a version that cannot be served would replace the one that a reading names. */
function replacesWithNewer(
  { extent }: PresentationPath,
  { key }: FolderLocation,
  { newer }: ManifestFile,
): boolean {
  if (!newer || isOfAnnotations(newer)) return newer !== undefined && key !== "" && extent === "whole";
  // At the top of a source a manifest is that of its images.
  return extent === (key === "" && newer.type === "Manifest" ? "images" : "whole");
}

/** Returns the error for a stored document of a version that cannot be served. */
function newerVersion(
  parts: ManifestsParts,
  location: FolderLocation,
  manifestFile: ManifestFile,
): ServiceError {
  parts.manifestFiles.tell(location, manifestFile);
  const { path = [], message } = manifestFile.newer?.fault ?? {};
  const where = path.length > 0 ? ` (${path.join(".")})` : "";
  return new ServiceError(
    "unsupported",
    `The document in ${manifestFile.name} at this address ${message}${where}. Its operator can store it as 3.0.`,
    { code: "unsupported_presentation_version" },
  );
}

/** Returns the whole document that replaces the one that a reading names. */
function readWhole(
  { extent }: PresentationPath,
  { kind, images }: { readonly kind: FolderKind; readonly images: number },
  manifestFile: ManifestFile | undefined,
): StoredDocument | undefined {
  const { stored } = manifestFile ?? {};
  if (!manifestFile || !stored) return undefined;
  if (isMisplaced(kind, images, manifestFile)) return undefined;
  // Annotations next to images are attached to them.
  if (isOfAnnotations(stored.whole)) return images === 0 && extent === "whole" ? stored : undefined;
  const own = kind === "collection" && isOfImages(manifestFile) ? "images" : "whole";
  return extent === own ? stored : undefined;
}

/** A description is useless if nothing that it describes can be listed. */
function refuseFaulty({ parts }: Making, location: FolderLocation, { manifestFile }: Folder): undefined {
  if (!manifestFile) return;
  refuseUnusable(parts, location, manifestFile);
  if (manifestFile.faults().length === 0)
    manifestFile.add([
      {
        path: [],
        message:
          "expected a whole document, with type, label and items, because this source cannot list the images",
      },
    ]);
  parts.manifestFiles.tell(location, manifestFile);
}

/**
 * Throws `decode` (code unusable_manifest_file) for an entirely unusable file in a folder without other
 * contents.
 */
function refuseUnusable(
  parts: ManifestsParts,
  location: FolderLocation,
  manifestFile: ManifestFile | undefined,
): void {
  if (manifestFile?.unusable === undefined) return;
  parts.manifestFiles.tell(location, manifestFile);
  throw new ServiceError(
    "decode",
    `The file ${manifestFile.name} at this address cannot be used: ${findingLine(manifestFile.unusable)}. Its operator has to correct it.`,
    { code: "unusable_manifest_file" },
  );
}

async function storedFound(
  making: Making,
  { id }: PresentationPath,
  { location, folder }: { readonly location: FolderLocation; readonly folder: Folder },
  manifestFile: ManifestFile,
  stored: StoredDocument,
): Promise<PlannedDocument> {
  const { parts, context } = making;
  const isManifest = stored.whole.type === "Manifest";
  const pages = isManifest
    ? await attachedPages(making, location, folder, stored.whole.annotations)
    : undefined;
  // Readers are asked about before it is known whether the document is the same for all.
  const texts = isManifest ? await storedTexts(making, location, folder, stored) : undefined;
  const make = async () => {
    const made = storedDocuments(stored, id, context.base);
    parts.manifestFiles.tellOrigins(location, manifestFile, made.document, context.base);
    const annotated = pages ? await attachStored(making, made, pages, { location, folder, stored }) : made;
    return texts ? { ...annotated, ...texts.addTo(annotated.document) } : annotated;
  };
  return {
    make,
    folder,
    ...(pages && { beyond: pages.stamp + (texts?.stamp ?? "") }),
    ignoredFile: () => parts.manifestFiles.tell(location, manifestFile) ?? pages?.ignoredFile(),
  };
}

/** A stored document in its folder. */
interface StoredIn {
  readonly location: FolderLocation;
  readonly folder: Folder;
  readonly stored: StoredDocument;
}

/** Attaches pages of annotations to the canvases of a stored manifest. */
async function attachStored(
  making: Making,
  made: Made,
  pages: AttachedPages,
  { location, folder, stored }: StoredIn,
): Promise<Made> {
  const { annotations, ...document } = made.document;
  const address = String(document.id);
  const find = findStored(making.parts.sources, document);
  const canvases = paintedCanvases(making.parts, location, document, paintedOf(making, stored));
  const attached = await pages.attach({
    address,
    find,
    key: `${folder.serial} ${address}`,
    annotations,
    canvases: async () => canvases,
    sizedCanvas: async (number) => sizedCanvas(objectsOf(document.items)[number - 1]),
  });
  const items = objectsOf(document.items).map((canvas, at) =>
    withPages(canvas, attached.of(at + 1, canvases[at]?.file)),
  );
  const { left } = attached;
  return {
    ...made,
    document: { ...document, items, ...(left.length > 0 && { annotations: left }) },
    attached,
  };
}

const withPages = (canvas: Resource, pages: readonly Resource[]): Resource =>
  pages.length === 0 ? canvas : { ...canvas, annotations: [...objectsOf(canvas.annotations), ...pages] };

/** Identifier, name and parent of the document of a folder. */
function identityOf({ sources }: ManifestsParts, location: FolderLocation) {
  const parent = parentOf(sources, location);
  const id = parent === undefined ? "" : identifierOf(location);
  return { id, label: nameOf(location), ...(parent !== undefined && { parent }) };
}

async function folderManifest(
  making: Making,
  location: FolderLocation,
  folder: Folder,
  given: { readonly besideFolders: boolean; readonly description: Description },
): Promise<PlannedDocument | undefined> {
  const { besideFolders } = given;
  const description = withMets(given.description, folder);
  const { parts, caller, gate, context } = making;
  const own = identityOf(parts, location);
  const identity = { ...own, ...(besideFolders && { id: imagesId(own.id), parent: own.id }) };
  const files = imagesOf(parts.sources, location, folder);
  const reader = readerOf(parts.images, location, folder, caller);
  const sheets = await sheetsOf(parts, files, reader, gate);
  if (sheets.files === 0) return undefined;
  // Cache headers depend on decisions on pages, but a long folder is not read as a whole before its first
  // byte is sent.
  const isWhole = making.partly || sheets.files <= maxHeld || sheets.areKnown();
  const all = isWhole ? await sheets.all() : undefined;
  if (!all) gate.restrict();
  const looking = { sheets, reader, gate };
  const pages = await attachedPages(making, location, folder, description.members.annotations);
  const find = (inner: FolderLocation) => folderAt(making, inner);
  const texts = showsTexts(parts) ? await folderTexts(find, location, folder) : noTexts;
  const manifestFile = folder.manifestFile?.stored ? undefined : folder.manifestFile;
  const facts = async () => (await factsOfSheets(looking, await sheets.all())).filter(isThere);

  const make = async (): Promise<Made> => {
    const address = documentAddress(context.base, identity.id);
    const { annotations, ...members } = description.members;
    const find = findDerived(parts.sources, location, address);
    const attached = await pages.attach({
      address,
      find,
      key: address,
      annotations,
      ...annotatedSheets(looking, address),
    });
    const { left } = attached;
    const described = {
      ...description,
      members: { ...members, ...(left.length > 0 && { annotations: left }) },
    };
    const isOrdered = description !== given.description;
    const isDescribed = manifestFile !== undefined || isOrdered || left.length > 0;
    const front = await firstReadable(looking, ({ pass }) => pass.visible);
    const stand = standInSizeOf(await firstReadable(looking, () => true));
    const auths = sheets.auths();
    const logins = { gated: auths.length > 0, services: loginServices(auths) };
    const notes = sheets.notes().join(" ");
    const note = notes ? { note: notes } : {};
    const head = manifestHead({ ...identity, ...(front && { front }), ...logins, ...note }, context);
    const canvases = folderCanvases(looking, identity.id, { stand, context, attached, texts });
    const common = { attached, texts: textsOfSheets(looking, texts, address) };
    const document = isDescribed ? describeHead(head, described, context.base) : head;
    const isLong = !all || all.length > maxHeld;
    if (document && (isLong || making.partly)) return { document, canvases, ...common };
    const derived = { ...head, items: await itemsOf(canvases) };
    if (derived.items.length === 0) throw new ServiceError("not-found", gone, { code: "no_such_manifest" });
    if (!isDescribed) return { document: derived, ...common };
    const merged = describeManifest(derived, described, await facts(), context.base);
    manifestFile?.add(merged.faults);
    return { document: merged.document, ...common };
  };
  return {
    make,
    folder,
    beyond: pages.stamp + texts.stamp,
    facts,
    outcome: () => all && outcomeOf(all),
    isKnown: () => sheets.areRead(),
    ignoredFile: () => ignoring(parts, location, folder).ignoredFile?.() ?? pages.ignoredFile(),
    needsConsent: true,
  };
}

const gone = "The images of this folder are no longer there. Ask again, or check the spelling.";

/** All canvases of a manifest. */
export async function itemsOf(canvases: Canvases): Promise<readonly Resource[]> {
  const items: Resource[] = [];
  for await (const some of canvases.batches()) items.push(...some);
  return items;
}

/** Returns the decisions on sheets, in order. */
function outcomeOf(sheets: readonly Sheet[]): string {
  const runs: { readonly of: string; times: number }[] = [];
  for (const { pass } of sheets) {
    const last = runs.at(-1);
    if (last?.of === pass.outcome) last.times++;
    else runs.push({ of: pass.outcome, times: 1 });
  }
  return JSON.stringify(runs);
}

const ignoring = (
  parts: ManifestsParts,
  location: FolderLocation,
  { manifestFile }: Folder,
): Pick<PlannedDocument, "ignoredFile"> =>
  manifestFile ? { ignoredFile: () => parts.manifestFiles.tell(location, manifestFile) } : {};

/** Returns a collection, or one of its parts. Examines only the members that the document shows. */
async function folderCollection(
  making: Making,
  location: FolderLocation,
  folder: Folder | undefined,
  listed: readonly ListedMember[],
  extent: PresentationPath["extent"],
): Promise<PlannedDocument | undefined> {
  const { parts, caller, gate, context } = making;
  const description = folder?.manifestFile?.describe("collection") ?? emptyDescription;
  const { document: members, faults } = arrangeMembers(listed, description);
  folder?.manifestFile?.add(faults);
  const range = typeof extent === "number" ? partRange(members.length, extent) : undefined;
  if (typeof extent === "number" && range === undefined) return undefined;
  const hasParts = partRange(members.length, 1) !== undefined;
  const [from, to] = range ?? (hasParts ? [0, 0] : [0, members.length]);
  const identity = identityOf(parts, location);
  const examine = async () => {
    const seen = await lookInto(parts, members.slice(from, to), caller, gate);
    const facts = members.map(
      ({ id, label }, at) => seen[at - from] ?? ({ kind: "collection", id, label } as const),
    );
    return { ...identity, members: facts };
  };
  // A page that lists the folder needs no document.
  const examined = making.partly ? undefined : await examine();
  const make = async () => {
    const whole = examined ?? (await examine());
    const part = typeof extent === "number" ? partOfCollection(whole, extent, context) : undefined;
    if (part) return { document: part };
    const derived = collectionOf(whole, context);
    if (!folder?.manifestFile) return { document: derived };
    const merged = describeCollection(derived, description, context.base);
    folder.manifestFile.add(merged.faults);
    return { document: merged.document };
  };
  return { make, ...(folder && ignoring(parts, location, folder)), lists: identity.id, needsConsent: true };
}
