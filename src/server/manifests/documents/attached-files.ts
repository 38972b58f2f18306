// Files of annotations next to images, at the canvases that they are about: the file of a folder is read when
// its manifest is made, those of single images when their pages are requested.

import { createPauses, ServiceError } from "../../../base/index.ts";
import {
  type AnnotatedCanvas,
  createSorter,
  crowdReason,
  objectsOf,
  type Resource,
  servedAnnotation,
  type TargetCanvas,
  type TargetedAnnotation,
  withContext,
} from "../../../iiif/index.ts";
import { type AnnotationFile, unusableAnnotations } from "../folders/annotation-files.ts";
import { annotationsEnding, readAnnotationsName } from "../folders/annotation-names.ts";
import type { ListedFile } from "../folders/listing.ts";
import { withoutExtension } from "../folders/text-names.ts";
import type { FolderLocation } from "../locations.ts";
import { canFoldIn } from "../texts/folder-texts.ts";
import { foldName } from "../texts/text-files.ts";
import type { AttachedPage, Making } from "./making.ts";
import { withholdText } from "./restricted.ts";
import type { FindTarget } from "./targets.ts";

/** A canvas of a manifest, and its image in the folder. */
export interface AttachedCanvas extends AnnotatedCanvas {
  /** Name of the file; absent if the image is elsewhere. */
  readonly file?: string | undefined;
  /** Identifiers of all images of this service on it, if that is not the one alone. */
  readonly images?: readonly string[];
}

/** The canvases of a manifest that annotations are about. */
export interface AnnotatedManifest {
  readonly address: string;
  /** Finds what an address without a fragment names. */
  readonly find: FindTarget;
  /** All canvases, in order. */
  canvases(): Promise<readonly AttachedCanvas[]>;
  /** Returns a canvas with its size, by its number from 1; undefined if that is unknown. */
  sizedCanvas(number: number): Promise<TargetCanvas | undefined>;
}

/** The files of annotations of a folder. */
export interface AnnotationFilesOf {
  /** Equal as long as the file of the folder is the same. */
  readonly stamp: string;
  readonly ofFolder?: AnnotationFile;
  /** The file of the folder with the line of its first mistake; undefined without mistakes. */
  ignoredFile(): string | undefined;
  /** Returns the file of an image by the name of the image. */
  ofImage(name: string): ListedFile | undefined;
}

const none: AnnotationFilesOf = { stamp: "", ignoredFile: () => undefined, ofImage: () => undefined };

/**
 * Finds the files of annotations of a folder. There are none if a hook maps identifiers: it may show another
 * image under the name of a file.
 */
export async function annotationFilesOf(
  { parts, gate }: Making,
  location: FolderLocation,
  listing: { readonly annotations: readonly ListedFile[]; readonly images: readonly ListedFile[] },
): Promise<AnnotationFilesOf> {
  const listed = parts.images.hooks?.has("resolve") ? [] : listing.annotations;
  if (listed.length === 0) return none;
  const [exact, folded] = [new Map<string, ListedFile>(), new Map<string, ListedFile>()];
  let common: ListedFile | undefined;
  for (const file of listed) {
    const { stem } = readAnnotationsName(file.name) ?? {};
    if (stem === undefined) common = file;
    else {
      exact.set(stem, file);
      folded.set(foldName(stem), file);
    }
  }
  const canFold = canFoldIn(listing.images);
  const read = async (file: ListedFile) => {
    try {
      return await parts.annotationFiles.read(location, file);
    } catch (error) {
      if (!(error instanceof ServiceError) || !["source", "busy"].includes(error.kind)) throw error;
      gate.doubt();
      return undefined;
    }
  };
  const ofFolder = common && (await read(common));
  return {
    stamp: ofFolder?.validator ?? "",
    ...(ofFolder && { ofFolder }),
    ignoredFile: () => ofFolder && parts.manifestFiles.tell(location, ofFolder),
    ofImage(name) {
      const stems = [name, withoutExtension(name)];
      for (const stem of stems) {
        const found = exact.get(stem) ?? (canFold(stem) ? folded.get(foldName(stem)) : undefined);
        if (found) return found;
      }
      return undefined;
    },
  };
}

/** Names of the files that an image may have, by the name of the image. */
export const annotationNamesOf = (name: string): readonly string[] =>
  [...new Set([name, withoutExtension(name)])].map((stem) => stem + annotationsEnding);

/** Annotations that are sorted between two pauses. */
const sortedAtOnce = 1000;
/** Annotations that are brought to the form of viewers between two pauses. */
const servedAtOnce = 500;

type ByNumber = ReadonlyMap<number, readonly TargetedAnnotation[]>;

/** The latest result for a file, with the canvases it is for. */
const sorted = new WeakMap<AnnotationFile, { readonly key: string; readonly byNumber: ByNumber }>();

/**
 * Returns the annotations of a file by the number of their canvas. `own`: number of the canvas of the image
 * that the file is next to. Mistakes are added to the file, unless images are hidden from the caller.
 */
