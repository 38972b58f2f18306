// Pages of annotations that a manifest names or that are next to its images: each is attached to the
// canvases that its annotations target, since viewers show nothing at the level of the manifest.

import { createPauses, ServiceError } from "../../../base/index.ts";
import {
  annotationsByTarget,
  annotationsIn,
  documentAddress,
  type IdOfTarget,
  idOf,
  isOfAnnotations,
  isThere,
  objectOf,
  objectsOf,
  ownNames,
  pieceAddress,
  type Resource,
  type StoredDocument,
  storedDocuments,
  type TargetedAnnotation,
  withContext,
} from "../../../iiif/index.ts";
import type { Folder } from "../folders/folder.ts";
import { type FolderLocation, identifierOf, inside, locationOf } from "../locations.ts";
import {
  type AnnotatedManifest,
  type AnnotationFilesOf,
  annotationFilesOf,
  annotationsByNumber,
  besidePage,
  denyPage,
  readableOf,
  refusedPage,
  refuseUnusable,
  servedPage,
} from "./attached-files.ts";
import type { Attached, Making } from "./making.ts";
import type { Target } from "./targets.ts";

/** A document of annotations in a folder. */
interface Page {
  /** Identifier of its folder. */
  readonly id: string;
  readonly stored: StoredDocument;
  readonly serial: number;
  /** True if it is in the folder of the images, where it has no address. */
  readonly isOwn?: true;
}

/** Pages of annotations of one manifest that its caller may read. */
export interface AttachedPages {
  /** Equal as long as the same pages hold the same. */
  readonly stamp: string;
  /** The file that is not used, or not wholly; known when they are attached. */
  ignoredFile(): string | undefined;
  /** Returns them as attached to the canvases of the manifest. */
  attach(manifest: AttachedManifest): Promise<Attached>;
}

export interface AttachedManifest extends AnnotatedManifest {
  /** Equal for manifests in which it finds the same. */
  readonly key: string;
  /** Value of its member `annotations`. */
  readonly annotations: unknown;
}

/** Pages of one manifest. */
const maxPages = 1000;
/** Levels of folders below that of the images. */
const maxLevels = 3;

/**
 * Finds the pages of annotations for the manifest of a folder: those below its folder, and those that
 * `named`, its member `annotations`, names.
 */
export async function attachedPages(
  making: Making,
  location: FolderLocation,
  folder: Folder,
  named: unknown,
): Promise<AttachedPages> {
  const { gate, context, parts } = making;
  const pages = new Map<string, Page>();
  const add = (id: string, found: Folder, isOwn?: true) => {
    const stored = found.manifestFile?.stored;
    if (stored && isOfAnnotations(stored.whole) && !pages.has(id) && pages.size < maxPages)
      pages.set(id, { id, stored, serial: found.serial, ...(isOwn && { isOwn }) });
  };
  add(identifierOf(location), folder, true);
  await addBelow(making, location, folder, add, maxLevels);
  for (const each of objectsOf(named)) {
    const id = Array.isArray(each.items) ? undefined : identifierIn(each, context.base);
    const found =
      id === undefined || pages.has(id) ? undefined : await folderAt(making, locationOf(parts.sources, id));
    if (id !== undefined && found) add(id, found);
  }
  const readable: Page[] = [];
  for (const page of pages.values())
    if (page.isOwn || (await gate.mayRead(page.id, "all"))) readable.push(page);
  const files = await annotationFilesOf(making, location, folder.listing);
  const stamps = readable.map(({ id, serial }) => [id, serial]);
  return {
    stamp: (stamps.length === 0 ? "" : JSON.stringify(stamps)) + files.stamp,
    ignoredFile: files.ignoredFile,
    attach: (manifest) => attachPages(making, { location, pages: readable, files }, manifest),
  };
}

/** Finds the files of annotations in a listing of a folder. */
export async function attachedBeside(
  making: Making,
  location: FolderLocation,
  listing: Pick<Folder["listing"], "images" | "annotations">,
): Promise<AttachedPages> {
  const files = await annotationFilesOf(making, location, listing);
  return {
    stamp: files.stamp,
    ignoredFile: files.ignoredFile,
    attach: (manifest) => attachPages(making, { location, pages: [], files }, manifest),
  };
}

/** Identifier of the document of the service that a reference names, in any version and on any host. */
function identifierIn(reference: Resource, base: string): string | undefined {
  const address = idOf(reference);
  if (address === undefined) return undefined;
  const own = address.startsWith("/") ? base + address : address;
  return ownNames(own, []).documents.find(({ piece, extent }) => !piece && extent === "whole")?.id;
}

async function addBelow(
  making: Making,
  location: FolderLocation,
  { listing }: Folder,
  add: (id: string, folder: Folder) => void,
  levels: number,
): Promise<void> {
  for (const name of levels > 0 ? listing.notes : []) {
    const inner = inside(location, name);
    const folder = await folderAt(making, inner);
    if (!folder) continue;
    add(identifierOf(inner), folder);
    await addBelow(making, inner, folder, add, levels - 1);
  }
}

