// Opens a JPEG file to read regions of it: through its sidecar, over its baseline transcode, or from the file
// alone.

import type { ByteSource } from "../../../../base/index.ts";
import { type BlockCache, blockSource } from "../../../sidecar/block-reader.ts";
import { type BlockList, type BlockSink, blockWriter } from "../../../sidecar/blocks.ts";
import type { TileCoder } from "../../../sidecar/tiles/tile-coder.ts";
import type { SidecarAccess } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import type { ReadRequest } from "../../plan.ts";
import { isProgressive } from "../estimates.ts";
import { mismatchError } from "../markers/header.ts";
import {
  type Engine,
  type JpegReader,
  level8Bytes,
  level8Size,
  openJpeg,
  type ResamplePlane,
  writtenAccessPoints,
} from "../region/index.ts";
import { createReplay, type Replay } from "../transcode/replay.ts";
import type { Transcoder } from "../transcode/transcoder.ts";
import type { Level2 } from "./half-samples.ts";
import { planesOfLevel8 } from "./levels.ts";
import { type JpegParts, loadParts, saveParts } from "./parts.ts";
import { makeSmallerLevels, readSmallerLevels, type SmallerLevels } from "./smaller-levels.ts";

/** Input of a job: the bytes of its file, and access to its sidecar. */
export interface Job {
  readonly bytes: ByteSource;
  readonly access: SidecarAccess | undefined;
}

/** A file that can be read by regions. */
export interface OpenJpeg {
  readonly reader: JpegReader;
  /** True if it ended early or breaks the rules, as far as known. */
  readonly damaged: boolean;
  /** Job that is reading the file. */
  readonly current: { job: Job };
  /**
   * True if it has everything that its layer has: it was opened through the layer, or the layer was made
   * from it.
   */
  isWhole?: true;
  /** True if it was opened through its layer without the levels at 1/8 and below. */
  readonly lacksLevels?: boolean;
  /**
   * Returns the entry of the layer that the file was opened without; undefined if its parts are not all made,
   * or the file is damaged.
   */
  readonly save?: () => Promise<Uint8Array | undefined>;
  /** Ids of the levels that reads use. */
  readonly levelIds: Set<string>;
  /** Levels below 1/8, once they are made or loaded. */
  smallerLevels?: SmallerLevels | undefined;
  /** Level at 1/2, once it is stored. */
  level2?: Level2 | undefined;
  /** Makes lost blocks of a transcode again; undefined for other files. */
  readonly replay?: Replay;
}

/** Size limit in bytes of the level at 1/8; a larger one is not kept. */
const level8Limit = 48 * 2 ** 20;

/** What all sidecars of a host share. */
export interface TileTools {
  readonly cache: BlockCache;
  readonly coder: TileCoder;
}

export interface OpeningParts extends TileTools {
  engine(): Engine;
  transcoder(): Transcoder;
  readonly resample: ResamplePlane;
}

export type Opening = ReturnType<typeof createOpening>;

