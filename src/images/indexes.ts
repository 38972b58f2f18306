// The indexes of masters: kept in memory, else in the origin slot, else made once by the pool for all who wait.

import type { ImageHeader, IndexAccess, IndexBlocks, Indexing, ReadRequest } from "../codecs/codec.ts";
import type { Codecs } from "../codecs/index.ts";
import type { Pool } from "../codecs/pool.ts";
import { cancelled, ServiceError } from "../errors.ts";
import { withDeadline } from "../lib/bounded-wait.ts";
import { createGenerations } from "../lib/generations.ts";
import { createLru } from "../lib/lru.ts";
import { onAbort } from "../lib/on-abort.ts";
import type { Slot } from "../stores/slot.ts";
import type { Admission } from "./admit.ts";
import { blockVariant, type EntryKey, indexKey } from "./cache-keys.ts";
import { indexWork } from "./cost.ts";
import { demandOf, type Master } from "./describe.ts";

export interface IndexParts {
  readonly codecs: Codecs;
  readonly pool: Pool;
  readonly origin: Slot;
  readonly admission: Admission;
  readonly timeoutMs: number;
  /** Jobs run in place, where nothing goes on after the request that began it: an index is made as a whole, and first. */
  readonly inPlace: boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What a render gets of an index. */
export interface FoundIndex {
  readonly access: IndexAccess;
  /**
   * To be called when the render has ended: makes what is left of an index that was absent, for all who wait for it, or a fuller one
   * than there is, for those who come later. `failed`: with what the render failed.
   */
  readonly finish?: (failed?: unknown) => void;
}

export interface Indexes {
  /**
   * The index for a read; undefined where the read has no use for one. The pixels do not depend on it: where there is none
   * yet, or none can be kept, the job makes what it needs by itself. One pass makes the index, whoever asks meanwhile; the codec's
   * `indexing` says who waits for it. Throws `cancelled`, `source` where the render did that was to begin it, and to those who can
   * only wait what the pass threw, but for a file that is damaged or refused.
   */
  of(
    master: Master,
    read: ReadRequest,
    options: { readonly signal: AbortSignal },
  ): Promise<FoundIndex | undefined>;
  /**
   * Indexes that were found or begun until now are not used or kept any more: those of one master (as `masterName` gives it), or
   * all. The caller empties the slot.
   */
  purge(master?: string): void;
  /** Resolves when no index is being made or removed. */
  settled(): Promise<void>;
}

/** Bytes of indexes that are kept in memory, so that a tile needs no look into the slot. */
const inMemoryBytes = 64 * 2 ** 20;
/** Where there is no slot, blocks are kept with their index; some room has to be left for the index itself. */
const roomInMemory = inMemoryBytes * (3 / 4);
/** Of a slot one index may take so much with its blocks, so that it does not push out everything else. */
const shareOfSlot = 1 / 4;

/** Kinds of error after which nothing is kept of a file; after others the next render begins again. */
const degrading: ReadonlySet<ServiceError["kind"]> = new Set<ServiceError["kind"]>(["decode", "unsupported"]);

/**
 * How long a pass waits for the slot to take a block, in milliseconds. Once that was not enough the pass goes on without waiting:
 * what the slot drops then is made again.
 */
const longestWait = 4000;
/** How long what a slot has lost again is not made again: it may be one that does not keep it. */
const renewalMs = 60_000;
/** For this many masters it is known that theirs was made again. */
const mostRenewed = 1024;

interface Kept {
  /** Empty: none can be kept. */
  readonly index: Uint8Array;
  /** The blocks, where no slot has them. */
  readonly blocks?: ReadonlyMap<number, Uint8Array>;
  /** A fuller one was tried: what workers know of another does not count for this one. */
  readonly filled?: true;
}

/** Passes that nobody needs yet may put off their begin; of more than so many images none is made before it is needed. */
const mostPutOff = 32;
const pauseMs = 100;

/** A key in the slot, and the one in memory and in workers, which is another after each purge. */
interface IndexKey extends EntryKey {
  readonly id: string;
}

interface Flight {
  /** When the slot has been asked. */
  readonly asked: Promise<void>;
  /** When there is an index or none can be made; the error of a pass that another may try again. */
  readonly landed: Promise<unknown>;
  /** Somebody needs the index: the pass is put off no longer. */
  hurry(): void;
  /** Somebody waits until it lands, or the signal aborts. */
  hold(signal: AbortSignal): void;
  /** The error of the source, where the render failed with it that was to begin the index. */
  sourceFailed(): unknown;
}

/** Indexes over the origin slot. */
export function createIndexes({
  codecs,
  pool,
  origin,
  admission,
  timeoutMs,
  inPlace,
  now = Date.now,
}: IndexParts): Indexes {
  const inMemory = createLru<string, Kept>(inMemoryBytes);
  const generations = createGenerations();
  const keyOf = async (master: Master): Promise<IndexKey> => {
    const key = await indexKey(master);
    return { ...key, id: idOf(key) };
  };
  const idOf = ({ name, variant }: EntryKey) => `${generations.of(name)} ${variant}`;

  /** Masters whose index is being looked for or made. */
  const flights = new Map<string, Flight>();
  /** Those for which a fuller index is being made, or whose index is being removed. */
  const upkeep = new Map<string, Promise<void>>();
  let putOff = 0;
  /** Until when the index of a master is not removed again. */
  const renewed = createLru<string, number>(mostRenewed);

  /** Resolves when no job runs or waits, or when `hurried` does. */
  const calm = async (hurried: Promise<void>) => {
    let needed = false;
    const need = hurried.then(() => {
      needed = true;
    });
    const busy = () => {
      const { running, waiting } = admission.status();
      return running + waiting > 0;
    };
    putOff++;
    while (!needed && busy())
      await Promise.race([need, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
    putOff--;
  };

  const room = () => (origin.maxBytes() === 0 ? roomInMemory : origin.maxBytes() * shareOfSlot);

  const remember = (id: string, value: Kept) => {
    let weight = value.index.length + 256;
    for (const block of value.blocks?.values() ?? []) weight += block.length;
    inMemory.set(id, value, weight);
    return value;
  };

  const blocksOf = (key: EntryKey, blocks: ReadonlyMap<number, Uint8Array> | undefined): IndexBlocks => ({
    room: room(),
    load: async (block) => (blocks ? blocks.get(block) : origin.get(key.name, blockVariant(key, block))),
    keep: async () => {},
  });

  /** Where the blocks of an index go that is being made: into the slot, one behind the other, or into memory. */
  const keeping = (key: IndexKey, made: Map<number, Uint8Array>): IndexBlocks => {
    let slow = false;
    return {
      ...blocksOf(key, origin.maxBytes() === 0 ? made : undefined),
      async keep(block, bytes) {
        if (origin.maxBytes() === 0) made.set(block, bytes);
        else if (idOf(key) === key.id) {
          origin.put(key.name, blockVariant(key, block), bytes);
          const settled = () => withDeadline(longestWait, () => origin.settled());
          if (!slow) await settled().catch(() => (slow = true));
        }
      },
    };
  };

  const memoryOf = (header: ImageHeader, full?: boolean) =>
    codecs.byFormat(header.format).indexMemory?.(header, full) ?? 0;

  const make = (master: Master, header: ImageHeader, index: IndexAccess, work: AbortSignal) => {
    const memory = memoryOf(header, index.full);
    const { bytes, file } = master.image;
    const demand = demandOf(master, memory, indexWork(header, index.full === true));
    return admission.run(demand, work, (place) =>
      pool.index({ header, memory, bytes, file, index }, { signal: work, timeoutMs, place }),
    );
  };

  const nothing = async () => new Uint8Array();
  const gains = (master: Master, read: ReadRequest, index?: Uint8Array) =>
    (codecs.byFormat(read.header.format).gains?.(index, read, master.image.bytes.size ?? 0) ?? false) &&
    admission.allows(memoryOf(read.header, true));

  /** What cannot be kept is remembered as empty, in memory only: failures are never stored. Throws what may pass. */
  const makeAndKeep = async (
    master: Master,
    read: ReadRequest,
    key: IndexKey,
    signal?: AbortSignal,
  ): Promise<Kept> => {
    const { header } = read;
    const { name, variant, id } = key;
    const blocks = new Map<number, Uint8Array>();
    const index = { id, full: gains(master, read), blocks: keeping(key, blocks), load: nothing };
    const keeps = (made: Uint8Array) => made.length > 0;
    try {
      const made = await origin.getOrMake(name, variant, (work) => make(master, header, index, work), {
        keeps,
        ...(signal && { signal }),
      });
      return remember(id, { index: made, ...(blocks.size > 0 && { blocks }) });
    } catch (error) {
      if (!(error instanceof ServiceError) || !degrading.has(error.kind)) throw error;
      return remember(id, { index: new Uint8Array() });
    }
  };

  const accessId = ({ id }: IndexKey, { filled }: Pick<Kept, "filled">) => (filled ? `${id} filled` : id);

  /** Makes a full index in place of one that is there. It may fail: reads go on with the one that is there. */
  const fill = async (master: Master, header: ImageHeader, key: IndexKey, known: Kept): Promise<void> => {
    const blocks = new Map(known.blocks);
    const load = async () => known.index;
    const access = {
      id: accessId(key, { filled: true }),
      full: true,
      blocks: keeping(key, blocks),
      load,
      unfit: () => renew(key),
    };
    try {
      const index = await make(master, header, access, new AbortController().signal);
      if (idOf(key) !== key.id || index.length === 0) return;
      origin.put(key.name, key.variant, index);
      remember(key.id, { index, filled: true, ...(blocks.size > 0 && { blocks }) });
    } catch (error) {
      if (error instanceof ServiceError && degrading.has(error.kind))
        remember(key.id, { ...known, filled: true });
    }
  };

  /** One piece of upkeep at a time for each master. */
  const keepUp = (id: string, work: () => Promise<void>): void => {
    if (!upkeep.has(id))
      upkeep.set(
        id,
        work().finally(() => upkeep.delete(id)),
      );
  };

  /** Removes what turned out to be lost in part, so that the next read has it made again. A store that cannot delete keeps it. */
  const renew = (key: IndexKey): void => {
    if ((renewed.get(key.id) ?? Number.NEGATIVE_INFINITY) > now()) return;
    renewed.set(key.id, now() + renewalMs, 1);
    keepUp(key.id, async () => {
      await origin.delete(key.name, key.variant).catch(() => {});
      inMemory.delete(key.id);
    });
  };

  const absent = (key: IndexKey, finish?: FoundIndex["finish"]): FoundIndex => ({
    access: { id: key.id, absent: true, load: nothing },
    ...(finish && { finish }),
  });

  const found = (master: Master, read: ReadRequest, key: IndexKey, known: Kept): FoundIndex => {
    const { index, blocks, filled } = known;
    if (index.length === 0) return absent(key);
    const access: IndexAccess = {
      id: accessId(key, known),
      blocks: blocksOf(key, blocks),
      load: async () => index,
      unfit: () => renew(key),
    };
    if (inPlace || filled || !gains(master, read, index)) return { access };
    return { access, finish: () => keepUp(key.id, () => fill(master, read.header, key, known)) };
  };

  /** "none": the read has no use for an index. "absent": it has, but none can be kept, or made within the memory budget. */
  const indexing = (master: Master, read: ReadRequest): Indexing | "absent" => {
    const codec = codecs.byFormat(read.header.format);
    const within = (bytes: number) => codec.indexing?.(read, master.image.bytes.size ?? 0, bytes) ?? "none";
    if (within(Number.POSITIVE_INFINITY) === "none") return "none";
    const way = admission.allows(memoryOf(read.header, false)) ? within(room()) : "none";
    return way === "none" ? "absent" : way;
  };

  return {
    async of(master, read, { signal }) {
      const way = indexing(master, read);
      if (way === "none") return undefined;
      const key = await keyOf(master);
      const { name, variant, id } = key;
      if (way === "absent") return absent(key);
      for (;;) {
        const known = inMemory.get(id);
        if (known) return found(master, read, key, known);
        const flight = flights.get(id);
        if (!flight) break;
        if (way !== "apart") {
          flight.hurry();
          flight.hold(signal);
        }
        await orAborted(way === "apart" ? flight.asked : flight.landed, signal);
        if (way === "apart" && flights.has(id)) return absent(key);
        const error = await flight.landed;
        if (error === undefined || isCancelled(error)) continue;
        if (way === "wait" || error === flight.sourceFailed()) throw error;
        // Else all who wait would wait for the source once more, one behind the other.
        if (isOfSource(error)) return absent(key);
      }

      let land = (_error?: unknown) => {};
      const landed = new Promise<unknown>((resolve) => {
        land = (error) => {
          flights.delete(id);
          resolve(error);
        };
      });
      let hurry = () => {};
      const hurried = new Promise<void>((resolve) => {
        hurry = resolve;
      });
      // A pass over a remote master is dropped with the last who waits; one over a file goes on for those who come later.
      const dropped = new AbortController();
      let holders = 0;
      const hold = (holder: AbortSignal) => {
        holders++;
        onAbort(holder, () => {
          if (--holders === 0 && master.image.remote) dropped.abort(cancelled(holder));
        });
      };
      hold(signal);
      const asking = origin.get(name, variant);
      let sourceFailed: unknown;
      const asked = asking.then(() => {});
      flights.set(id, { asked, landed, hurry, hold, sourceFailed: () => sourceFailed });
      const stored = await asking;
      if (stored) {
        land();
        return found(master, read, key, remember(id, { index: stored }));
      }
      const pass = async () => {
        let error: unknown;
        try {
          // In place a pass takes the one thread there is: it ends with its client, and who waits for it begins again.
          return await makeAndKeep(master, read, key, inPlace ? signal : dropped.signal);
        } catch (thrown) {
          error = thrown;
          throw thrown;
        } finally {
          land(error);
        }
      };
      if (way === "wait") return found(master, read, key, await orAborted(pass(), signal));
      if (inPlace && way === "begin") {
        const made = await pass().catch(() => undefined);
        return made ? found(master, read, key, made) : absent(key);
      }
      if (way === "begin")
        return absent(key, (failed) => {
          if (!isOfSource(failed)) return void pass().catch(() => {});
          sourceFailed = failed;
          land(failed);
        });
      if (inPlace || putOff >= mostPutOff) {
        land();
        return absent(key);
      }
      return absent(
        key,
        () =>
          void calm(hurried)
            .then(pass)
            .catch(() => {}),
      );
    },
    purge: generations.renew,
    async settled() {
      for (const { hurry } of flights.values()) hurry();
      await Promise.all([...flights.values()].map(({ landed }) => landed));
      await Promise.all(upkeep.values());
    },
  };
}

const isCancelled = (error: unknown) => error instanceof ServiceError && error.kind === "cancelled";
const isOfSource = (error: unknown) => error instanceof ServiceError && error.kind === "source";

/** Waits unless the signal aborts before. Throws ServiceError `cancelled`, and what was waited for throws. */
async function orAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = () => {};
  const gone = new Promise<never>((_, reject) => {
    leave = () => reject(cancelled(signal));
  });
  gone.catch(() => {});
  result.catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  return Promise.race([result, gone]).finally(() => signal.removeEventListener("abort", leave));
}