/** A folder, or undefined if there is none or it cannot be read now. */
export async function folderAt(
  { parts, caller, gate }: Making,
  location: FolderLocation,
): Promise<Folder | undefined> {
  try {
    return await parts.folders.find(location.source, location.key, caller.signal);
  } catch (error) {
    if (!(error instanceof ServiceError) || !["source", "busy"].includes(error.kind)) throw error;
    gate.doubt();
    return undefined;
  }
}

/** What a document of annotations is about. */
interface Index {
  readonly label: unknown;
  /** Annotations by the number of their target. */
  readonly byNumber: ReadonlyMap<number, readonly TargetedAnnotation[]>;
  /** True if all of it is about canvases. */
  readonly isWhole: boolean;
}

/** The latest index of a document, with the manifest it is for: a page may hold the text of a book. */
const indexes = new WeakMap<object, { readonly key: string; readonly index: Index }>();

function indexOf(of: object, read: () => Resource, { find, key }: AttachedManifest): Index {
  const known = indexes.get(of);
  if (known?.key === key) return known.index;
  const targets = new Map<string, Target | undefined>();
  const numbers = new Map<string, number>();
  const idOfTarget: IdOfTarget = (address) => {
    if (!targets.has(address)) targets.set(address, find(address));
    const target = targets.get(address);
    if (target) numbers.set(target.id, target.number);
    return target?.id;
  };
  const document = read();
  const all = annotationsIn(document);
  const { byTarget, left } = annotationsByTarget(all, idOfTarget);
  const byNumber = new Map([...byTarget].map(([id, some]) => [numbers.get(id) ?? 0, some]));
  const isWhole = all.length > 0 && left.length === 0 && !byNumber.has(0);
  const index = { label: document.label, byNumber, isWhole };
  indexes.set(of, { key, index });
  return index;
}

interface FoundAnnotations {
  readonly location: FolderLocation;
  readonly pages: readonly Page[];
  readonly files: AnnotationFilesOf;
}

async function attachPages(
  making: Making,
  { location, pages, files }: FoundAnnotations,
  manifest: AttachedManifest,
): Promise<Attached> {
  const { base } = making.context;
  const { address, annotations } = manifest;
  const pause = createPauses();
  const listed: Index[] = [];
  const whole = new Set<string>();
  const left: Resource[] = [];
  const named = objectsOf(annotations).map((each) => ({ each, id: identifierIn(each, base) }));
  for (const { id, stored, isOwn } of pages) {
    const index = indexOf(stored, () => storedDocuments(stored, id, base).document, manifest);
    listed.push(index);
    if (index.isWhole) whole.add(id);
    if (index.byNumber.has(0) && !isOwn && !named.some((one) => one.id === id))
      left.push({ id: documentAddress(base, id), type: "AnnotationPage" });
    await pause();
  }
  for (const { each, id } of named) {
    const isHeld = Array.isArray(each.items);
    const index = isHeld ? indexOf(each, () => each, manifest) : undefined;
    if (index) listed.push(index);
    if (!(index ? index.isWhole : id !== undefined && whole.has(id))) left.push(each);
  }
  // Files come last, so that the pages before them keep their numbers.
  const { ofFolder } = files;
  const nthOfFolder = listed.length + 1;
  if (ofFolder) {
    const { label } = ofFolder.stored;
    listed.push({ label, byNumber: await annotationsByNumber(making, ofFolder, manifest), isWhole: false });
  }
  const nthBeside = listed.length + 1;
  const reference = (number: number, nth: number) => {
    const label = objectOf(listed[nth - 1]?.label);
    const id = pieceAddress(address, { kind: "annotations", number, nth });
    return { id, type: "AnnotationPage", ...(label && { label }) };
  };
  return {
    left,
    of: (number, file) => {
      const isBeside = file !== undefined && files.ofImage(file) !== undefined;
      return [
        ...listed
          .map(({ byNumber }, at) => (byNumber.has(number) ? reference(number, at + 1) : undefined))
          .filter(isThere),
        ...(isBeside ? [reference(number, nthBeside)] : []),
      ];
    },
    async page(number, nth) {
      if (number < 1) return undefined;
      const page = reference(number, nth);
      if (nth === nthBeside)
        return besidePage(making, location, files, manifest, { number, reference: page });
      const canvas = nth === nthOfFolder ? (await manifest.canvases())[number - 1] : undefined;
      if (ofFolder && canvas) {
        const denied = await denyPage(making, canvas, page);
        if (denied) return denied;
        refuseUnusable(ofFolder);
      }
      const byNumber = listed[nth - 1]?.byNumber;
      if (!byNumber?.has(number)) return undefined;
      const items = await readableOf(making, manifest, byNumber, number);
      if (!items) return refusedPage(page);
      if (ofFolder && canvas)
        return servedPage(ofFolder, items, page, await manifest.sizedCanvas(number), base);
      const withNumber = (item: Resource, at: number): Resource => ({ id: `${page.id}#${at + 1}`, ...item });
      const whole = items.map(({ annotation }, at) => withNumber(annotation, at));
      const narrowed = new Map<Resource | undefined, Resource>(
        items.map((item, at) => [whole[at], withNumber(item.narrowed, at)]),
      );
      return {
        document: withContext({ ...page, items: whole }, false),
        narrow: ({ items: left, ...rest }) => ({
          ...rest,
          items: objectsOf(left).map((item) => narrowed.get(item) ?? item),
        }),
      };
    },
  };
}
