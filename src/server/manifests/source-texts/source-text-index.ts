// The index of the words of whole sources, built in the background: groups of pages that the same callers may
// read, in a slot that servers share. A search uses what has been built, and says what is missing.

import {
  cancelledError,
  createPauses,
  createSemaphore,
  type Log,
  ServiceError,
} from "../../../base/index.ts";
import type { RecordedPage } from "../../../text/index.ts";
import type { Source } from "../../sources/source.ts";
import type { PageTexts } from "../texts/page-texts.ts";
import { type Group, groupsOf, type Run, runsOf } from "./page-groups.ts";
import { readTextFolder, type SourcePage, type SourcePagesParts, walkTextFolders } from "./source-pages.ts";
import type { WordIndex } from "./word-index.ts";

export interface SourceTextIndexParts extends SourcePagesParts {
  readonly texts: Pick<PageTexts, "readRecord" | "maxBytes">;
  readonly words: WordIndex;
  /** Milliseconds after which a source is read again. */
  readonly revalidateMs: (source: Source) => number;
  readonly log: Pick<Log, "warn">;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A group whose segments have been built. */
export interface BuiltGroup extends Omit<Group, "runs"> {
  readonly segments: readonly string[];
}

/** Why the index of a source lacks pages: it is being built, or folders or files could not be read. */
export type TextLack = "reading" | "unreadable";

/** Pages that were indexed, of those of a source. */
export type OnPages = (done: number, total: number) => void;

/** Bytes of the records of a segment, in memory while it is built: about 300,000 words. */
const maxSegmentBytes = 2 * 2 ** 20;
/** Pages that are read simultaneously. */
const pagesAtOnce = 4;
/** Milliseconds between two readings of a source at least: each asks for the state of every file. */
const minRevalidateMs = 60_000;
/** The time until the next reading, as a multiple of that of the last one. */
const restOfReading = 20;
/** Milliseconds after which a group that was lost, or lacks pages, is built again. */
const rebuildMs = 600_000;

interface Built {
  readonly segments: readonly string[];
  readonly at: number;
  /** False if files could not be read. */
  readonly isWhole: boolean;
}

interface IndexedSource {
  /** What searches use: the groups of the latest reading as far as they are built, or those before. */
  shown: readonly BuiltGroup[];
  /** Names of all groups of the latest reading. */
  names: ReadonlySet<string>;
  /** Runs of each folder, by its key. */
  folders: ReadonlyMap<string, { readonly state: string; readonly runs: readonly Run[] }>;
  begunAt: number;
  /** Milliseconds that the latest reading of its folders took. */
  readMs: number;
  running: Promise<void> | undefined;
  isComplete: boolean;
  lack: TextLack | undefined;
  /** Segments when all others were last removed. */
  cleanedFor?: string;
}

export class SourceTextIndex {
  readonly #parts: SourceTextIndexParts;
  readonly #now: () => number;
  readonly #sources = new Map<Source, IndexedSource>();
  /** By the names of groups. */
  readonly #built = new Map<string, Built>();
  /** Groups whose blocks the slot has lost. */
  readonly #lost = new Set<string>();
  readonly #gate = createSemaphore(1);
  readonly #controller = new AbortController();
  #hasWarned = false;

