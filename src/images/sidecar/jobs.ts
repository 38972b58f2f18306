// Runs the jobs that build sidecars, and stores the bytes: in the origin slot, or in memory if that is
// disabled.

import { ServiceError } from "../../errors.ts";
import type { SidecarAccess, SidecarBlocks, SidecarWay } from "../../imaging/codecs/codec.ts";
import type { Codecs } from "../../imaging/codecs/codecs.ts";
import type { ImageHeader } from "../../imaging/codecs/image-header.ts";
import type { ReadRequest } from "../../imaging/codecs/plan.ts";
import { withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import type { Slot } from "../../stores/slot.ts";
import type { Pool } from "../../workers/pool.ts";
import type { Admission } from "../admission/admit.ts";
import { sidecarWork } from "../admission/cost.ts";
import { blockVariant, type EntryKey } from "../cache-keys.ts";
import { demandOf, type Master } from "../describe.ts";
import type { Sidecar } from "./life.ts";

export interface SidecarJobParts {
  readonly codecs: Codecs;
  readonly pool: Pool;
  readonly origin: Slot;
  readonly admission: Admission;
  readonly timeoutMs: number;
  /** Maximum bytes of sidecars in memory, which save tiles a lookup in the slot; 64 MiB by default. */
  readonly keptBytes?: number;
}

/** Key of a sidecar in the slot, and its id in memory and in workers, which changes with each purge. */
export interface SidecarKey extends EntryKey {
  readonly id: string;
}

/**
 * Share of the sidecars in memory that the blocks of one of them take if there is no slot, so that they stay;
 * the rest is reserved for its entry.
 */
const shareOfMemory = 3 / 4;
/**
 * Maximum share of the slot that the blocks of one sidecar take, so that they do not displace everything
 * else.
 */
const shareOfSlot = 1 / 4;

/** Kinds of error that are caused by the file; after others the next render tries again. */
const verdicts: ReadonlySet<ServiceError["kind"]> = new Set<ServiceError["kind"]>(["decode", "unsupported"]);
const isVerdict = (error: unknown) => error instanceof ServiceError && verdicts.has(error.kind);

/**
 * Time limit in milliseconds for which a job waits until the slot has stored a block. If it is exceeded, the
 * job stops waiting for blocks; dropped blocks are made again later.
 */
const longestWait = 4000;

const nothing = async () => new Uint8Array();

/** Bytes of sidecars in memory if nothing else is said, and at least. */
export const leastKeptBytes = 64 * 2 ** 20;

export interface BuildOptions {
  readonly signal: AbortSignal | undefined;
  readonly onEarly: ((sidecar: Sidecar) => void) | undefined;
}

type BuiltSidecar = Sidecar & Required<Pick<Sidecar, "entry">>;

export interface SidecarJobs {
  /**
   * Returns how a read uses a sidecar: see {@link SidecarWay}. "alone": the sidecar cannot be stored, or not
   * built within the memory budget.
   */
  wayOf(master: Master, read: ReadRequest): SidecarWay | "alone";
  /** Returns the blocks of a sidecar for reads: `blocks`, or those in the slot. */
  blocksOf(key: EntryKey, blocks?: ReadonlyMap<number, Uint8Array>): SidecarBlocks;
  /**
   * Builds a sidecar and stores it in the slot. Returns undefined if this file can have none, which is not
   * stored. Throws other errors, after which another attempt may succeed. `onEarly` receives a sidecar that
   * reads may use until this resolves.
   */
  build(
    master: Master,
    header: ImageHeader,
    key: SidecarKey,
    { signal, onEarly }: BuildOptions,
  ): Promise<BuiltSidecar | undefined>;
}

/**
 * Creates jobs that run in the pool. `isCurrent`: returns true if no purge has occurred since the key was
 * made.
 */
export function createSidecarJobs(
  { codecs, pool, origin, admission, timeoutMs, keptBytes = leastKeptBytes }: SidecarJobParts,
  isCurrent: (key: SidecarKey) => boolean,
): SidecarJobs {
  const capacity = () => origin.standIn?.()?.maxBytes?.() ?? origin.maxBytes();
  const room = () => (origin.maxBytes() === 0 ? keptBytes * shareOfMemory : capacity() * shareOfSlot);
  const codecOf = ({ format }: ImageHeader) => codecs.byFormat(format);
  const sizeOf = ({ image }: Master) => image.bytes.size ?? 0;
  const memoryOf = (master: Master, header: ImageHeader) =>
    codecOf(header).sidecar?.memory(header, sizeOf(master), admission.allows) ?? 0;

  const blocksOf: SidecarJobs["blocksOf"] = (key, blocks) => ({
    room: room(),
    load: async (block) => (blocks ? blocks.get(block) : origin.get(key.name, blockVariant(key, block))),
    keep: async () => {},
  });

  /** Returns blocks that a job stores in the slot as it makes them, or in `made` if the slot is disabled. */
  const keepingBlocks = (key: SidecarKey, made: Map<number, Uint8Array>): SidecarBlocks => {
    let slow = false;
    return {
      ...blocksOf(key, origin.maxBytes() === 0 ? made : undefined),
      async keep(block, bytes) {
        if (origin.maxBytes() === 0) made.set(block, bytes);
        else if (isCurrent(key)) {
          origin.put(key.name, blockVariant(key, block), bytes);
          if (!slow) await withDeadline(longestWait, () => origin.whenSettled()).catch(() => (slow = true));
        }
      },
    };
  };

  const run = async (master: Master, header: ImageHeader, access: SidecarAccess, work: AbortSignal) => {
    const memory = memoryOf(master, header);
    const {
      page,
      image: { bytes, file },
    } = master;
    const expected = sidecarWork(codecOf(header), header);
    const built = await admission.run(demandOf(master, memory, expected), work, (place) =>
      pool.run(
        { task: { kind: "sidecar", header, page }, bytes, file, sidecar: { ...access, memory }, memory },
        { signal: work, timeoutMs, place },
      ),
    );
    return built.bytes;
  };

  return {
    wayOf(master, read) {
      const { sidecar } = codecOf(read.header);
      const within = (bytes: number) => sidecar?.way(read, sizeOf(master), bytes) ?? "none";
      if (within(Number.POSITIVE_INFINITY) === "none") return "none";
      const way = admission.allows(memoryOf(master, read.header)) ? within(room()) : "none";
      return way === "none" ? "alone" : way;
    },
    blocksOf,
    async build(master, header, key, { signal, onEarly }) {
      const blocks = new Map<number, Uint8Array>();
      const access: SidecarAccess = {
        id: key.id,
        blocks: keepingBlocks(key, blocks),
        load: nothing,
        ...(onEarly && {
          keepEntry: async (entry) =>
            onEarly({ entry, isEarly: true, ...(blocks.size > 0 && { blocks: new Map(blocks) }) }),
        }),
      };
      try {
        const entry = await origin.getOrMake(
          key.name,
          key.variant,
          (work) => run(master, header, access, work),
          {
            keeps: (made) => made.length > 0,
            ...(signal && { signal }),
          },
        );
        return entry.length === 0 ? undefined : { entry, ...(blocks.size > 0 && { blocks }) };
      } catch (error) {
        if (isVerdict(error)) return undefined;
        throw error;
      }
    },
  };
}
