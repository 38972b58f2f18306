// Opening a JPEG file to read regions of it: through its sidecar, over its baseline transcode, or from the file alone.

import type { ByteSource } from "../../../lib/byte-source.ts";
import type { IndexAccess } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import type { ReadRequest } from "../../plan.ts";
import { type BlockCache, type BlockReader, blockSource } from "../../sidecar/block-reader.ts";
import { type BlockList, type BlockSink, blockWriter } from "../../sidecar/blocks.ts";
import { mismatch } from "../decode/turbo-decoder.ts";
import { beginsQuarter, gains, isProgressive, quarterLimitOf } from "../estimates.ts";
import {
  type Engine,
  type JpegReader,
  openJpeg,
  quarterBytes,
  type ResamplePlane,
  writtenIndex,
} from "../region/index.ts";
import { createReplay, type Replay } from "../transcode/replay.ts";
import type { Transcoder } from "../transcode/transcoder.ts";
import { planesOfEighth, quarterInBlocks } from "./levels.ts";
import { type JpegParts, loadParts } from "./parts.ts";

/** What a job brings: the bytes of its file, and its way to the sidecar. */
export interface Job {
  readonly bytes: ByteSource;
  readonly access: IndexAccess | undefined;
}

/** A file that can be read by regions. */
export interface Opened {
  readonly reader: JpegReader;
  /** It ended early or breaks the rules, as far as is known. */
  readonly damaged: boolean;
  /** The job that reads now. */
  readonly current: { job: Job };
  /** It was opened through its sidecar: nothing was made here that a job could go on with. */
  readonly loaded?: true;
  /** Of a transcode whose blocks may have to be made again. */
  readonly replay?: Replay;
}

/** A level at 1/8 of more bytes is not kept. */
const eighthLimit = 48 * 2 ** 20;

export interface OpeningParts {
  engine(): Engine;
  transcoder(): Transcoder;
  readonly resample: ResamplePlane;
  readonly cache: BlockCache;
}

export type Opening = ReturnType<typeof createOpening>;

