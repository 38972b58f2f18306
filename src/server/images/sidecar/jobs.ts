// Runs the jobs that build layers of sidecars, and stores the bytes: in the origin slot, or in memory if that
// is disabled.

import { ServiceError, withDeadline } from "../../../base/index.ts";
import type {
  Codecs,
  ImageHeader,
  ReadRequest,
  SidecarAccess,
  SidecarBlocks,
  SidecarLayer,
  SidecarUse,
} from "../../../imaging/index.ts";
import type { Slot } from "../../stores/slot.ts";
import type { Pool } from "../../workers/pool.ts";
import type { Admission } from "../admission/admit.ts";
import { sidecarWork } from "../admission/cost.ts";
import { blockVariant, type EntryKey } from "../cache-keys.ts";
import { type Master, needsOf } from "../describe.ts";
import { verdicts } from "../failed-reads.ts";
import type { Sidecar } from "./life.ts";

export interface SidecarJobParts {
  readonly codecs: Codecs;
  readonly pool: Pick<Pool, "run">;
  readonly origin: Slot;
  readonly admission: Pick<Admission, "run" | "allows" | "status" | "share">;
  readonly timeoutMs: number;
  /** Maximum bytes of sidecars in memory, which save tiles a lookup in the slot; 64 MiB by default. */
  readonly cacheBytes?: number;
}

/** Key of a layer in the slot, and its id in memory and in workers, which changes with each purge. */
export interface SidecarKey extends EntryKey {
  readonly id: string;
  readonly layer: SidecarLayer;
}

/**
 * Share of the sidecars in memory that the blocks of one layer take if there is no slot, so that they stay;
 * the rest is reserved for its entry.
 */
const shareOfMemory = 3 / 4;
/**
 * Maximum share of the slot that the blocks of one layer take, so that they do not displace everything
 * else.
 */
const shareOfSlot = 1 / 4;
const isVerdict = (error: unknown) => error instanceof ServiceError && verdicts.has(error.kind);

/**
 * Time limit in milliseconds for which a job waits until the slot has stored a block. If it is exceeded, the
 * job stops waiting for blocks; dropped blocks are made again later.
 */
const maxWait = 4000;

const nothing = async () => new Uint8Array();

/** Bytes of sidecars in memory if nothing else is said, and at least. */
export const minCacheBytes = 64 * 2 ** 20;

/** What a job stores or leaves: an entry, and its blocks if there is no slot. */
export type BuiltSidecar = Sidecar & Required<Pick<Sidecar, "entry">>;

export interface BuildOptions {
  readonly signal: AbortSignal | undefined;
  /** Access to the layer that this one is built on, if any. */
  readonly ground?: SidecarAccess | undefined;
}

/** Blocks of a layer that a job makes, stored as they come; `made` has them if there is no slot. */
export interface CachedBlocks {
  readonly blocks: SidecarBlocks;
  readonly made: ReadonlyMap<number, Uint8Array>;
}

export interface SidecarJobs {
  /**
   * Returns how a read uses the sidecar, see {@link SidecarUse}; undefined if it does not. `alone`: the layer
   * cannot be stored, or not built within the memory budget.
   */
  useOf(master: Master, read: ReadRequest): (SidecarUse & { readonly alone?: boolean }) | undefined;
  /** Returns the layers of a page that can be built, see `SidecarFormat.layers`. */
  layersOf(master: Master, header: ImageHeader): readonly SidecarLayer[];
  /** True if a page would have layers, given room and memory. */
  mayHave(master: Master, header: ImageHeader): boolean;
  /** Returns the blocks of a layer for reads: `blocks`, or those in the slot. */
  blocksOf(key: EntryKey, blocks?: ReadonlyMap<number, Uint8Array>): SidecarBlocks;
  /** Returns blocks for a job that makes a layer. */
  keepBlocks(key: SidecarKey): CachedBlocks;
  /**
   * Builds a layer and stores it in the slot. Returns undefined if this file can have none, which is not
   * stored. Throws other errors, after which another attempt may succeed.
   */
  build(
    master: Master,
    header: ImageHeader,
    key: SidecarKey,
    options: BuildOptions,
  ): Promise<BuiltSidecar | undefined>;
}

