// Fills the caches before the first reader comes: walks through images, and makes what is missing of each.

import { type Finding, forEachConcurrently, ServiceError } from "../../../base/index.ts";
import {
  countWalk,
  createTally,
  eachSlot,
  endsWork,
  type FolderLocation,
  type Folders,
  identifierOf,
  type Manifests,
  type NamedSlot,
  type Progress,
  type RenderParts,
  type SlotName,
  type Slots,
  type SlowFile,
  type SourceTexts,
  type TextSearch,
  walkImages,
} from "../../../server/index.ts";
import { nothingWarmed, type WarmOutcome, type WarmWork, warmFile } from "./file.ts";
import { type TextOutcome, warmTexts } from "./texts.ts";

export interface WarmParts {
  readonly images: RenderParts;
  readonly folders: Folders;
  readonly slots: Slots;
  /** Absent if the Presentation API is disabled: then nobody searches texts. */
  readonly manifests?: Manifests;
  readonly textSearch: TextSearch;
  /** Absent if nothing of whole sources can be indexed. */
  readonly sourceTexts?: SourceTexts;
}

export interface WarmOptions {
  /** Identifiers of images and folders; if empty, everything that the sources list. */
  readonly selection: readonly string[];
  /** Files that are worked on simultaneously. */
  readonly concurrency: number;
  /** Number of levels, the smallest first, whose tiles are made. */
  readonly levels: number;
  /** The setting `presentation.pages`. */
  readonly pages: "all" | "first";
  /** True to index the texts of folders. */
  readonly texts: boolean;
  readonly signal: AbortSignal;
  /** Called after each file. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called after each folder whose texts were looked for. */
  readonly onTexts?: (done: number, total: number) => void;
  /** Called while the pages of a source are indexed for searches in all of it. */
  readonly onPages?: (done: number, total: number) => void;
}

export interface WarmReport {
  /** Files that were looked at, the failed ones included. */
  readonly files: number;
  /** Files of which something was made; the others had everything in the caches. */
  readonly filesMade: number;
  readonly failed: number;
  readonly sidecars: { readonly made: number; readonly found: number };
  readonly derivatives: { readonly made: number; readonly found: number };
  /** Manifests whose text was indexed, or had been before; absent if that was not asked for. */
  readonly texts?: TextOutcome;
  /** Bytes written to each cache that outlives the process. */
  readonly bytesWritten: Readonly<Record<SlotName, number>>;
  /** Values that a cache could not store. */
  readonly writeErrors: number;
  /** Caches that this process cannot fill, since they are in the memory of a server, or disabled. */
  readonly unfilled: readonly { readonly cache: SlotName; readonly backend: NamedSlot["backend"] }[];
  /** Caches that are full, so that older entries have been removed. */
  readonly full: readonly SlotName[];
  /** The first thousand. */
  readonly failures: readonly Finding[];
  readonly slowest: readonly SlowFile[];
  readonly seconds: number;
  /** True if the signal ended it. The next run continues, since it finds in the caches what is done. */
  readonly interrupted: boolean;
}

type Totals = { -readonly [K in keyof WarmOutcome]: number } & { filesMade: number };

/** The caches that are filled: that of texts if they are wanted. */
export const filledSlots = ({ all }: Slots, { texts }: Pick<WarmOptions, "texts">): readonly NamedSlot[] =>
  all.filter(({ name }) => name !== "changes" && (name !== "text" || texts));

/** True for a cache that other processes share. */
const isShared = ({ backend }: NamedSlot) => backend !== "heap" && backend !== "none";

/**
 * Fills the caches that outlive this process for the selected images: facts, sidecars, thumbnails and the
 * tiles of the smallest levels. A file counts as done once everything of it is stored. Errors of files and
 * folders are part of the report, and an abort ends it early; it throws neither.
 */
