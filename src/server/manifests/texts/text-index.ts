// The index of words of manifests: segments of pages that the same callers may see. A segment is built when
// somebody searches it first, and kept in a slot under a digest of all that it is made of: a caller's
// segments hold what that caller may read and nothing else, and servers of one collection share them.

import {
  cancelledError,
  createAskedWorkers,
  createFairSemaphore,
  createLru,
  createSingleFlight,
  forEachConcurrently,
  type KeepAlive,
  onAbort,
  type Platform,
  ServiceError,
  type TextQuestion,
  type Turn,
  unlessAborted,
  withDeadline,
} from "../../../base/index.ts";
import {
  type Block,
  type Blocks,
  blocksOfSegment,
  OpenSegments,
  type RecordedPage,
} from "../../../text/index.ts";
import type { Slot } from "../../stores/slot.ts";
import type { PageRecord, PageTexts } from "./page-texts.ts";
import type { TextFile } from "./text-files.ts";
import { halvesOf, nameOf, type Part, type TextPage, TextParts } from "./text-parts.ts";

export type { TextPage } from "./text-parts.ts";

export interface TextIndexParts {
  readonly texts: Pick<PageTexts, "readRecord" | "versionOf" | "maxBytes">;
  readonly slot: Pick<Slot, "get" | "put">;
  readonly startWorker?: Platform["startWorker"];
  readonly keepAlive?: KeepAlive | undefined;
  /** Milliseconds for which a search waits until its pages are indexed. */
  readonly waitMs?: number;
  /** Bytes of the records of a segment of several pages, in memory while it is built. */
  readonly maxRecordBytes?: number;
}

/** A dense newspaper page has 150,000; parts with more are divided. */
const usualRecordBytes = 16 * 2 ** 20;
/** Pages of a segment that are read simultaneously. */
const pagesAtOnce = 4;
/** Segments that are looked for simultaneously. */
const headsAtOnce = 8;
/** Texts that may wait for the next of their segments; one is built at a time, and texts take turns. */
const maxWaiting = 500;
/** Number of segments up to which a text goes before those that lack more, by rank. */
const shortTexts = [2, 16] as const;
/** Bytes of blocks that were just built, which the slot may not take, and of those that were read. */
const cacheBytes = { built: 8 * 2 ** 20, read: 16 * 2 ** 20 } as const;
/** Parts that are known to be divided. */
const maxDivided = 1000;
/** Attempts of a search whose blocks the slot loses. */
const maxAttempts = 3;
/** Milliseconds for a worker to build a segment. */
const buildMs = 300_000;
const usualWaitMs = 20_000;

interface SegmentName {
  /** A digest of its pages. */
  readonly name: string;
  readonly className: string;
}

/** The result of a task over segments, or those of which the slot has lost blocks. */
export type OrLost<T> = { readonly found: T } | { readonly lost: readonly string[] };

/** What is done with segments. It ends early if `signal` aborts, since nobody waits for it any more. */
export type SegmentsTask<T> = (names: readonly string[], signal: AbortSignal) => Promise<OrLost<T>>;