/**
 * Creates jobs that run in the pool. `isCurrent`: returns true if no purge has occurred since the key was
 * made.
 */
export function createSidecarJobs(
  { codecs, pool, origin, admission, timeoutMs, cacheBytes = minCacheBytes }: SidecarJobParts,
  isCurrent: (key: SidecarKey) => boolean,
): SidecarJobs {
  const capacity = () => origin.standIn?.()?.maxBytes?.() ?? origin.maxBytes();
  const room = () => (origin.maxBytes() === 0 ? cacheBytes * shareOfMemory : capacity() * shareOfSlot);
  const codecOf = ({ format }: ImageHeader) => codecs.decoder(format);
  const sizeOf = ({ image }: Master) => image.bytes.size ?? 0;
  const memoryOf = (master: Master, header: ImageHeader, layer: SidecarLayer) =>
    codecOf(header).sidecar?.memory(header, sizeOf(master), layer) ?? 0;
  const isAllowed = (master: Master, header: ImageHeader, layer: SidecarLayer) =>
    admission.allows(memoryOf(master, header, layer));

  const blocksOf: SidecarJobs["blocksOf"] = (key, blocks) => ({
    room: room(),
    load: async (block) => (blocks ? blocks.get(block) : origin.get(key.name, blockVariant(key, block))),
    keep: async () => {},
  });

  const keepBlocks = (key: SidecarKey): CachedBlocks => {
    const made = new Map<number, Uint8Array>();
    let slow = false;
    const blocks: SidecarBlocks = {
      ...blocksOf(key, origin.maxBytes() === 0 ? made : undefined),
      async keep(block, bytes) {
        if (origin.maxBytes() === 0) made.set(block, bytes);
        else if (isCurrent(key)) {
          origin.put(key.name, blockVariant(key, block), bytes);
          if (!slow) await withDeadline(maxWait, () => origin.whenSettled()).catch(() => (slow = true));
        }
      },
    };
    return { blocks, made };
  };

  const run = async (
    master: Master,
    header: ImageHeader,
    layer: SidecarLayer,
    access: SidecarAccess,
    work: AbortSignal,
  ) => {
    const memory = memoryOf(master, header, layer);
    const {
      page,
      image: { bytes, file },
    } = master;
    const expected = sidecarWork(codecOf(header), header, layer);
    const built = await admission.run(needsOf(master, memory, expected), work, (permit) =>
      pool.run(
        {
          task: { kind: "sidecar", layer, header, page },
          bytes,
          file,
          sidecar: { ...access, memory },
          memory,
        },
        { signal: work, timeoutMs, permit },
      ),
    );
    return built.bytes;
  };

  return {
    useOf(master, read) {
      const { sidecar } = codecOf(read.header);
      const useWithin = (bytes: number) => sidecar?.use(read, sizeOf(master), bytes);
      const best = useWithin(Number.POSITIVE_INFINITY);
      if (!best) return undefined;
      const use = useWithin(room());
      if (!use || !isAllowed(master, read.header, use.layers[0])) return { ...best, alone: true };
      const isFaster = use.faster && isAllowed(master, read.header, use.faster);
      return isFaster ? use : { ...use, faster: undefined };
    },
    layersOf: (master, header) =>
      (codecOf(header).sidecar?.layers(header, sizeOf(master), room()) ?? []).filter((layer) =>
        isAllowed(master, header, layer),
      ),
    mayHave: (master, header) =>
      (codecOf(header).sidecar?.layers(header, sizeOf(master), Number.POSITIVE_INFINITY) ?? []).length > 0,
    blocksOf,
    keepBlocks,
    async build(master, header, key, { signal, ground }) {
      const { blocks, made } = keepBlocks(key);
      const own: SidecarAccess = { id: key.id, absent: true, blocks, load: nothing };
      const access = ground ? { ...ground, faster: own } : { ...own, absent: false };
      try {
        const entry = await origin.getOrMake(
          key.name,
          key.variant,
          (work) => run(master, header, key.layer, access, work),
          {
            keeps: (made) => made.length > 0,
            ...(signal && { signal }),
          },
        );
        return entry.length === 0 ? undefined : { entry, ...(made.size > 0 && { blocks: made }) };
      } catch (error) {
        if (isVerdict(error)) return undefined;
        throw error;
      }
    },
  };
}
