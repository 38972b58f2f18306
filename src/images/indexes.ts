// The indexes of masters: kept in memory, else in the origin slot, else made once by the pool for all who wait.

import type { ImageHeader, IndexAccess } from "../codecs/codec.ts";
import type { Codecs } from "../codecs/index.ts";
import type { Pool } from "../codecs/pool.ts";
import { ServiceError } from "../errors.ts";
import { createLru } from "../lib/lru.ts";
import type { Slot } from "../stores/slot.ts";
import type { Admission } from "./admit.ts";
import { indexKey } from "./cache-keys.ts";
import type { Master } from "./describe.ts";

export interface IndexParts {
  readonly codecs: Codecs;
  readonly pool: Pool;
  readonly origin: Slot;
  readonly admission: Admission;
  readonly timeoutMs: number;
}

export interface Indexes {
  /**
   * Access to the index of a master; undefined where its kind has none, or where it could not be made. Throws what
   * admission throws, `timeout` and `cancelled`.
   */
  of(master: Master, header: ImageHeader, signal: AbortSignal): Promise<IndexAccess | undefined>;
}

/** Bytes of indexes that are kept in memory, so that a tile needs no look into the slot. */
const kept = 64 * 2 ** 20;

/** Kinds of error after which the image is rendered without an index. */
const degrading: ReadonlySet<ServiceError["kind"]> = new Set<ServiceError["kind"]>([
  "decode",
  "unsupported",
  "source",
]);

/** Indexes over the origin slot. */
export function createIndexes({ codecs, pool, origin, admission, timeoutMs }: IndexParts): Indexes {
  const inMemory = createLru<string, Uint8Array>(kept);

  const make = (master: Master, header: ImageHeader, work: AbortSignal): Promise<Uint8Array> => {
    const memory = indexMemory(header);
    const job = { header, memory, bytes: master.image.bytes, file: master.image.file };
    return admission.run(memory, work, () => pool.index(job, { signal: work, timeoutMs }));
  };

  /** From the slot or made; what cannot be made is remembered as empty, in memory only: failures are never stored. */
  const find = async (
    master: Master,
    header: ImageHeader,
    name: string,
    variant: string,
    signal: AbortSignal,
  ) => {
    try {
      return await origin.getOrMake(name, variant, (work) => make(master, header, work), { signal });
    } catch (error) {
      if (error instanceof ServiceError && degrading.has(error.kind)) return new Uint8Array();
      throw error;
    }
  };

  return {
    async of(master, header, signal) {
      if (!codecs.byFormat(header.format).index) return undefined;
      const { name, variant } = await indexKey(master);
      let index = inMemory.get(variant);
      if (!index) {
        index = await find(master, header, name, variant, signal);
        inMemory.set(variant, index, index.length + 256);
      }
      const found = index;
      return found.length === 0 ? undefined : { id: variant, load: async () => found };
    },
  };
}

/** What an index pass may need: a window of the file, tables, and planes of an eighth of each side. */
function indexMemory(header: ImageHeader): number {
  return 8 * 2 ** 20 + Math.ceil((header.width * header.height * header.bands) / 32);
}