/** Segments of the index in a slot. */
export class TextIndex {
  readonly segments: OpenSegments;
  readonly #parts: TextIndexParts;
  readonly #blocks: Blocks & { add(block: Block): void };
  readonly #workers;
  readonly #builds;
  readonly #texts;
  readonly #cuts = new TextParts();
  readonly #divided = createLru<string, readonly Part[]>(maxDivided);
  readonly #gate = createFairSemaphore({
    permits: 1,
    ranks: shortTexts.length + 1,
    waiting: maxWaiting,
    waitingEach: maxWaiting,
  });

  constructor(parts: TextIndexParts) {
    const { slot, startWorker, keepAlive } = parts;
    this.#parts = parts;
    this.#blocks = blocksIn(slot);
    this.segments = new OpenSegments(this.#blocks, cacheBytes.read);
    this.#workers =
      startWorker &&
      createAskedWorkers<TextQuestion, readonly Block[]>({
        start: () => startWorker("text-thread"),
        work: "indexes the text of pages",
        replyMs: buildMs,
      });
    this.#builds = createSingleFlight<readonly string[]>(keepAlive);
    this.#texts = createSingleFlight<readonly (readonly string[])[]>(keepAlive);
  }

  /**
   * Runs a task over the names of the segments of pages; builds those that are missing first, and those that
   * the task finds lost, and runs it again. Throws `busy` if they are not built in time, `cancelled` if
   * `signal` aborts, and what sources throw. Building goes on after that.
   */
  async runOver<T>(
    pages: readonly TextPage[],
    task: SegmentsTask<T>,
    signal?: AbortSignal | undefined,
  ): Promise<T> {
    const { waitMs = usualWaitMs } = this.#parts;
    const ending = new AbortController();
    const leave = () => ending.abort(signal?.reason);
    if (signal?.aborted) leave();
    const unhear = signal && onAbort(signal, leave);
    try {
      return await withDeadline(waitMs, () => this.#runOver(pages, task, ending.signal), unfinishedError);
    } finally {
      unhear?.();
      ending.abort(unfinishedError());
    }
  }

  async #runOver<T>(pages: readonly TextPage[], task: SegmentsTask<T>, signal: AbortSignal): Promise<T> {
    const parts = this.#divideKnown(await this.#partsOf(pages));
    const names = new Map<string, readonly string[]>(parts.map(({ name }) => [name, [name]]));
    await this.#rebuild(names, await this.#missing(parts), signal);
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if (signal.aborted) throw cancelledError(signal);
      const result = await task([...names.values()].flat(), signal);
      if ("found" in result) return result.found;
      const lost = new Set(result.lost);
      const isLost = ({ name }: Part) => names.get(name)!.some((own) => lost.has(own));
      await this.#rebuild(names, parts.filter(isLost), signal);
    }
    throw new ServiceError(
      "busy",
      "The index of words does not stay in its cache. Its operator has to give the cache more room.",
      { code: "index_lost" },
    );
  }

  /** Builds parts, and notes the names of their segments. */
  async #rebuild(
    names: Map<string, readonly string[]>,
    parts: readonly Part[],
    signal: AbortSignal,
  ): Promise<void> {
    const built = await unlessAborted(this.#buildAll(parts), signal);
    for (const [at, { name }] of parts.entries()) names.set(name, built[at]!);
  }

  /** Returns pages in parts. Files that no listing told of are opened for their validators, each once. */
  async #partsOf(pages: readonly TextPage[]): Promise<readonly Part[]> {
    const { texts } = this.#parts;
    const known = new Map<string, Promise<string | undefined>>();
    const withVersion = async (file: TextFile): Promise<TextFile> => {
      if (file.validator !== undefined) return file;
      const { source, key } = file.location;
      const name = JSON.stringify([source.fingerprint, key]);
      const asked = known.get(name) ?? texts.versionOf(file);
      known.set(name, asked);
      const validator = await asked;
      return validator === undefined ? file : { ...file, validator };
    };
    const isListed = pages.every(({ files }) => files.every(({ validator }) => validator !== undefined));
    if (isListed) return this.#cuts.cut(pages, texts.maxBytes);
    const versions = pages.map(async ({ files, ...page }) => ({
      ...page,
      files: await Promise.all(files.map(withVersion)),
    }));
    return this.#cuts.cut(await Promise.all(versions), texts.maxBytes);
  }

  /** Returns parts, with the halves of those that are known to be divided. */
  #divideKnown(parts: readonly Part[]): readonly Part[] {
    return parts.flatMap((part) => {
      const halves = this.#divided.get(part.name);
      return halves ? this.#divideKnown(halves) : part;
    });
  }

  /**
   * Builds the segments of pages that the slot does not have, and returns their number. Throws as `runOver`
   * does, but takes its time.
   */
  async prepare(pages: readonly TextPage[]): Promise<number> {
    const parts = this.#divideKnown(await this.#partsOf(pages));
    return (await this.#buildAll(await this.#missing(parts))).flat().length;
  }

  /** Returns the parts that have no segment. */
  async #missing(parts: readonly Part[]): Promise<readonly Part[]> {
    const missing = new Set<Part>();
    await forEachConcurrently(parts, headsAtOnce, async (part) => {
      if (!(await this.segments.has(part.name))) missing.add(part);
    });
    return parts.filter((part) => missing.has(part));
  }

  /**
   * Builds the segments of parts of one text, one after another, so that all texts that wait take turns;
   * those that lack few segments go first. Returns the names of those of each part.
   */
  #buildAll(parts: readonly Part[]): Promise<readonly (readonly string[])[]> {
    const client = parts.map(({ name }) => name).join();
    return this.#texts.run(client, async () => {
      const built: (readonly string[])[] = [];
      for (const [at, part] of parts.entries()) {
        const found = shortTexts.findIndex((count) => parts.length - at <= count);
        built.push(await this.#build(part, { client, rank: found < 0 ? shortTexts.length : found }));
      }
      return built;
    });
  }

  /** Builds the segment of a part, or those of its halves, once for all who need it; returns their names. */
  #build(part: Part, turn: Turn): Promise<readonly string[]> {
    return this.#builds.run(part.name, async () => {
      const name = await this.#gate.run(turn, () => this.#buildNow(part));
      if (name !== undefined) return [name];
      const halves = await halvesOf(part);
      this.#divided.set(part.name, halves, 1);
      const names: string[] = [];
      for (const half of halves) {
        const isThere = await this.segments.has(half.name);
        names.push(...(isThere ? [half.name] : await this.#build(half, turn)));
      }
      return names;
    });
  }

  /** Builds the segment of the files as they are now; returns its name, or undefined if it is too large. */
  async #buildNow(part: Part): Promise<string | undefined> {
    const { maxRecordBytes = usualRecordBytes } = this.#parts;
    const { className, pages } = part;
    const records: RecordedPage[] = [];
    const validators: PageRecord["validators"][] = [];
    let bytes = 0;
    const isTooLarge = () => bytes > maxRecordBytes && pages.length > 1;
    await forEachConcurrently(pages.entries(), pagesAtOnce, async ([at, { key, files }]) => {
      if (isTooLarge()) return;
      const { record, validators: opened } = await this.#parts.texts.readRecord(files);
      validators[at] = files.map(({ validator }, nth) => (nth < opened.length ? opened[nth] : validator));
      if (record) records.push({ key, record });
      bytes += record?.length ?? 0;
    });
    if (isTooLarge()) return undefined;
    records.sort((one, other) => (one.key < other.key ? -1 : 1));
    const name = await nameOf(part, validators);
    await this.write(records, { name, className });
    return name;
  }

  /**
   * Builds a segment of the records of pages, which are sorted by key, in a worker if there are any. Throws
   * `busy` if that takes too long.
   */
  async write(pages: readonly RecordedPage[], options: SegmentName): Promise<void> {
    const blocks = this.#workers
      ? await this.#workers.ask({ of: "segment", pages, ...options }).catch((cause: unknown) => {
          throw unfinishedError(cause);
        })
      : await blocksOfSegment(pages, options);
    for (const block of blocks) this.#blocks.add(block);
  }

  /** Ends the worker. */
  close(): void {
    this.#workers?.close();
  }
}

/** The blocks of a slot. Those that were just built are in memory too, since a slot may refuse them. */
function blocksIn({ get, put }: TextIndexParts["slot"]): Blocks & { add(block: Block): void } {
  const built = createLru<string, Uint8Array>(cacheBytes.built);
  const splitKey = (key: string) => {
    const split = key.lastIndexOf("/");
    return [key.slice(0, split), key.slice(split + 1)] as const;
  };
  const add = ([key, bytes]: Block) => {
    built.set(key, bytes, bytes.length);
    put(...splitKey(key), bytes);
  };
  return {
    add,
    read: async (key) => built.get(key) ?? get(...splitKey(key)),
    write: async (key, bytes) => add([key, bytes]),
  };
}

const unfinishedError = (cause?: unknown) =>
  new ServiceError(
    "busy",
    "The search did not end in time, because the text of this document is still being indexed, or because too many other searches are running. Search again in a moment.",
    {
      code: "being_indexed",
      retryAfter: 10,
      ...(cause !== undefined && { cause }),
    },
  );