  constructor(parts: SourceTextIndexParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /** Returns the groups of a source that can be searched. */
  groups(source: Source): readonly BuiltGroup[] {
    return this.#of(source).shown;
  }

  lack(source: Source): TextLack | undefined {
    const { isComplete, lack } = this.#of(source);
    return isComplete ? lack : "reading";
  }

  /** Starts to read a source and to build what is missing, unless that was done recently. */
  refresh(source: Source): Promise<void> {
    const own = this.#of(source);
    const times = [minRevalidateMs, this.#parts.revalidateMs(source), restOfReading * own.readMs];
    const time = Math.max(...times);
    if (!own.running && this.#now() - own.begunAt < time) return Promise.resolve();
    return this.update(source);
  }

  /** Reads a source, and builds what is missing. Throws what the source throws, and `cancelled`. */
  update(source: Source, onPages?: OnPages): Promise<void> {
    const own = this.#of(source);
    own.running ??= this.#gate
      .run(() => this.#update(source, own, onPages))
      .catch((error: unknown) => {
        if (!own.isComplete) own.lack = "unreadable";
        own.isComplete = true;
        throw error;
      })
      .finally(() => {
        own.running = undefined;
      });
    return own.running;
  }

  /** Builds the groups of segments again, which the slot has lost, at the next search. */
  noteLost(segments: readonly string[]): void {
    const names = new Set(segments);
    for (const own of this.#sources.values()) {
      const lost = own.shown.filter((group) => group.segments.some((name) => names.has(name)));
      if (lost.length === 0) continue;
      own.shown = own.shown.filter((group) => !lost.includes(group));
      own.isComplete = false;
      for (const { name } of lost) {
        this.#lost.add(name);
        // One that was built just now would be lost again.
        if (this.#isRecent(name)) this.#warn();
        else own.begunAt = Number.NEGATIVE_INFINITY;
      }
    }
  }

  close(): void {
    this.#controller.abort();
  }

  #of(source: Source): IndexedSource {
    const known = this.#sources.get(source);
    if (known) return known;
    const none: IndexedSource = {
      shown: [],
      names: new Set(),
      folders: new Map(),
      begunAt: Number.NEGATIVE_INFINITY,
      readMs: 0,
      running: undefined,
      isComplete: false,
      lack: undefined,
    };
    this.#sources.set(source, none);
    return none;
  }

  #isRecent(name: string): boolean {
    return this.#now() - (this.#built.get(name)?.at ?? Number.NEGATIVE_INFINITY) < rebuildMs;
  }

  #warn(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#parts.log.warn(this.#parts.words.lossWarning);
  }

  async #update(source: Source, own: IndexedSource, onPages: OnPages | undefined): Promise<void> {
    own.begunAt = this.#now();
    const { runs, isRead } = await this.#readRuns(source, own);
    own.readMs = this.#now() - own.begunAt;
    const groups = await groupsOf(runs, this.#parts.texts.maxBytes);
    const total = groups.reduce((sum, { pages }) => sum + pages, 0);
    const before = own.shown;
    const shown: BuiltGroup[] = [];
    let isWhole = isRead;
    let done = 0;
    for (const group of groups) {
      const built = await this.#find(source, group);
      done += group.pages;
      onPages?.(done, total);
      if (!built?.isWhole) isWhole = false;
      if (!built) continue;
      const { runs: _, ...facts } = group;
      shown.push({ ...facts, segments: built.segments });
      // Until all is built, what was there before is better than a part.
      if (before.length === 0) own.shown = [...shown];
    }
    own.shown = shown;
    own.isComplete = true;
    own.lack = isWhole ? undefined : "unreadable";
    const names = new Set(groups.map(({ name }) => name));
    for (const name of own.names) {
      if (names.has(name)) continue;
      this.#built.delete(name);
      this.#lost.delete(name);
    }
    own.names = names;
    if (isRead) await this.#clean(source, own);
  }

  /** Removes what searches do not use any more, if that is other than at the last time. */
  async #clean(source: Source, own: IndexedSource): Promise<void> {
    const { words } = this.#parts;
    const segments = own.shown.flatMap((group) => group.segments).join();
    if (!words.keepOnly || own.cleanedFor === segments) return;
    await words.keepOnly(source, own.shown);
    own.cleanedFor = segments;
  }

  /** Reads the folders of a source; those that have not changed keep their runs. */
  async #readRuns(
    source: Source,
    own: IndexedSource,
  ): Promise<{ readonly runs: readonly Run[]; readonly isRead: boolean }> {
    const { signal } = this.#controller;
    let isRead = true;
    const onUnread = () => {
      isRead = false;
    };
    const folders = new Map<string, { readonly state: string; readonly runs: readonly Run[] }>();
    const pause = createPauses();
    for await (const { location, state, pages } of walkTextFolders(this.#parts, source, {
      signal,
      onUnread,
    })) {
      await pause();
      const before = own.folders.get(location.key);
      const runs = before?.state === state ? before.runs : await runsOf(location.key, await pages());
      folders.set(location.key, { state, runs });
    }
    own.folders = folders;
    return { runs: [...folders.values()].flatMap(({ runs }) => runs), isRead };
  }