/** Creates functions for each way to open a file. */
export function createOpening({ engine, transcoder, resample, cache }: OpeningParts) {
  /** Returns a reader of the blocks of a file's layer, or of the one that is faster. */
  const inBlocks = (
    list: BlockList,
    { current, replay }: Pick<OpenJpeg, "current" | "replay">,
    of?: "faster",
  ) => {
    const access = () => (of ? current.job.access?.[of] : current.job.access);
    return cache.reader(list, {
      current: () => access()?.blocks,
      onLost: () => access()?.reportLoss?.(),
      ...(replay && { again: (number: number) => replay.block(number) }),
    });
  };

  /** Opens the file itself; undefined for kinds that are refused. */
  const openSequential = async (job: Job): Promise<OpenJpeg | undefined> => {
    const current = { job };
    const source: ByteSource = {
      size: job.bytes.size,
      get gap() {
        return current.job.bytes.gap;
      },
      read: (offset, length) => current.job.bytes.read(offset, length),
      get borrow() {
        return current.job.bytes.borrow;
      },
    };
    const reader = await openJpeg(engine, source, { level8Limit, resample });
    if (!reader) return undefined;
    const file: OpenJpeg = {
      reader,
      current,
      levelIds: new Set(),
      get damaged() {
        return reader.damaged;
      },
      async save() {
        const accessPoints = reader.isComplete && !reader.damaged ? reader.saveAccessPoints() : undefined;
        if (!accessPoints) return undefined;
        const { frame, level8 = [] } = reader;
        const planes = level8.map((data, component) => ({ data, ...level8Size(frame, component) }));
        const smallerLevels = makeSmallerLevels(planes, resample);
        file.smallerLevels = readSmallerLevels(frame, smallerLevels);
        return saveParts({ accessPoints, level8, smallerLevels });
      },
    };
    return file;
  };

  const writeTranscode = async (bytes: ByteSource, sink: BlockSink, max: number, onlySound = false) => {
    const writer = blockWriter(sink);
    const noted = await transcoder().transcode(bytes, {
      level8Limit: max,
      onlySound,
      onChunk: writer.add,
    });
    return { noted, blocks: await writer.end() };
  };

  /** Transcodes a file; undefined if the transcode is of an unsupported kind. */
  const transcodeInto = async (bytes: ByteSource, sink: BlockSink, onlySound: boolean) => {
    const { noted, blocks } = await writeTranscode(bytes, sink, level8Limit, onlySound);
    const accessPoints = await writtenAccessPoints(noted);
    if (!accessPoints) return undefined;
    const level8 = noted.planes?.map(({ data }) => data) ?? [];
    const parts: JpegParts = { accessPoints, level8, smallerLevels: new Uint8Array(), transcode: blocks };
    return { parts, planes: noted.planes ?? [], damaged: noted.damaged };
  };

  /**
   * Opens the baseline transcode of a file. Its blocks are loaded, or made again if they are lost. Returns
   * undefined if its parts do not fit together.
   */
  const overTranscode = async (
    job: Job,
    { accessPoints, level8 }: JpegParts,
    transcode: BlockList,
    damaged: boolean,
  ): Promise<OpenJpeg | undefined> => {
    const current = { job };
    const replay = createReplay((sink) => writeTranscode(current.job.bytes, sink, 0), cache.add);
    const blocks = inBlocks(transcode, { current, replay });
    const reader = await openJpeg(engine, blockSource(blocks, mismatchError), { resample });
    const fits =
      reader && (await reader.loadAccessPoints(accessPoints, planesOfLevel8(reader.frame, level8)));
    return fits ? { reader, current, replay, damaged, levelIds: new Set() } : undefined;
  };

  /** Opens a progressive file over its level at 1/8 alone, for reads of that scale. */
  const overLevel8 = async (
    job: Job,
    { accessPoints, level8 }: JpegParts,
    head: Uint8Array,
  ): Promise<OpenJpeg | undefined> => {
    const reader = await openJpeg(engine, inMemory(head));
    const planes = reader && planesOfLevel8(reader.frame, level8);
    return reader && planes && (await reader.loadAccessPoints(accessPoints, planes))
      ? { reader, current: { job }, damaged: false, levelIds: new Set() }
      : undefined;
  };

  const overParts = async (job: Job, parts: JpegParts, withLevels: boolean) => {
    const { transcode, transcodeHead } = parts;
    if (transcodeHead) return overLevel8(job, parts, transcodeHead);
    if (transcode) return overTranscode(job, parts, transcode, false);
    const file = await openSequential(job);
    const level8 = file && withLevels ? planesOfLevel8(file.reader.frame, parts.level8) : undefined;
    return (await file?.reader.loadAccessPoints(parts.accessPoints, level8)) ? file : undefined;
  };

  const throughParts = async (
    job: Job,
    header: ImageHeader,
    parts: JpegParts | undefined,
    withLevels: boolean,
  ) => {
    const isTranscoded = parts?.transcode !== undefined || parts?.transcodeHead !== undefined;
    if (!parts || isTranscoded !== isProgressive(header)) return undefined;
    const file = await overParts(job, parts, withLevels);
    const frame = file?.reader.frame;
    if (!file || frame?.width !== header.width || frame.height !== header.height) return undefined;
    const smallerLevels = withLevels ? readSmallerLevels(frame, parts.smallerLevels) : undefined;
    return { ...file, isWhole: true as const, smallerLevels, lacksLevels: !withLevels };
  };

  return {
    inBlocks,
    sequential: openSequential,
    transcoded: transcodeInto,
    overTranscode,

    /**
     * Opens a file through its sidecar, with its levels at 1/8 and below or without; undefined if there is
     * none, or if it belongs to another file.
     */
    async throughSidecar(job: Job, header: ImageHeader, withLevels: boolean): Promise<OpenJpeg | undefined> {
      const { access } = job;
      if (!access || access.absent) return undefined;
      const parts = await loadParts(await access.load(!withLevels), withLevels);
      const file = await throughParts(job, header, parts, withLevels);
      if (!file) access.reportLoss?.();
      return file;
    },

    /**
     * Opens a progressive file over its DC scans, for reads at 1/8 only. Returns undefined if the level is
     * too large, or if the file's transcode might show something else.
     */
    async overDcScans(job: Job): Promise<OpenJpeg | undefined> {
      const { head, planes, damaged } = await transcoder().dcPlanes(job.bytes);
      const size = head.length;
      const accessPoints = await writtenAccessPoints({ head, entries: new Uint8Array(), end: size, size });
      const level8 = planes.map(({ data }) => data);
      const isWhole = level8.reduce((sum, { length }) => sum + length, 0) <= level8Limit;
      if (damaged || !isWhole || !accessPoints) return undefined;
      const smallerLevels = makeSmallerLevels(planes, resample);
      const parts = { accessPoints, level8, smallerLevels, transcodeHead: head };
      const file = await overLevel8(job, parts, head);
      return (
        file && {
          ...file,
          smallerLevels: readSmallerLevels(file.reader.frame, smallerLevels),
          save: () => saveParts(parts),
        }
      );
    },

    /** Opens a file without a layer; undefined for kinds that are refused. */
    async alone(job: Job, read: ReadRequest): Promise<OpenJpeg | undefined> {
      if (!isProgressive(read.header)) return openSequential(job);
      const sink: BlockSink = {
        room: Number.POSITIVE_INFINITY,
        keep: async (_, block, digest) => cache.add(block, digest),
      };
      const made = await transcodeInto(job.bytes, sink, false);
      const transcode = made?.parts.transcode;
      return transcode && overTranscode(job, made.parts, transcode, made.damaged);
    },
  };
}

/**
 * Returns the bytes that a file keeps in memory: its level at 1/8, unless it was opened without that, and the
 * levels below.
 */
export function weightOf({ reader: { frame }, smallerLevels, lacksLevels }: OpenJpeg): number {
  return 128 * 1024 + (lacksLevels ? 0 : level8Bytes(frame)) + (smallerLevels?.bytes ?? 0);
}

/** Returns a source that reads without copying, since the bytes are never modified. */
function inMemory(data: Uint8Array): ByteSource {
  return { size: data.length, read: async (offset, length) => data.subarray(offset, offset + length) };
}
