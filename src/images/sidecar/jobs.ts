// The jobs that make sidecars, and where their bytes go: the origin slot, or memory where that is off.

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
}

/** A sidecar's key in the slot, and its id in memory and in workers, which is another one after each purge. */
export interface SidecarKey extends EntryKey {
  readonly id: string;
}

/** Bytes of sidecars that stay in memory, so that a tile needs no look into the slot. */
export const inMemoryBytes = 64 * 2 ** 20;
/** Where there is no slot, blocks stay in memory with their entry; some room has to be left for the entry itself. */
const roomInMemory = inMemoryBytes * (3 / 4);
/** One sidecar takes at most this share of the slot with its blocks, so that it does not push out everything else. */
const shareOfSlot = 1 / 4;

/** Kinds of error that say something of the file: after others the next render begins again. */
const verdicts: ReadonlySet<ServiceError["kind"]> = new Set<ServiceError["kind"]>(["decode", "unsupported"]);
const isVerdict = (error: unknown) => error instanceof ServiceError && verdicts.has(error.kind);

/**
 * How long a job waits for the slot to take a block, in milliseconds. Once that was not enough the job goes on without waiting:
 * what the slot drops then is made again.
 */
const longestWait = 4000;

const nothing = async () => new Uint8Array();

export interface SidecarJobs {
  /** How a read gets at a sidecar: see {@link SidecarWay}; "alone": none can be kept, or made within the memory budget. */
  wayOf(master: Master, read: ReadRequest): SidecarWay | "alone";
  /** The blocks of a sidecar as reads load them. */
  blocksOf(key: EntryKey, blocks?: ReadonlyMap<number, Uint8Array>): SidecarBlocks;
  /**
   * Makes a sidecar and puts it into the slot; undefined where none can be kept of this file, which is never stored. Throws what
   * another attempt may not meet.
   */
  build(
    master: Master,
    header: ImageHeader,
    key: SidecarKey,
    signal: AbortSignal | undefined,
  ): Promise<Sidecar | undefined>;
}

/** Jobs over the pool. `isCurrent`: no purge has come since a key was made. */
export function createSidecarJobs(
  { codecs, pool, origin, admission, timeoutMs }: SidecarJobParts,
  isCurrent: (key: SidecarKey) => boolean,
): SidecarJobs {
  const room = () => (origin.maxBytes() === 0 ? roomInMemory : origin.maxBytes() * shareOfSlot);
  const codecOf = ({ format }: ImageHeader) => codecs.byFormat(format);
  const sizeOf = ({ image }: Master) => image.bytes.size ?? 0;
  const memoryOf = (master: Master, header: ImageHeader) =>
    codecOf(header).sidecar?.memory(header, sizeOf(master), admission.allows) ?? 0;

  const blocksOf: SidecarJobs["blocksOf"] = (key, blocks) => ({
    room: room(),
    load: async (block) => (blocks ? blocks.get(block) : origin.get(key.name, blockVariant(key, block))),
    keep: async () => {},
  });

  /** Where a job's blocks go: into the slot, one after the other, or into `made`. */
  const keepingBlocks = (key: SidecarKey, made: Map<number, Uint8Array>): SidecarBlocks => {
    let slow = false;
    return {
      ...blocksOf(key, origin.maxBytes() === 0 ? made : undefined),
      async keep(block, bytes) {
        if (origin.maxBytes() === 0) made.set(block, bytes);
        else if (isCurrent(key)) {
          origin.put(key.name, blockVariant(key, block), bytes);
          if (!slow) await withDeadline(longestWait, () => origin.settled()).catch(() => (slow = true));
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
    async build(master, header, key, signal) {
      const blocks = new Map<number, Uint8Array>();
      const access = { id: key.id, blocks: keepingBlocks(key, blocks), load: nothing };
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
