// The documents of a folder: its manifest, its collection in whole or in parts, or what its manifest file has in their place.

import { ServiceError } from "../../errors.ts";
import {
  canvasesOf,
  collectionOf,
  manifestHead,
  manifestOf,
  partOfCollection,
  partRange,
} from "../../iiif/presentation/derive.ts";
import { type Description, emptyDescription } from "../../iiif/presentation/description/description.ts";
import type { Fault } from "../../iiif/presentation/description/faults.ts";
import {
  arrangeMembers,
  describeCollection,
  describeHead,
  describeManifest,
} from "../../iiif/presentation/description/merge.ts";
import type { DocumentContext, ManifestFacts } from "../../iiif/presentation/model.ts";
import { imagesId, type PresentationPath } from "../../iiif/presentation/mounts.ts";
import { isOfAnnotations, type Stored, storedDocuments } from "../../iiif/presentation/stored.ts";
import type { Folder } from "../folders/folder.ts";
import type { ManifestFile } from "../folders/manifest-file.ts";
import { identifierOf, nameOf, type Place, parentOf } from "../places.ts";
import { folderCanvases, imagesOf } from "./canvases.ts";
import { type FolderKind, isOfImages, kindOfFolder } from "./folder-kind.ts";
import type { Found, LongManifest, Made, Making, ManifestsParts } from "./making.ts";
import { type Listed, lookInto, membersOf } from "./members.ts";

/** Canvases of a manifest that are held at once; 1,000 take about 10 MB. */
export const mostHeld = 2000;

/** Whether a place is the top of the default source, whose collection is the root of all documents. */
export const isRoot = ({ sources }: ManifestsParts, { source, key }: Place) =>
  key === "" && source === sources.default;

/** The document of a folder that a reading names; undefined where it has none such. Only the root may be there without a folder. */
export async function folderDocument(
  making: Making,
  reading: PresentationPath,
  place: Place,
  folder: Folder | undefined,
): Promise<Found | undefined> {
  const { parts } = making;
  const { extent } = reading;
  const files = folder ? imagesOf(parts.sources, place, folder) : [];
  const kind = folder ? kindOfFolder(folder, place, files.length) : "collection";
  const manifestFile = folder?.manifestFile;
  const stored = storedAt(reading, kind, manifestFile);
  if (folder && manifestFile && stored)
    return storedFound(making, reading.id, place, folder, manifestFile, stored);
  if (!place.source.list && !isRoot(parts, place)) return folder && faulty(making, place, folder);
  if (extent === "images") {
    if (!folder || kind === "manifest" || files.length === 0) return undefined;
    const description = manifestFile?.described("collection").images ?? emptyDescription;
    return folderManifest(making, reading, place, folder, { besideFolders: true, description });
  }
  if (folder && kind === "manifest") {
    if (extent !== "whole") return undefined;
    const description = manifestFile?.described("manifest") ?? emptyDescription;
    return folderManifest(making, reading, place, folder, { besideFolders: false, description });
  }
  const members = membersOf(parts, place, folder, isRoot(parts, place));
  if (folder === undefined && members.length === 0) return undefined;
  if (members.length === 0) refuseUnusable(parts, place, manifestFile);
  return folderCollection(making, place, folder, members, extent);
}

/** The whole document that takes the place of what a reading names. */
function storedAt(
  { extent }: PresentationPath,
  kind: FolderKind,
  manifestFile: ManifestFile | undefined,
): Stored | undefined {
  const { stored } = manifestFile ?? {};
  if (!manifestFile || !stored) return undefined;
  // The top of a source is a collection whatever it holds, and nothing else is called one by its kind.
  if (kind === "collection" && isOfAnnotations(stored.whole)) {
    manifestFile.add([misplaced]);
    return undefined;
  }
  const own = kind === "collection" && isOfImages(manifestFile) ? "images" : "whole";
  return extent === own ? stored : undefined;
}

const misplaced: Fault = {
  path: ["type"],
  message:
    "expected Manifest or Collection at the top of a source; put annotations into a folder of their own",
};

/** A description alone is of no use where nothing can be listed that it describes. */
function faulty({ parts }: Making, place: Place, { manifestFile }: Folder): undefined {
  if (!manifestFile) return;
  refuseUnusable(parts, place, manifestFile);
  if (manifestFile.faults().length === 0)
    manifestFile.add([
      {
        path: [],
        message:
          "expected a whole document, with type, label and items: this source cannot list the images that are described",
      },
    ]);
  parts.manifestFiles.tell(place, manifestFile);
}

