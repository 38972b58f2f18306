// The indexes of masters: kept in memory, else in the origin slot, else made once by the pool for all who wait.

import type { ImageHeader, IndexAccess } from "../codecs/codec.ts";
import type { Codecs } from "../codecs/index.ts";
import type { Pool } from "../codecs/pool.ts";
import { cancelled, ServiceError } from "../errors.ts";
import { createLru } from "../lib/lru.ts";
import type { Slot } from "../stores/slot.ts";
import type { Admission } from "./admit.ts";
import { type EntryKey, indexKey } from "./cache-keys.ts";
import type { Master } from "./describe.ts";

export interface IndexParts {
  readonly codecs: Codecs;
  readonly pool: Pool;
  readonly origin: Slot;
  readonly admission: Admission;
  readonly timeoutMs: number;
  /** Jobs run in place, where nothing goes on after the request that began it: an index is made as a whole, and first. */
  readonly inPlace: boolean;
}

/** What a render gets of an index. */
export interface FoundIndex {
  readonly access: IndexAccess;
  /** To be called when the render has ended: makes what is left of an index that was absent, for all who wait for it. */
  readonly finish?: () => void;
}

export interface Indexes {
  /**
   * The index of a master; undefined where its kind has none, or where it could not be made. While there is none yet,
   * the first render makes what it needs by itself, and the others wait until all is there. Throws `cancelled`.
   */
  of(master: Master, header: ImageHeader, signal: AbortSignal): Promise<FoundIndex | undefined>;
  /** An index turned out not to fit: it is made anew. */
  forget(master: Master): Promise<void>;
  /** Resolves when no index is being made. */
  settled(): Promise<void>;
}

/** Bytes of indexes that are kept in memory, so that a tile needs no look into the slot. */
const kept = 64 * 2 ** 20;

/** Kinds of error after which the image is rendered without an index; after others the next render begins anew. */
const degrading: ReadonlySet<ServiceError["kind"]> = new Set<ServiceError["kind"]>(["decode", "unsupported"]);

/** Indexes over the origin slot. */
export function createIndexes({ codecs, pool, origin, admission, timeoutMs, inPlace }: IndexParts): Indexes {
  const inMemory = createLru<string, Uint8Array>(kept);

  /** Masters whose index is being looked for or made. */
  const flights = new Map<string, Promise<void>>();

  const make = (master: Master, header: ImageHeader, id: string, work: AbortSignal): Promise<Uint8Array> => {
    const memory = indexMemory(header);
    const { bytes, file } = master.image;
    const index = { id, load: async () => new Uint8Array() };
    return admission.run(memory, work, () =>
      pool.index({ header, memory, bytes, file, index }, { signal: work, timeoutMs }),
    );
  };

  const keep = (variant: string, index: Uint8Array) => inMemory.set(variant, index, index.length + 256);

  /** What cannot be made is remembered as empty, in memory only: failures are never stored. */
  const makeAndKeep = async (
    master: Master,
    header: ImageHeader,
    { name, variant }: EntryKey,
  ): Promise<void> => {
    try {
      keep(variant, await origin.getOrMake(name, variant, (work) => make(master, header, variant, work)));
    } catch (error) {
      if (error instanceof ServiceError && degrading.has(error.kind)) keep(variant, new Uint8Array());
    }
  };

  const access = (variant: string, index: Uint8Array): FoundIndex | undefined =>
    index.length === 0 ? undefined : { access: { id: variant, load: async () => index } };

  return {
    async of(master, header, signal) {
      if (!codecs.byFormat(header.format).index) return undefined;
      const key = await indexKey(master);
      const { name, variant } = key;
      for (;;) {
        const known = inMemory.get(variant);
        if (known) return access(variant, known);
        const flight = flights.get(variant);
        if (!flight) break;
        await orAborted(flight, signal);
      }
      let land = () => {};
      const flight = new Promise<void>((resolve) => {
        land = () => {
          flights.delete(variant);
          resolve();
        };
      });
      flights.set(variant, flight);
      const stored = await origin.get(name, variant);
      if (stored) keep(variant, stored);
      else if (inPlace) await makeAndKeep(master, header, key);
      if (stored || inPlace) {
        land();
        return access(variant, stored ?? inMemory.get(variant) ?? new Uint8Array());
      }
      return {
        access: { id: variant, absent: true, load: async () => new Uint8Array() },
        finish: () => void makeAndKeep(master, header, key).finally(land),
      };
    },
    async forget(master) {
      const { name, variant } = await indexKey(master);
      inMemory.delete(variant);
      // A store that cannot even delete costs the index, not the answer.
      await origin.delete(name, variant).catch(() => keep(variant, new Uint8Array()));
    },
    async settled() {
      await Promise.all(flights.values());
    },
  };
}

/** Waits for a flight unless the signal aborts before. Throws ServiceError `cancelled`. */
async function orAborted(flight: Promise<void>, signal: AbortSignal): Promise<void> {
  let leave = () => {};
  const gone = new Promise<never>((_, reject) => {
    leave = () => reject(cancelled(signal));
  });
  gone.catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  await Promise.race([flight, gone]).finally(() => signal.removeEventListener("abort", leave));
}

/** What an index pass may need: a window of the file, tables, and planes of an eighth of each side. */
function indexMemory(header: ImageHeader): number {
  return 8 * 2 ** 20 + Math.ceil((header.width * header.height * header.bands) / 32);
}
