// Space in a folder of entries, which other processes may write to and clear as well.

import { createSemaphore, type Semaphore } from "../../../base/index.ts";
import type { Usage } from "../store.ts";
import type { EntryFiles } from "./entry-files.ts";
import { type CountedEntry, sweep } from "./sweep.ts";

export interface RoomOptions {
  readonly files: EntryFiles;
  readonly top: string;
  readonly maxBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Files are counted again after this time, or a quarter of the bound written, when this process writes or is
 * asked.
 */
const recountInterval = 10 * 60_000;
/**
 * So few files are counted again whenever room is short, or somebody asks how many they are and that is not
 * certain.
 */
const fewEntries = 1000;
/** Among how many of the least recently used the next to go is chosen. */
const spread = 16;

/** The account of one folder, as far as this process can know; it has counted nothing yet. */
export class Room {
  readonly #parts: RoomOptions;
  // Writes of other processes are noticed only by a count. Until then, as much room is reserved for them as
  // this one adds and is writing: of two processes, the one that adds more keeps both within the limit,
  // except for writes during a count (a sixteenth, or one larger entry).
  readonly #low: number;
  readonly #high: number;
  // Pending writes need room next to existing entries, so that many simultaneous writers would evict
  // everything: writes beyond a sixteenth of the limit wait for their turn. A larger entry is written alone.
  readonly #atOnce: number;
  readonly #turns: Semaphore;
  /** Bytes that are being written. */
  #writing = 0;
  #tally: Usage | undefined;
  /** The least recently used at the last count, the oldest last; they go before files are counted again. */
  #oldest: CountedEntry[] = [];
  /** Bytes written less bytes evicted since the last count. */
  #added = 0;
  /** Bytes written since the last count. */
  #written = 0;
  #grown: Usage = { entries: 0, bytes: 0 };
  #counting = false;
  #uncertain = false;
  #period = 0;
  #countedAt = 0;
  #making: Promise<void> | undefined;
  /** The count that those who ask wait for. */
  #asked: Promise<void> | undefined;

  constructor(parts: RoomOptions) {
    const { maxBytes } = parts;
    this.#parts = parts;
    this.#low = maxBytes * (7 / 8);
    this.#high = maxBytes * (15 / 16);
    this.#atOnce = Math.max(1, Math.floor(maxBytes / 16));
    this.#turns = createSemaphore(this.#atOnce);
  }

  /** Runs `write`, which adds a file of that many bytes, when there is room for it. At most `maxBytes`. */
  async reserve(bytes: number, write: () => Promise<void>): Promise<void> {
    const release = await this.#turns.acquire({ weight: Math.min(bytes, this.#atOnce) });
    this.#writing += bytes;
    try {
      while (!this.#fits())
        await this.#makeRoom(Math.min(this.#low, this.#parts.maxBytes - this.#underWay()));
      await write();
      this.#added += bytes;
      this.#written += bytes;
    } finally {
      this.#writing -= bytes;
      release();
    }
    // Not awaited; if it fails, a later write finds no room, tries again, and reports it.
    if (!this.#tally || this.#tally.bytes + Math.max(0, this.#added) > this.#high || this.#isStale())
      this.#makeRoom(this.#low).catch(() => {});
  }

  /** Begins a change of the folder; the returned function records its result. */
  change(): (entries: number, bytes: number) => void {
    const begun = this.#counting ? undefined : this.#period;
    return (entries, bytes) => {
      // A count that ran meanwhile may or may not have seen the change. Then growth counts, perhaps twice,
      // and shrinking does not: the safe side, until the next count.
      const clear = begun === this.#period;
      if (!clear) this.#uncertain = true;
      if (this.#tally && (clear || bytes > 0))
        this.#tally = { entries: this.#tally.entries + entries, bytes: this.#tally.bytes + bytes };
      if (bytes > 0)
        this.#grown = { entries: this.#grown.entries + entries, bytes: this.#grown.bytes + bytes };
    };
  }

  async usage(): Promise<Usage> {
    await this.#making?.catch(() => {});
    if (!this.#tally || (this.#uncertain && this.#hasFew())) {
      // A caller that stops waiting for a large folder and asks again does not begin another count.
      this.#asked ??= this.#count(Number.POSITIVE_INFINITY).finally(() => {
        this.#asked = undefined;
      });
      await this.#asked;
    } else if (this.#isStale()) this.#makeRoom(this.#low).catch(() => {});
    return this.#tally ?? { entries: 0, bytes: 0 };
  }

  /** Forgets all that was counted. */
  reset(): void {
    this.#tally = undefined;
    this.#oldest = [];
  }

  /** Resolves when no sweep is running. */
  async whenSettled(): Promise<void> {
    await this.#making?.catch(() => {});
  }

  /** Counts all files and removes the least recently used until at most `room` bytes are left. */
  async #count(room: number): Promise<void> {
    // They count until it is known what became of them.
    const before = { added: this.#added, written: this.#written };
    this.#period++;
    this.#counting = true;
    this.#uncertain = false;
    this.#grown = { entries: 0, bytes: 0 };
    try {
      const { files, top, now } = this.#parts;
      const left = await sweep(files, top, room, now());
      this.#tally = { entries: left.entries + this.#grown.entries, bytes: left.bytes + this.#grown.bytes };
      this.#oldest = left.oldest;
      this.#countedAt = now();
      this.#added -= before.added;
      this.#written -= before.written;
    } finally {
      this.#counting = false;
    }
  }

  /** Removes the entries that were least recently used at the last count and have not been used since. */
  async #evict(room: number): Promise<void> {
    while (this.#tally && this.#tally.bytes > room) {
      // A random one of the last few, so that two processes that evict simultaneously rarely choose the same
      // file.
      const at = Math.max(0, this.#oldest.length - 1 - Math.floor(Math.random() * spread));
      const [candidate] = this.#oldest.splice(at, 1);
      if (!candidate) return;
      const done = this.change();
      const stat = await this.#parts.files.stat(candidate.file);
      if (stat?.modified.getTime() !== candidate.used) continue;
      await this.#parts.files.remove(candidate.file);
      done(-1, -stat.size);
      this.#added -= stat.size;
    }
  }

  #isStale(): boolean {
    return this.#parts.now() - this.#countedAt > recountInterval || this.#written > this.#parts.maxBytes / 4;
  }

  #hasFew(): boolean {
    return this.#tally !== undefined && this.#tally.entries < fewEntries;
  }

  #makeRoom(room: number): Promise<void> {
    this.#making ??= (async () => {
      const enough = () => this.#tally !== undefined && this.#tally.bytes <= room;
      // If our own count says there is room and yet there is too little, the count is missing something.
      if (!this.#tally || this.#hasFew() || this.#isStale() || enough()) return this.#count(room);
      await this.#evict(room);
      if (!enough()) await this.#count(room);
    })().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  /** Bytes being written here, and as much again elsewhere, except for a larger entry. */
  #underWay(): number {
    return Math.min(this.#parts.maxBytes, this.#writing + Math.min(this.#writing, this.#atOnce));
  }

  /** True if there is room for pending writes. */
  #fits(): boolean {
    return this.#tally
      ? this.#tally.bytes + Math.max(0, this.#added) + this.#underWay() <= this.#parts.maxBytes
      : this.#added + this.#writing <= this.#parts.maxBytes / 32;
  }
}