/** Throws `decode` (code unusable_manifest_file) for a file of which nothing can be used, where nothing stands beside it. */
function refuseUnusable(parts: ManifestsParts, place: Place, manifestFile: ManifestFile | undefined): void {
  if (manifestFile?.unusable === undefined) return;
  parts.manifestFiles.tell(place, manifestFile);
  throw new ServiceError(
    "decode",
    `The file ${manifestFile.name} at this address cannot be used: ${manifestFile.unusable}. Its operator has to correct it.`,
    { code: "unusable_manifest_file" },
  );
}

function storedFound(
  { parts, context }: Making,
  id: string,
  place: Place,
  folder: Folder,
  manifestFile: ManifestFile,
  stored: Stored,
): Found {
  const make = () => {
    const made = storedDocuments(stored, id, context.base);
    parts.manifestFiles.tellOrigins(place, manifestFile, made.document, context.base);
    return made;
  };
  return { make, folder, ignored: () => parts.manifestFiles.tell(place, manifestFile) };
}

/** Identifier, name and parent of the document of a folder. */
function identityOf({ sources }: ManifestsParts, place: Place) {
  const parent = parentOf(sources, place);
  const id = parent === undefined ? "" : identifierOf(place);
  return { id, label: nameOf(place), ...(parent !== undefined && { parent }) };
}

async function folderManifest(
  { parts, caller, gate, context }: Making,
  { piece }: PresentationPath,
  place: Place,
  folder: Folder,
  { besideFolders, description }: { readonly besideFolders: boolean; readonly description: Description },
): Promise<Found | undefined> {
  const own = identityOf(parts, place);
  const files = imagesOf(parts.sources, place, folder);
  const canvases = await folderCanvases(parts.images, place, folder, files, caller, gate);
  if (canvases.length === 0) return undefined;
  const facts = { ...own, ...(besideFolders && { id: imagesId(own.id), parent: own.id }), canvases };
  const { manifestFile } = folder;
  const make = () => {
    if (manifestFile === undefined || manifestFile.stored) return manifestMade(facts, context, piece);
    if (canvases.length > mostHeld) {
      const made = manifestMade(facts, context, piece);
      const document = describeHead(made.document, description, context.base);
      if (document) return { ...made, document };
    }
    const merged = describeManifest(manifestOf(facts, context), description, canvases, context.base);
    manifestFile.add(merged.faults);
    return { document: merged.document };
  };
  return { make, folder, canvases, ...ignoring(parts, place, folder), needsConsent: true };
}

const ignoring = (parts: ManifestsParts, place: Place, { manifestFile }: Folder): Pick<Found, "ignored"> =>
  manifestFile ? { ignored: () => parts.manifestFiles.tell(place, manifestFile) } : {};

function manifestMade(
  facts: ManifestFacts,
  context: DocumentContext,
  piece: PresentationPath["piece"],
): Made {
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
async function folderCollection(
  { parts, caller, gate, context }: Making,
  place: Place,
  folder: Folder | undefined,
  listed: readonly Listed[],
  extent: PresentationPath["extent"],
): Promise<Found | undefined> {
  const description = folder?.manifestFile?.described("collection") ?? emptyDescription;
  const { document: members, faults } = arrangeMembers(listed, description);
  folder?.manifestFile?.add(faults);
  const range = typeof extent === "number" ? partRange(members.length, extent) : undefined;
  if (typeof extent === "number" && range === undefined) return undefined;
  const hasParts = partRange(members.length, 1) !== undefined;
  const [from, to] = range ?? (hasParts ? [0, 0] : [0, members.length]);
  const seen = await lookInto(parts, members.slice(from, to), caller, gate);
  const facts = members.map(
    ({ id, label }, at) => seen[at - from] ?? ({ kind: "collection", id, label } as const),
  );
  const whole = { ...identityOf(parts, place), members: facts };
  const part = typeof extent === "number" ? partOfCollection(whole, extent, context) : undefined;
  const make = () => {
    if (part) return { document: part };
    const derived = collectionOf(whole, context);
    if (!folder?.manifestFile) return { document: derived };
    const merged = describeCollection(derived, description, context.base);
    folder.manifestFile.add(merged.faults);
    return { document: merged.document };
  };
  return { make, ...(folder && ignoring(parts, place, folder)), needsConsent: true };
}