  /** Returns a group that was built here or by another server, or builds it; undefined if that fails. */
  async #find(source: Source, group: Group): Promise<Built | undefined> {
    const { name } = group;
    const isLost = this.#lost.has(name);
    const known = this.#built.get(name);
    if (known && !isLost && (known.isWhole || this.#isRecent(name))) return known;
    if (known && isLost && this.#isRecent(name)) return undefined;
    const stored = isLost ? undefined : await this.#stored(name);
    const built = stored ?? (await this.#build(source, group));
    if (!built) return undefined;
    this.#built.set(name, built);
    this.#lost.delete(name);
    return built;
  }

  async #stored(name: string): Promise<Built | undefined> {
    const count = await this.#parts.words.count(name);
    if (count === undefined || !(count <= maxSegments)) return undefined;
    const segments = Array.from({ length: count }, (_, at) => segmentName(name, at));
    return { segments, at: Number.NEGATIVE_INFINITY, isWhole: true };
  }

  /** Builds the segments of a group; undefined if its files have changed meanwhile, or a worker fails. */
  async #build(source: Source, group: Group): Promise<Built | undefined> {
    try {
      return await this.#buildNow(source, group);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
      return undefined;
    }
  }

  async #buildNow(source: Source, group: Group): Promise<Built | undefined> {
    const { words } = this.#parts;
    // Segments that lack pages have a name of their own, which no other server uses.
    const unique = `${group.name}-${crypto.randomUUID()}`;
    const segments: string[] = [];
    const flush = async (pages: readonly RecordedPage[], isWhole: boolean) => {
      const name = segmentName(isWhole ? group.name : unique, segments.length);
      await words.write(pages, { name, className: group.pageClass.name });
      segments.push(name);
    };
    let isWhole = true;
    let pages: RecordedPage[] = [];
    let bytes = 0;
    for (const run of group.runs) {
      const ofRun = await this.#pagesOf(source, run);
      if (!ofRun) return undefined;
      for await (const { key, record, isRead } of this.#records(ofRun)) {
        isWhole &&= isRead;
        if (!record) continue;
        pages.push({ key, record });
        bytes += record.length;
        if (bytes < maxSegmentBytes) continue;
        await flush(pages, isWhole);
        [pages, bytes] = [[], 0];
      }
    }
    if (pages.length > 0) await flush(pages, isWhole);
    if (isWhole) await words.finish(source, group.name, segments.length);
    return { segments, at: this.#now(), isWhole };
  }

  /** Yields the records of pages, some read at a time. */
  async *#records(pages: readonly SourcePage[]) {
    const pause = createPauses();
    for (let at = 0; at < pages.length; at += pagesAtOnce) {
      if (this.#controller.signal.aborted) throw cancelledError(this.#controller.signal);
      await pause();
      yield* await Promise.all(pages.slice(at, at + pagesAtOnce).map((page) => this.#record(page)));
    }
  }

  /** Returns the pages of a run; undefined if they have changed. */
  async #pagesOf(source: Source, run: Run): Promise<readonly SourcePage[] | undefined> {
    const location = { source, key: run.folder };
    const found = await readTextFolder(this.#parts, location, this.#controller.signal);
    const pages = (await found?.text?.pages()) ?? [];
    const runs = await runsOf(run.folder, pages);
    if (!runs.some(({ digest }) => digest === run.digest)) return undefined;
    const { name } = run.pageClass;
    return pages.filter(
      ({ key, pageClass }) => pageClass.name === name && key >= run.firstKey && key <= run.lastKey,
    );
  }

  /** Returns the record of a page; `isRead` is false if it could not be read, or is of another version. */
  async #record({ key, files }: SourcePage) {
    try {
      const { record, validators } = await this.#parts.texts.readRecord(files);
      const isListed = validators.every(
        (validator, at) => files[at]?.validator === undefined || files[at].validator === validator,
      );
      return { key, record, isRead: isListed };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
      return { key, record: undefined, isRead: false };
    }
  }
}

/** Segments of a group, of which each has at least a page. */
const maxSegments = 100_000;

const segmentName = (group: string, at: number) => `${group}-${at}`;
