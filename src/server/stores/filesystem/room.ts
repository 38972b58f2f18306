// Space in a folder of entries, which other processes may write to and clear as well.

import { createSemaphore } from "../../../base/index.ts";
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

/** The account of one folder, as far as this process can know. */
export interface Room {
  /** Runs `write`, which adds a file of that many bytes, when there is room for it. At most `maxBytes`. */
  reserve(bytes: number, write: () => Promise<void>): Promise<void>;
  /** Begins a change of the folder; the returned function records its result. */
  change(): (entries: number, bytes: number) => void;
  usage(): Promise<Usage>;
  /** Forgets all that was counted. */
  reset(): void;
  /** Resolves when no sweep is running. */
  whenSettled(): Promise<void>;
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

/** An account that has counted nothing yet. */
export function createRoom({ files, top, maxBytes, now }: RoomOptions): Room {
  // Writes of other processes are noticed only by a count. Until then, as much room is reserved for them as
  // this one adds and is writing: of two processes, the one that adds more keeps both within the limit,
  // except for writes during a count (a sixteenth, or one larger entry).
  const low = maxBytes * (7 / 8);
  const high = maxBytes * (15 / 16);
  // Pending writes need room next to existing entries, so that many simultaneous writers would evict
  // everything: writes beyond a sixteenth of the limit wait for their turn. A larger entry is written alone.
  const atOnce = Math.max(1, Math.floor(maxBytes / 16));
  const turns = createSemaphore(atOnce);
  /** Bytes that are being written. */
  let writing = 0;
  let tally: Usage | undefined;
  /** The least recently used at the last count, the oldest last; they go before files are counted again. */
  let oldest: CountedEntry[] = [];
  /** Bytes written less bytes evicted since the last count. */
  let added = 0;
  /** Bytes written since the last count. */
  let written = 0;
  let grown: Usage = { entries: 0, bytes: 0 };
  let counting = false;
  let uncertain = false;
  let period = 0;
  let countedAt = 0;
  let making: Promise<void> | undefined;
  /** The count that those who ask wait for. */
  let asked: Promise<void> | undefined;

  const change: Room["change"] = () => {
    const begun = counting ? undefined : period;
    return (entries, bytes) => {
      // A count that ran meanwhile may or may not have seen the change. Then growth counts, perhaps twice,
      // and shrinking does not: the safe side, until the next count.
      const clear = begun === period;
      if (!clear) uncertain = true;
      if (tally && (clear || bytes > 0))
        tally = { entries: tally.entries + entries, bytes: tally.bytes + bytes };
      if (bytes > 0) grown = { entries: grown.entries + entries, bytes: grown.bytes + bytes };
    };
  };

  /** Counts all files and removes the least recently used until at most `room` bytes are left. */
  const count = async (room: number) => {
    // They count until it is known what became of them.
    const before = { added, written };
    period++;
    counting = true;
    uncertain = false;
    grown = { entries: 0, bytes: 0 };
    try {
      const left = await sweep(files, top, room, now());
      tally = { entries: left.entries + grown.entries, bytes: left.bytes + grown.bytes };
      oldest = left.oldest;
      countedAt = now();
      added -= before.added;
      written -= before.written;
    } finally {
      counting = false;
    }
  };

  /** Removes the entries that were least recently used at the last count and have not been used since. */
  const evict = async (room: number) => {
    while (tally && tally.bytes > room) {
      // A random one of the last few, so that two processes that evict simultaneously rarely choose the same
      // file.
      const at = Math.max(0, oldest.length - 1 - Math.floor(Math.random() * spread));
      const [candidate] = oldest.splice(at, 1);
      if (!candidate) return;
      const done = change();
      const stat = await files.stat(candidate.file);
      if (stat?.modified.getTime() !== candidate.used) continue;
      await files.remove(candidate.file);
      done(-1, -stat.size);
      added -= stat.size;
    }
  };

  const isStale = () => now() - countedAt > recountInterval || written > maxBytes / 4;

  const hasFew = () => tally !== undefined && tally.entries < fewEntries;

  const makeRoom = (room: number): Promise<void> => {
    making ??= (async () => {
      const enough = () => tally !== undefined && tally.bytes <= room;
      // If our own count says there is room and yet there is too little, the count is missing something.
      if (!tally || hasFew() || isStale() || enough()) return count(room);
      await evict(room);
      if (!enough()) await count(room);
    })().finally(() => {
      making = undefined;
    });
    return making;
  };

  /** Bytes being written here, and as much again elsewhere, except for a larger entry. */
  const underWay = () => Math.min(maxBytes, writing + Math.min(writing, atOnce));

  /** True if there is room for pending writes. */
  const fits = () =>
    tally ? tally.bytes + Math.max(0, added) + underWay() <= maxBytes : added + writing <= maxBytes / 32;

  return {
    async reserve(bytes, write) {
      const release = await turns.acquire({ weight: Math.min(bytes, atOnce) });
      writing += bytes;
      try {
        while (!fits()) await makeRoom(Math.min(low, maxBytes - underWay()));
        await write();
        added += bytes;
        written += bytes;
      } finally {
        writing -= bytes;
        release();
      }
      // Not awaited; if it fails, a later write finds no room, tries again, and reports it.
      if (!tally || tally.bytes + Math.max(0, added) > high || isStale()) makeRoom(low).catch(() => {});
    },
    change,
    async usage() {
      await making?.catch(() => {});
      if (!tally || (uncertain && hasFew())) {
        // A caller that stops waiting for a large folder and asks again does not begin another count.
        asked ??= count(Number.POSITIVE_INFINITY).finally(() => {
          asked = undefined;
        });
        await asked;
      } else if (isStale()) makeRoom(low).catch(() => {});
      return tally ?? { entries: 0, bytes: 0 };
    },
    reset() {
      tally = undefined;
      oldest = [];
    },
    async whenSettled() {
      await making?.catch(() => {});
    },
  };
}