/** The ways to open a file. */
export function createOpening({ engine, transcoder, resample, cache }: OpeningParts) {
  /** What lies in a file's blocks. */
  const inBlocks = (list: BlockList, { current, replay }: Pick<Opened, "current" | "replay">) =>
    cache.reader(list, {
      current: () => current.job.access?.blocks,
      lost: () => current.job.access?.unfit?.(),
      ...(replay && { again: (number: number) => replay.block(number) }),
    });

  /** Has a file's level at 1/4 read from blocks; it is made of the file where blocks are lost. */
  const keepQuarter = ({ reader }: Opened, blocks: BlockReader) =>
    reader.keepQuarter(quarterInBlocks(reader.frame, blocks));

  /** Over the file itself; undefined for kinds that are refused. */
  const sequential = async (job: Job, withQuarter: boolean): Promise<Opened | undefined> => {
    const current = { job };
    const source: ByteSource = {
      size: job.bytes.size,
      get gap() {
        return current.job.bytes.gap;
      },
      read: (offset, length) => current.job.bytes.read(offset, length),
    };
    const quarterLimit = withQuarter ? quarterLimitOf(job.bytes.size) : 0;
    const reader = await openJpeg(engine, source, { overviewLimit: eighthLimit, resample, quarterLimit });
    if (!reader) return undefined;
    return {
      reader,
      current,
      get damaged() {
        return reader.damaged;
      },
    };
  };

  const writeTranscode = async (bytes: ByteSource, sink: BlockSink, most: number, onlySound = false) => {
    const writer = blockWriter(sink);
    const noted = await transcoder().transcode(bytes, {
      overviewLimit: most,
      onlySound,
      onChunk: writer.add,
    });
    return { noted, blocks: await writer.end() };
  };

  /** Transcodes a file; undefined where the transcode is of a kind that is refused. */
  const transcoded = async (bytes: ByteSource, sink: BlockSink, onlySound: boolean) => {
    const { noted, blocks } = await writeTranscode(bytes, sink, eighthLimit, onlySound);
    const accessPoints = await writtenIndex(noted);
    if (!accessPoints) return undefined;
    const eighth = noted.planes?.map(({ data }) => data) ?? [];
    const parts: JpegParts = { accessPoints, eighth, transcode: blocks, quarter: undefined };
    return { parts, damaged: noted.damaged };
  };

  /** Over the baseline transcode of a file, whose blocks are loaded, and made again where they are lost. */
  const overTranscode = async (
    job: Job,
    { accessPoints, eighth }: JpegParts,
    transcode: BlockList,
    damaged: boolean,
  ): Promise<Opened | undefined> => {
    const current = { job };
    const replay = createReplay((sink) => writeTranscode(current.job.bytes, sink, 0), cache.add);
    const blocks = inBlocks(transcode, { current, replay });
    const reader = await openJpeg(engine, blockSource(blocks, mismatch), { resample });
    const fits = reader && (await reader.loadIndex(accessPoints, planesOfEighth(reader.frame, eighth)));
    return fits ? { reader, current, replay, damaged } : undefined;
  };

  const throughParts = async (job: Job, header: ImageHeader, parts: JpegParts | undefined) => {
    if (!parts || (parts.transcode !== undefined) !== isProgressive(header)) return undefined;
    const { transcode, quarter } = parts;
    const file = transcode ? await overTranscode(job, parts, transcode, false) : await sequential(job, false);
    const frame = file?.reader.frame;
    if (!file || frame?.width !== header.width || frame.height !== header.height) return undefined;
    const eighth = planesOfEighth(frame, parts.eighth);
    if (!transcode && !(await file.reader.loadIndex(parts.accessPoints, eighth))) return undefined;
    if (quarter) keepQuarter(file, inBlocks(quarter, { current: file.current }));
    return { ...file, loaded: true as const };
  };

  return {
    inBlocks,
    keepQuarter,
    sequential,
    transcoded,
    overTranscode,

    /** A file through its sidecar; undefined where there is none, or one that is not this file's. */
    async throughSidecar(job: Job, header: ImageHeader): Promise<Opened | undefined> {
      const { access } = job;
      if (!access || access.absent) return undefined;
      const file = await throughParts(job, header, await loadParts(await access.load()));
      if (!file) access.unfit?.();
      return file;
    },

    /**
     * A progressive file as its DC scans show it, for reads at 1/8 alone; undefined where its transcode might show something
     * else.
     */
    async overDcScans(job: Job): Promise<Opened | undefined> {
      const { head, planes, damaged } = await transcoder().dcPlanes(job.bytes);
      const size = head.length;
      const accessPoints = await writtenIndex({ head, entries: new Uint8Array(), end: size, size });
      const eighth = planes.map(({ data }) => data);
      const isWhole = eighth.reduce((sum, { length }) => sum + length, 0) <= eighthLimit;
      if (damaged || !isWhole || !accessPoints) return undefined;
      const reader = await openJpeg(engine, inMemory(head));
      return reader && (await reader.loadIndex(accessPoints, eighth))
        ? { reader, current: { job }, damaged: false }
        : undefined;
    },

    /** A file without a sidecar; undefined for kinds that are refused. */
    async alone(job: Job, read: ReadRequest): Promise<Opened | undefined> {
      if (!isProgressive(read.header)) {
        const withQuarter = gains(undefined, read, job.bytes.size ?? 0) && beginsQuarter(read.header);
        return sequential(job, withQuarter);
      }
      const sink: BlockSink = {
        room: Number.POSITIVE_INFINITY,
        keep: async (_, block, digest) => cache.add(block, digest),
      };
      const made = await transcoded(job.bytes, sink, false);
      const transcode = made?.parts.transcode;
      return transcode && overTranscode(job, made.parts, transcode, made.damaged);
    },
  };
}

/** Bytes that a file keeps in memory, its level at 1/8 counted as if it were there, and one at 1/4 that is in no blocks. */
export function weightOf({ reader: { frame, keepsQuarter } }: Opened): number {
  const eighth = Math.ceil((frame.width * frame.height * frame.components.length) / 64);
  return 128 * 1024 + eighth + (keepsQuarter ? quarterBytes(frame) : 0);
}

/** Reads without copies: nobody changes what is read here. */
function inMemory(data: Uint8Array): ByteSource {
  return { size: data.length, read: async (offset, length) => data.subarray(offset, offset + length) };
}