export async function warm(parts: WarmParts, options: WarmOptions): Promise<WarmReport> {
  const { images, folders, slots } = parts;
  const { selection, concurrency, levels, pages, signal, onProgress } = options;
  const began = performance.now();
  const before = countsOf(slots);
  const tally = createTally();
  const work: WarmWork = {
    sidecars: isShared(slots.origin),
    levels: isShared(slots.render) ? levels : undefined,
    pages,
  };
  const walked = { sources: images.sources, folders };
  const total: Totals = { ...nothingWarmed, filesMade: 0 };
  const counting = countWalk(walked, { selection, signal });

  const file = async (identifier: string) => {
    const made = await tally.take(identifier, async () => {
      const one = await warmFile(images, identifier, work, signal);
      await Promise.all(slots.all.map((slot) => slot.whenSettled()));
      return one;
    });
    if (made) note(total, made, isShared(slots.info));
    onProgress?.({
      done: tally.done(),
      failed: tally.failed(),
      ...counting.total(),
    });
  };
  const folderNames: string[] = [];
  const onFolder = (location: FolderLocation) => void folderNames.push(identifierOf(location));
  const texts = { made: 0, found: 0 };
  const indexTexts = async (manifests: Manifests) => {
    for (const [at, name] of folderNames.entries()) {
      try {
        const one = await warmTexts({ ...parts, manifests }, name, signal);
        texts.made += one.made;
        texts.found += one.found;
      } catch (error) {
        if (endsWork(error)) throw error;
        tally.fail(name, error);
      }
      options.onTexts?.(at + 1, folderNames.length);
    }
  };
  /** Indexes whole sources, which others than the selected folders are parts of. */
  const indexSources = async () => {
    if (selection.length > 0) return;
    signal.addEventListener("abort", () => parts.sourceTexts?.close(), { once: true });
    for (const source of images.sources.all) {
      signal.throwIfAborted();
      if (source.list) await parts.sourceTexts?.prepare(source, options.onPages);
    }
  };
  const indexesTexts = options.texts && isShared(slots.text) && parts.manifests;
  const interrupted = await untilAborted(signal, async () => {
    const identifiers = walkImages(walked, { selection, signal, onUnlisted: tally.fail, onFolder });
    await forEachConcurrently(identifiers, concurrency, file);
    if (indexesTexts) {
      await indexTexts(indexesTexts);
      await indexSources();
    }
    await Promise.all(slots.all.map((slot) => slot.whenSettled()));
  });
  await counting.ended;
  const after = countsOf(slots);
  return {
    files: tally.done(),
    filesMade: total.filesMade,
    failed: tally.failed(),
    sidecars: { made: total.sidecarsMade, found: total.sidecarsFound },
    derivatives: { made: total.derivativesMade, found: total.derivativesFound },
    ...(indexesTexts && { texts }),
    bytesWritten: eachSlot((name) => after.written[name] - before.written[name]),
    writeErrors: after.errors - before.errors,
    unfilled: filledSlots(slots, options)
      .filter((slot) => !isShared(slot))
      .map(({ name, backend }) => ({ cache: name, backend })),
    full: await fullSlots(slots),
    failures: tally.failures,
    slowest: tally.slowest,
    seconds: Math.round(performance.now() - began) / 1000,
    interrupted,
  };
}

/** Adds the outcome of a file. `facts`: true if the cache of facts can be filled. */
function note(total: Totals, one: WarmOutcome, facts: boolean): void {
  if (one.sidecarsMade + one.derivativesMade + (facts ? one.factsMade : 0) > 0) total.filesMade++;
  for (const name of Object.keys(one) as (keyof WarmOutcome)[]) total[name] += one[name];
}

/** Runs work; returns true if the signal ended it. Throws other errors. */
async function untilAborted(signal: AbortSignal, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== "cancelled") throw error;
  }
  return signal.aborted;
}

function countsOf(slots: Slots) {
  const writtenBytesOf = (slot: NamedSlot) => (isShared(slot) ? slot.counts.bytesWritten.value : 0);
  return {
    written: eachSlot((name) => writtenBytesOf(slots[name])),
    errors: slots.all.reduce((sum, { counts }) => sum + counts.errors.value + counts.dropped.value, 0),
  };
}

/** A cache that is full removes entries until 7/8 of its room are taken. */
const fullShare = 0.85;

async function fullSlots({ all }: Slots): Promise<readonly SlotName[]> {
  const full: SlotName[] = [];
  for (const slot of all.filter(isShared)) {
    const usage = await slot.usage?.().catch(() => undefined);
    if (usage && usage.bytes > fullShare * slot.maxBytes()) full.push(slot.name);
  }
  return full;
}
