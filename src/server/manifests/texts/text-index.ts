// The index of words of manifests: segments of pages that the same callers may see. A segment is built when
// somebody searches it first, and kept in a slot under a digest of all that it is made of: a caller's
// segments hold what that caller may read and nothing else, and servers of one collection share them.

import {
  createAskedWorkers,
  createLru,
  createPauses,
  createSemaphore,
  createSingleFlight,
  type KeepAlive,
  type Platform,
  ServiceError,
  sha256,
  type TextQuestion,
  toHex,
  withDeadline,
} from "../../../base/index.ts";
import {
  type Block,
  type Blocks,
  blocksOfSegment,
  OpenSegments,
  type RecordedPage,
  recordVersion,
} from "../../../text/index.ts";
import type { Slot } from "../../stores/slot.ts";
import type { PageRecord, PageTexts } from "./page-texts.ts";
import type { TextFile } from "./text-files.ts";

/** A page that a caller may read. */
export interface TextPage {
  /** Its position in the manifest, in digits of equal number. */
  readonly key: string;
  /** Equal for pages that the same callers may see; pages of one class share segments. */
  readonly accessClass: string;
  readonly files: readonly TextFile[];
}

export interface TextIndexParts {
  readonly texts: Pick<PageTexts, "readRecord" | "versionOf" | "maxBytes">;
  readonly slot: Pick<Slot, "get" | "put">;
  readonly startWorker?: Platform["startWorker"];
  readonly keepAlive?: KeepAlive | undefined;
  /** Milliseconds for which a search waits until its pages are indexed. */
  readonly waitMs?: number;
}

/** Pages of a segment, which are all indexed again if one of them changes. */
const pagesPerSegment = 200;
/** Bytes of the records of a segment, in memory while it is built; a dense newspaper page has 150,000. */
const maxRecordBytes = 64 * 2 ** 20;
/** Segments that may wait to be built; one is built at a time. */
const maxWaiting = 500;
/** Bytes of blocks that were just built, which the slot may not take, and of those that were read. */
const cacheBytes = { built: 8 * 2 ** 20, read: 16 * 2 ** 20 } as const;
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

/** Consecutive pages of one access class. */
interface Part {
  readonly className: string;
  /** Bytes of the largest file that is read. */
  readonly maxBytes: number;
  readonly pages: readonly TextPage[];
}

/** The result of a task over segments, or those of which the slot has lost blocks. */
export type OrLost<T> = { readonly found: T } | { readonly lost: readonly string[] };