export async function annotationsByNumber(
  { parts, gate, context }: Making,
  file: AnnotationFile,
  manifest: AnnotatedManifest,
  own?: number,
): Promise<ByNumber> {
  const canvases = await manifest.canvases();
  const key = JSON.stringify([manifest.address, own, canvases.map(({ identifier }) => identifier)]);
  const known = sorted.get(file);
  if (known?.key === key) return known.byNumber;
  const pause = createPauses();
  const { add, sorted: found } = createSorter({
    base: context.base,
    canvases,
    imagePrefixes: [...Object.values(context.imagePrefixes), ...parts.aliases],
    find: manifest.find,
    own,
  });
  const { annotations } = file.stored;
  for (let at = 0; at < annotations.length; at += sortedAtOnce) {
    add(annotations.slice(at, at + sortedAtOnce));
    await pause();
  }
  if (gate.passForAll()) file.add(found.faults);
  sorted.set(file, { key, byNumber: found.byNumber });
  return found.byNumber;
}

/**
 * Returns annotations of a file about one canvas as a page of their own. Throws `decode`
 * (unusable_annotations) if there are more than are served.
 */
export async function servedPage(
  { name }: AnnotationFile,
  annotations: readonly TargetedAnnotation[],
  reference: Resource,
  canvas: TargetCanvas | undefined,
  base: string,
): Promise<AttachedPage> {
  const reason = crowdReason(annotations.length);
  if (reason !== undefined) throw unusableAnnotations(name, reason);
  const origin = { base, address: String(reference.id), canvas };
  const narrowedOf = new Map<Resource, Resource>();
  const pause = createPauses();
  for (const [at, each] of annotations.entries()) {
    const { annotation, narrowed } = servedAnnotation(each, at + 1, origin);
    narrowedOf.set(annotation, narrowed);
    if (at % servedAtOnce === servedAtOnce - 1) await pause();
  }
  return {
    document: withContext({ ...reference, items: [...narrowedOf.keys()] }, false),
    narrow: ({ items, ...rest }) => ({
      ...rest,
      items: objectsOf(items).map((item) => narrowedOf.get(item) ?? item),
    }),
  };
}

/**
 * Returns the page of the file next to the image of a canvas, which is read for it; undefined if there is
 * none. Throws `decode` (unusable_annotations) if it cannot be used, and what its source throws.
 */
export async function besidePage(
  making: Making,
  location: FolderLocation,
  files: AnnotationFilesOf,
  manifest: AnnotatedManifest,
  { number, reference }: { readonly number: number; readonly reference: Resource },
): Promise<AttachedPage | undefined> {
  const { parts, context } = making;
  const canvases = await manifest.canvases();
  const canvas = canvases[number - 1];
  const listed = canvas?.file === undefined ? undefined : files.ofImage(canvas.file);
  if (!canvas || !listed) return undefined;
  const denied = await denyPage(making, canvas, reference);
  if (denied) return denied;
  const file = await parts.annotationFiles.read(location, listed);
  if (!file) return undefined;
  refuseUnusable(file);
  const own = canvases.findIndex((each) => each.file === canvas.file) + 1;
  const byNumber = await annotationsByNumber(making, file, manifest, own);
  parts.manifestFiles.tell(location, file);
  const { label } = file.stored;
  const readable = await readableOf(making, manifest, byNumber, number);
  if (!readable) return refusedPage(reference);
  const labelled = { ...reference, ...(label && { label }) };
  return servedPage(file, readable, labelled, await manifest.sizedCanvas(number), context.base);
}

/** Returns an empty page for others than readers of the image, who may not learn why a file is damaged. */
export async function denyPage(
  { gate }: Making,
  canvas: AttachedCanvas,
  reference: Resource,
): Promise<AttachedPage | undefined> {
  return (await mayReadAbout(gate, canvas)) ? undefined : refusedPage(reference);
}

/** An empty page for readers who may read none of its annotations. */
export const refusedPage = (reference: Resource): AttachedPage => ({
  document: withContext({ ...reference, items: [] }, false),
  narrow: (page) => page,
  refused: withholdText(
    "Only readers with access to all of the image may read what was written about it. Log in, then ask again.",
  ),
});

async function mayReadAbout(gate: Making["gate"], canvas: AttachedCanvas): Promise<boolean> {
  for (const identifier of canvas.images ?? [canvas.identifier])
    if (!(await gate.mayRead(identifier, "all"))) return false;
  return true;
}

/**
 * Returns those of the annotations of a canvas that its caller may read: they need access to the images on
 * all canvases that they are about, whose addresses need not say what they show. Undefined if there are some
 * and the caller may read none.
 */
export async function readableOf(
  { gate }: Making,
  manifest: AnnotatedManifest,
  byNumber: ByNumber,
  number: number,
): Promise<readonly TargetedAnnotation[] | undefined> {
  const own = byNumber.get(number) ?? [];
  if (gate.passForAll() || own.length === 0) return own;
  const canvases = await manifest.canvases();
  const about = new Set(own.map(({ annotation }) => annotation));
  const denied = new Set<Resource>();
  for (const [at, some] of byNumber) {
    const canvas = canvases[at - 1];
    const found = some.filter(({ annotation }) => about.has(annotation));
    if (!canvas || found.length === 0 || (await mayReadAbout(gate, canvas))) continue;
    for (const { annotation } of found) denied.add(annotation);
  }
  const left = own.filter(({ annotation }) => !denied.has(annotation));
  return left.length > 0 ? left : undefined;
}

/** Throws if nothing of a file can be used. */
export function refuseUnusable({ name, unusable }: AnnotationFile): void {
  if (!unusable) return;
  const { text, position } = unusable;
  throw unusableAnnotations(name, position ? `line ${position.line}: ${text}` : text);
}
