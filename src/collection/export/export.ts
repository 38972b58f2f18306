// Exports images and their documents as static files of IIIF level 0, for any web server.

import { ServiceError } from "../../errors.ts";
import { checkServable, describe } from "../../images/describe.ts";
import { withMaster } from "../../images/open.ts";
import type { RenderParts } from "../../images/render.ts";
import type { Folders } from "../../manifests/folders/folders.ts";
import type { Manifests } from "../../manifests/manifests.ts";
import type { Slot } from "../../stores/slot.ts";
import { pagesOf } from "../pages.ts";
import { createTally, endsWork, type FailedFile, type Progress, type SlowFile } from "../tally.ts";
import { walkImages } from "../walk.ts";
import { exportDocuments } from "./documents.ts";
import { type ExportedImage, exportImage, type ImageExport } from "./image.ts";
import { createLosses, removeDocuments, removeImages } from "./leftovers.ts";
import { anonymous } from "./reader.ts";
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
  /** Images and documents of earlier runs that were removed: they are gone, or need a login now. */
  readonly removed: number;
  /** Files of the documents to begin with. */
  readonly start: readonly string[];
  readonly bytesWritten: number;
  readonly failed: number;
  /** The first thousand. Gated images are among them: an export has no logins. */
  readonly failures: readonly FailedFile[];
  readonly slowest: readonly SlowFile[];
  readonly seconds: number;
  /** True if the signal ended it. The next run continues. */
  readonly interrupted: boolean;
}

/**
 * Exports what anyone may see of the selected images: all others are reported as failures. Image information
 * is written last of each image, so an image with one is complete. Errors of files are part of the report,
 * and an abort ends it early; throws FatalError if the target cannot be written. Removes what earlier runs
 * have exported of images that need a login now; if everything is selected, also of images that are gone.
 */
export async function exportCollection(
  { images, folders, manifests }: ExportParts,
  options: ExportOptions,
): Promise<ExportReport> {
  const { selection, target, version, base, concurrency, pages, signal, onProgress } = options;
  const { replaces = false } = options;
  const began = performance.now();
  const tally = createTally();
  // Derivatives of an export are made once, and would only displace those that readers ask for.
  const parts: RenderParts = { ...images, render: unwritten(images.render) };
  const each: ImageExport = { parts, target, version, base, concurrency };
  const done = new Map<string, ExportedImage>();
  const walked = { sources: images.sources, folders };
  const losses = createLosses();
  const fail = (identifier: string, error: unknown) => {
    losses.note(identifier, error);
    tally.fail(identifier, error);
  };
  let isComplete = selection.length === 0;
  const onUnlisted = (identifier: string, error: unknown) => {
    isComplete = false;
    tally.fail(identifier, error);
  };
  let [derivatives, documents, removed] = [0, 0, 0];
  let start: readonly string[] = [];
  let total: number | undefined;
  const counting = (async () => {
    let count = 0;
    for await (const _ of walkImages(walked, { selection, signal })) count++;
    total = count;
  })().catch(() => {});

  const exportPage = (page: string) =>
    withMaster(
      parts,
      anonymous(page, signal),
      async (master): Promise<readonly string[]> => {
        // A substitute is another image, or less of this one.
        if (master.grant.tier === "substitute" || master.identifier !== page) throw gatedError();
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
    const pages = await exportPage(identifier).catch((error: unknown) => {
      losses.note(identifier, error);
      throw error;
    });
    for (const page of pages)
      await exportPage(page).catch((error: unknown) => {
        if (endsWork(error)) throw error;
        fail(page, error);
      });
  };
  try {
    for await (const identifier of walkImages(walked, { selection, signal, onUnlisted })) {
      await tally.take(identifier, () => exportFile(identifier));
      onProgress?.({ done: tally.done(), failed: tally.failed(), ...(total !== undefined && { total }) });
    }
    // A source that is not mounted is an empty folder.
    isComplete &&= done.size > 0;
    if (manifests) {
      const about = { manifests, parts, target, version, base, images: done, signal, fail };
      const made = await exportDocuments({ ...about, replaces }, selection.length === 0 ? [""] : selection);
      start = made.files;
      documents = made.found.size;
      removed += await removeDocuments(target, {
        exported: made.found,
        losses,
        isComplete: isComplete && made.isComplete,
        signal,
      });
    }
    removed += await removeImages(target, { exported: done, losses, isComplete, signal });
  } catch (error) {
    if (!signal.aborted && !(error instanceof ServiceError && error.kind === "cancelled")) throw error;
  }
  await counting;
  return {
    images: done.size,
    derivatives,
    documents,
    removed,
    start,
    bytesWritten: target.bytesWritten(),
    failed: tally.failed(),
    failures: tally.failures,
    slowest: tally.slowest,
    seconds: Math.round(performance.now() - began) / 1000,
    interrupted: signal.aborted,
  };
}

const gatedError = () =>
  new ServiceError(
    "unauthorized",
    "Only readers with a login may see this image. An export has no logins, so it is left out.",
    { code: "access_denied" },
  );

/** Returns a slot that finds what is stored, and stores nothing. */
function unwritten(slot: Slot): Slot {
  return {
    ...slot,
    put() {},
    getOrMake: async (name, variant, make, { signal } = {}) =>
      (await slot.get(name, variant)) ?? make(signal ?? new AbortController().signal),
  };
}