/** Segments of the index in a slot. */
export class TextIndex {
  readonly segments: OpenSegments;
  readonly #parts: TextIndexParts;
  readonly #blocks: Blocks & { add(block: Block): void };
  readonly #workers;
  readonly #flights;
  readonly #gate = createSemaphore(1, maxWaiting);

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
    this.#flights = createSingleFlight<string>(keepAlive);
  }

  /**
   * Runs a task over the names of the segments of pages, which are sorted by key; builds the segments that
   * the task finds lost, and runs it again. Throws `busy` if they are not built in time, `too-large` for
   * texts that are too long, and what sources throw.
   */
  runOver<T>(pages: readonly TextPage[], task: (names: readonly string[]) => Promise<OrLost<T>>): Promise<T> {
    const { waitMs = usualWaitMs } = this.#parts;
    return withDeadline(waitMs, () => this.#runOver(pages, task), unfinishedError);
  }

  async #runOver<T>(
    pages: readonly TextPage[],
    task: (names: readonly string[]) => Promise<OrLost<T>>,
  ): Promise<T> {
    const parts = await this.#partsOf(pages);
    const names: string[] = [];
    const pause = createPauses();
    for (const part of parts) {
      await pause();
      names.push((await listedName(part)) ?? (await this.#build(part)));
    }
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const result = await task(names);
      if ("found" in result) return result.found;
      const lost = new Set(result.lost);
      await Promise.all(
        parts.map(async (part, at) => {
          if (lost.has(names[at]!)) names[at] = await this.#build(part);
        }),
      );
    }
    throw new ServiceError(
      "busy",
      "The index of words does not stay in its cache. Its operator has to give the cache more room.",
      { code: "index_lost" },
    );
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
    if (isListed) return partsOf(pages, texts.maxBytes);
    const versions = pages.map(async ({ files, ...page }) => ({
      ...page,
      files: await Promise.all(files.map(withVersion)),
    }));
    return partsOf(await Promise.all(versions), texts.maxBytes);
  }

  /**
   * Builds the segments of pages that the slot does not have, and returns their number. Throws as `runOver`
   * does, but takes its time.
   */
  async prepare(pages: readonly TextPage[]): Promise<number> {
    let built = 0;
    for (const part of await this.#partsOf(pages)) {
      const name = await listedName(part);
      if (name !== undefined && (await this.segments.has(name))) continue;
      await this.#build(part);
      built++;
    }
    return built;
  }

  /** Builds a segment of the files as they are now, once for all who need it; returns its name. */
  #build(part: Part): Promise<string> {
    const key = JSON.stringify([part.className, part.pages.map(({ key, files }) => [key, files.map(idOf)])]);
    return this.#flights.run(key, () => this.#gate.run(() => this.#buildNow(part)));
  }

  async #buildNow(part: Part): Promise<string> {
    const pages: RecordedPage[] = [];
    const validators: PageRecord["validators"][] = [];
    let bytes = 0;
    for (const { key, files } of part.pages) {
      const { record, validators: opened } = await this.#parts.texts.readRecord(files);
      validators.push(files.map(({ validator }, at) => (at < opened.length ? opened[at] : validator)));
      if (!record) continue;
      pages.push({ key, record });
      bytes += record.length;
      if (bytes > maxRecordBytes) throw tooLong();
    }
    const name = await nameOf(part, validators);
    await this.write(pages, { name, className: part.className });
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

function partsOf(pages: readonly TextPage[], maxBytes: number): readonly Part[] {
  const classes = new Map<string, TextPage[]>();
  for (const page of pages) {
    const own = classes.get(page.accessClass);
    if (own) own.push(page);
    else classes.set(page.accessClass, [page]);
  }
  const parts: Part[] = [];
  for (const [className, own] of classes)
    for (let at = 0; at < own.length; at += pagesPerSegment)
      parts.push({ className, maxBytes, pages: own.slice(at, at + pagesPerSegment) });
  return parts;
}

const idOf = ({ location: { source, key }, page, validator }: TextFile) => [
  source.fingerprint,
  key,
  page,
  validator,
];

/** Returns the name of a segment by the listing of its files; undefined if that has no validators. */
async function listedName(part: Part): Promise<string | undefined> {
  const listed = part.pages.map(({ files }) => files.map(({ validator }) => validator));
  const isListed = listed.every((files) => files.every((validator) => validator !== undefined));
  return isListed ? nameOf(part, listed) : undefined;
}

/** Returns the name of a segment by the validators of the files of each page. */
async function nameOf(
  { className, maxBytes, pages }: Part,
  validators: readonly (readonly (string | undefined)[])[],
): Promise<string> {
  const content = pages.map(({ key, files }, at) => [
    key,
    files.map((file, nth) => {
      const validator = validators[at]?.[nth];
      return idOf(validator === undefined ? withoutValidator(file) : { ...file, validator });
    }),
  ]);
  return toHex(await sha256(JSON.stringify([recordVersion, maxBytes, className, content]))).slice(0, 32);
}

function withoutValidator({ validator: _, ...file }: TextFile): TextFile {
  return file;
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

const tooLong = () =>
  new ServiceError(
    "too-large",
    `The text of ${pagesPerSegment} pages has more than ${maxRecordBytes} bytes, so that it is not indexed. Its operator can divide it into several folders.`,
    { code: "index_too_large" },
  );
