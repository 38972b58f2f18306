// Exports images and their documents as static files of IIIF level 0, for any web server.

import { type Finding, ServiceError } from "../../../base/index.ts";
import {
  checkServable,
  countWalk,
  createTally,
  describe,
  endsWork,
  type Folders,
  identifierOf,
  type Manifests,
  type Progress,
  pagesOf,
  type RenderParts,
  type Slot,
  type SlowFile,
  walkFolders,
  withMaster,
} from "../../../server/index.ts";
import { anonymousCaller } from "../reader.ts";
import { type ExportedDocuments, exportDocuments } from "./documents.ts";
import { type ExportedImage, exportImage, type ImageExport } from "./image.ts";
import { createLeftOutNotes, gatedError, isGatedError, type LeftOut } from "./left-out.ts";
import { documentFile, imageFolder, textPieceOf } from "./names.ts";
import { type ExportedSearch, exportSearch, hasSearch, type SearchExport } from "./search.ts";
import { documentsThatName, findStale, isOpen, type Listed, prune, type Stale } from "./stale.ts";
import type { Target } from "./target.ts";

export interface ExportParts {
  readonly images: RenderParts;
  readonly folders: Folders;
  /** Absent if the Presentation API is disabled; then only images are exported. */
  readonly manifests?: Manifests;
}

export interface ExportOptions {
  /** Identifiers of images and folders; if empty, everything that the sources list. */
  readonly selection: readonly string[];
  readonly target: Target;
  /** Version of the Image API. */
  readonly version: 2 | 3;
  /** Address at which the exported folder will be served, without a trailing /. */
  readonly base: string;
  /** Derivatives of an image that are made simultaneously. */
  readonly concurrency: number;
  /** True to replace files of others that are where documents are written. */
  readonly replaces?: boolean;
  /** True to export the words of canvases as annotations, in addition to the lines. */
  readonly words?: boolean;
  /** Writes a search of the texts; without it, one of an earlier run is written again. */
  readonly search?: boolean;
  /** Returns a file of the page that searches. */
  readonly asset?: SearchExport["asset"];
  /** True to remove what is stale. */
  readonly prunes?: boolean;
  /** The setting `presentation.pages`. */
  readonly pages: "all" | "first";
  readonly signal: AbortSignal;
  /** Called after each file. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface ExportReport {
  /** Images, pages counted separately. */
  readonly images: number;
  /** Derivatives that were made; others were there from an earlier run. */
  readonly derivatives: number;
  readonly documents: number;
  /** Files of text of canvases: annotations of lines and words, plain text, OCR. */
  readonly texts: number;
  /** Pages that the search of the export finds; absent without one. */
  readonly searched?: number;
  /** What earlier runs have exported that is gone or needs a login now, and is still there. */
  readonly stale: readonly Stale[];
  /** What was stale and was removed. */
  readonly removed: readonly Stale[];
  /** Why what is gone was not removed although `prunes` is set. */
  readonly unpruned?: string;
  /** Files of the documents to begin with. */
  readonly start: readonly string[];
  readonly bytesWritten: number;
  /** What only readers with a login may see: an export has no logins. */
  readonly leftOut: LeftOut;
  readonly failed: number;
  /** The first thousand. */
  readonly failures: readonly Finding[];
  readonly slowest: readonly SlowFile[];
  readonly seconds: number;
  /** True if the signal ended it. The next run continues. */
  readonly interrupted: boolean;
}

/** What a run has exported or found unchanged. */
export interface Contents {
  /** Folders of images. */
  readonly images: readonly string[];
  /** Files of documents, and derivatives of other images. */
  readonly files: readonly string[];
}

/**
 * Exports what anyone may see of the selected images; all others are left out. Image information
 * is written last of each image, so an image with one is complete. Errors of files are part of the report,
 * and an abort ends it early; throws FatalError if the target cannot be written. Removes nothing of earlier
 * runs unless `prunes` is set.
 */
