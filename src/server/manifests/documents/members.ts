// Members of a collection: the folders in a folder, the manifest of its images, and at the root the tops of
// further sources.

import { forEachConcurrently, type LanguageMap, ServiceError } from "../../../base/index.ts";
import {
  type CanvasFacts,
  type Description,
  emptyDescription,
  imagesId,
  type MemberFacts,
  objectsOf,
  placeInFront,
} from "../../../iiif/index.ts";
import type { Caller } from "../../access/access.ts";
import type { LookParts } from "../../images/look.ts";
import type { Sources } from "../../sources/index.ts";
import type { Folder } from "../folders/folder.ts";
import type { Folders } from "../folders/folders.ts";
import type { Gate } from "../gate.ts";
import { type FolderLocation, identifierOf, inside, isReached, nameOf } from "../locations.ts";
import { canvasFacts } from "./canvases.ts";
import { type FolderImage, imagesOf, readerOf } from "./folder-images.ts";
import { isOfImages, kindOfFolder, labelOf, labelOfImages } from "./folder-kind.ts";

/** Members that are examined simultaneously. */
const atOnce = 8;

export interface MembersParts {
  readonly sources: Sources;
  readonly folders: Folders;
  readonly images: LookParts;
}

/** A member before anyone has looked into it. */
export interface ListedMember {
  readonly location: FolderLocation;
  readonly kind: "folder" | "images" | "top";
  readonly id: string;
  /** Its name, or its label in the description of the collection. */
  readonly label: string | LanguageMap;
  /** From the description of the collection. */
  readonly navDate?: string;
}

/** The members of the collection of a folder in their order; `isRoot`: those of further sources follow. */
export function membersOf(
  { sources }: Pick<MembersParts, "sources">,
  location: FolderLocation,
  folder: Folder | undefined,
  isRoot: boolean,
): readonly ListedMember[] {
  const directories = (folder?.listing.directories ?? [])
    .map((name) => inside(location, name))
    .filter((inner) => isReached(sources, inner, "folder"))
    .map(
      (inner): ListedMember => ({
        location: inner,
        kind: "folder",
        id: identifierOf(inner),
        label: nameOf(inner),
      }),
    );
  // A folder that has the name of the manifest takes its place.
  const images: ListedMember[] =
    folder &&
    !folder.listing.directories.includes(imagesId("")) &&
    (isOfImages(folder.manifestFile) || imagesOf(sources, location, folder).length > 0)
      ? [
          {
            location,
            kind: "images",
            id: imagesId(isRoot ? "" : identifierOf(location)),
            label: nameOf(location),
          },
        ]
      : [];
  const tops = (isRoot ? sources.all : [])
    .filter((source) => source !== sources.default && source.list)
    .map((source): ListedMember => {
      const top = { source, key: "" };
      return { location: top, kind: "top", id: identifierOf(top), label: nameOf(top) };
    });
  return [...directories, ...images, ...tops];
}

/** Returns members in their order in a document: determines the kind and the representative image of each. */
export async function lookInto(
  parts: MembersParts,
  members: readonly ListedMember[],
  caller: Caller,
  gate: Gate,
): Promise<readonly MemberFacts[]> {
  const found: MemberFacts[] = [];
  await forEachConcurrently(members.entries(), atOnce, async ([at, member]) => {
    found[at] = await memberFacts(parts, member, caller, gate);
  });
  return found;
}

async function memberFacts(
  parts: MembersParts,
  { location, kind, id, label, navDate }: ListedMember,
  caller: Caller,
  gate: Gate,
): Promise<MemberFacts> {
  const asCollection = { kind: "collection", id, label, ...(navDate !== undefined && { navDate }) } as const;
  // The top of a source is a collection whatever it holds, and may be slow to list.
  if (kind === "top") return asCollection;
  let folder: Folder | undefined;
  try {
    folder = await parts.folders.find(location.source, location.key, caller.signal);
  } catch (error) {
    // One folder that cannot be read does not hide all others.
    if (!(error instanceof ServiceError) || !["source", "busy"].includes(error.kind)) throw error;
    gate.doubt();
    return asCollection;
  }
  if (!folder) return asCollection;
  const files = imagesOf(parts.sources, location, folder);
  const folderKind = kind === "images" ? "manifest" : kindOfFolder(folder, location, files.length);
  if (folderKind === "annotations") return { kind: folderKind, id, label };
  const described = descriptionOf(folder, kind === "images" ? "images" : folderKind);
  const own = kind === "images" ? labelOfImages(folder, location) : labelOf(folder, location, folderKind);
  const moment = navDate ?? (described.members.navDate as string | undefined);
  const facts = {
    kind: folderKind,
    id,
    label: typeof label === "string" ? own : label,
    ...(moment !== undefined && { navDate: moment }),
  } as const;
  const pictures = objectsOf(folder.manifestFile?.stored?.whole.thumbnail);
  if (pictures.length > 0) return { ...facts, pictures };
  const first = folderKind === "manifest" ? files[placeInFront(files, described)] : undefined;
  const thumbnail = first && (await thumbnailOf(parts, { location, folder }, first, caller, gate));
  return { ...facts, ...(thumbnail && { thumbnail }) };
}

/** Returns a folder's own description, without a whole document. */
function descriptionOf({ manifestFile }: Folder, of: "manifest" | "collection" | "images"): Description {
  const read = of === "images" ? manifestFile?.describe("collection").images : manifestFile?.describe(of);
  return read ?? emptyDescription;
}

/** Returns an image of a folder, if the caller may see it. */
async function thumbnailOf(
  { images }: MembersParts,
  { location, folder }: { readonly location: FolderLocation; readonly folder: Folder },
  first: FolderImage,
  caller: Caller,
  gate: Gate,
): Promise<CanvasFacts | undefined> {
  const pass = await gate.pass(first.identifier);
  const [facts] = await readerOf(images, location, folder, caller).facts([first]);
  if (!facts || facts.passes) gate.doubt();
  const { identifier, name: label } = first;
  return facts && pass.listed && pass.visible ? canvasFacts({ identifier, label }, facts, pass) : undefined;
}