export async function exportCollection(
  { images, folders, manifests }: ExportParts,
  options: ExportOptions,
): Promise<ExportReport & { readonly contents: Contents }> {
  const { selection, target, version, base, concurrency, pages, signal, onProgress } = options;
  const { replaces = false, prunes = false, words = false, search = false } = options;
  const { asset = async () => undefined } = options;
  const began = performance.now();
  const tally = createTally();
  const { fail } = tally;
  // Derivatives of an export are made once, and would only displace those that readers ask for.
  const parts: RenderParts = { ...images, render: withoutWrites(images.render) };
  const each: ImageExport = { parts, target, version, base, concurrency };
  const done = new Map<string, ExportedImage>();
  const walked = { sources: images.sources, folders };
  const listed: Listed = { images: new Set(), folders: new Set(), unlisted: [] };
  const onUnlisted = (identifier: string, error: unknown) => {
    listed.unlisted.push(identifier);
    fail(identifier, error);
  };
  /** True if an image failed for another reason than access. */
  let isDoubtful = false;
  const failed = new Set<string>();
  const leftOut = createLeftOutNotes();
  /** Notes an image that was not exported. Throws the error if it is about more than access to the image. */
  const noteMissing = (identifier: string, error: unknown) => {
    failed.add(identifier);
    if (!isGatedError(error)) {
      isDoubtful = true;
      throw error;
    }
    leftOut.note("image", identifier);
  };
  let derivatives = 0;
  let documents: ExportedDocuments | undefined;
  let stale: readonly Stale[] = [];
  let removed: readonly Stale[] = [];
  let unpruned: string | undefined;
  const counting = countWalk(walked, { selection, signal });

  const exportPage = (page: string) =>
    withMaster(
      parts,
      anonymousCaller(page, signal),
      async (master): Promise<readonly string[]> => {
        // A substitute is another image, or less of this one.
        if (!isOpen(master.grant, page) || master.identifier !== page) throw gatedError();
        const header = await describe(parts, master, signal);
        const all = pagesOf(master, header, pages);
        if (all.length > 1) return all;
        checkServable(parts, master, header);
        const exported = await exportImage(each, master, header, signal);
        derivatives += exported.made;
        done.set(page, exported);
        return [];
      },
      () => {
        throw gatedError();
      },
    );
  const exportFile = async (identifier: string) => {
    const pages = await exportPage(identifier).catch((error: unknown) => noteMissing(identifier, error));
    for (const page of pages ?? [])
      try {
        await exportPage(page).catch((error: unknown) => noteMissing(page, error));
      } catch (error) {
        if (endsWork(error)) throw error;
        fail(page, error);
      }
  };
  const exportImages = async () => {
    for await (const { location, images } of walkFolders(walked, { selection, signal, onUnlisted })) {
      if (location) listed.folders.add(identifierOf(location));
      for (const identifier of images) {
        listed.images.add(identifier);
        await tally.take(identifier, () => exportFile(identifier));
        onProgress?.({ done: tally.done(), failed: tally.failed(), ...counting.total() });
      }
    }
  };
  const handleStale = async () => {
    const isWhole = selection.length === 0;
    const written = documents?.written ?? new Set();
    const named = documents?.named ?? new Set();
    const refused = documents?.refused ?? new Set();
    const run = { target, access: parts.access, images: done, named, written, refused, signal, fail };
    stale = await findStale({
      ...run,
      ...(isWhole && { listed }),
      ...(documents?.isComplete && { documents: documents.found }),
    });
    for (const id of await documentsThatName(run, stale)) fail(id || documentFile(id), namingError());
    if (!prunes) return;
    unpruned = reasonToKeep({ listed, isDoubtful, isEmpty: done.size === 0 });
    const pruned = await prune(
      run,
      stale.filter(({ reason }) => reason === "gated" || unpruned === undefined),
    );
    removed = stale.filter((one) => pruned.has(one));
    stale = stale.filter((one) => !pruned.has(one));
  };
  let searched: ExportedSearch | undefined;
  const writeSearch = async () => {
    if (!search && !(await hasSearch(target))) return;
    const past = new Set(stale.map(({ identifier }) => identifier));
    try {
      searched = await exportSearch({ target, base, stale: past, asset, replaces, signal });
      if (searched.isCut) fail("search", tooManyPages());
    } catch (error) {
      if (endsWork(error)) throw error;
      fail("search", error);
    }
  };
  try {
    await target.notes.begin();
    await exportImages();
    if (manifests) {
      const about = {
        manifests,
        parts,
        target,
        version,
        base,
        images: done,
        leftOut,
        signal,
        replaces,
        words,
      };
      // An image that failed already is no second failure as the thumbnail of a document.
      const failOnce = (identifier: string, error: unknown) => {
        if (!failed.has(identifier)) fail(identifier, error);
      };
      documents = await exportDocuments(
        { ...about, fail: failOnce },
        selection.length === 0 ? [""] : selection,
      );
    }
    await handleStale();
    await writeSearch();
  } catch (error) {
    if (!signal.aborted && !(error instanceof ServiceError && error.kind === "cancelled")) throw error;
  }
  await counting.ended;
  const written = [...(documents?.written ?? [])];
  return {
    images: done.size,
    derivatives,
    documents: written.filter((id) => textPieceOf(id) === undefined).length,
    texts: written.filter((id) => textPieceOf(id) !== undefined).length,
    stale,
    removed,
    ...(unpruned !== undefined && stale.some(({ reason }) => reason === "gone") && { unpruned }),
    ...(searched && { searched: searched.pages }),
    start: documents?.start ?? [],
    bytesWritten: target.bytesWritten(),
    leftOut: leftOut.report(),
    failed: tally.failed(),
    failures: tally.failures,
    slowest: tally.slowest,
    seconds: Math.round(performance.now() - began) / 1000,
    interrupted: signal.aborted,
    contents: {
      images: [...done.keys()].map(imageFolder),
      files: [
        ...written.map(documentFile),
        ...(searched?.files ?? []),
        ...(documents?.derivatives ?? []).filter((one) => !done.has(one.identifier)).map(({ path }) => path),
      ],
    },
  };
}

/** Returns why images that are gone may come back; undefined if nothing suggests it. */
function reasonToKeep(run: {
  readonly listed: Listed;
  readonly isDoubtful: boolean;
  readonly isEmpty: boolean;
}): string | undefined {
  if (run.listed.unlisted.length > 0) return "a folder could not be listed";
  if (run.isDoubtful) return "an image failed";
  return run.isEmpty ? "no image was exported" : undefined;
}

const tooManyPages = () =>
  new ServiceError(
    "unsupported",
    "The search of an export has at most 100,000 pages; it does not find the others. Export parts into folders of their own.",
    { code: "export_search" },
  );

const namingError = () =>
  new ServiceError(
    "unauthorized",
    "This document of an earlier run names what needs a login now. Export everything, so that it is written again.",
    { code: "access_denied" },
  );

/** Returns a slot that finds what is stored, and stores nothing. */
function withoutWrites(slot: Slot): Slot {
  return {
    ...slot,
    put() {},
    getOrMake: async (name, variant, make, { signal } = {}) =>
      (await slot.get(name, variant)) ?? make(signal ?? new AbortController().signal),
  };
}
