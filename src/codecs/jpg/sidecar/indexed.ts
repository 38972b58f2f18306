// JPEG files read by regions: through their index where it is kept, else through one that is made for the job at hand.

import { ServiceError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import { createLru } from "../../../lib/lru.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import type { CodecHost, ImageHeader, IndexAccess, IndexBlocks, ReadRequest } from "../../codec.ts";
import { mismatch } from "../decode/turbo-decoder.ts";
import { beginsQuarter, gains, isKept, isProgressive, quarter, quarterLimitOf } from "../estimates.ts";
import {
  createEngine,
  type Engine,
  type JpegReader,
  openJpeg,
  quarterBytes,
  type ResamplePlane,
  type ScaleFactor,
  writtenIndex,
} from "../region/index.ts";
import { createReplay, type Replay } from "../transcode/replay.ts";
import { openTranscoder } from "../transcode/transcoder.ts";
import { planesInBlocks, planesToBlocks } from "./quarter-blocks.ts";
import {
  type BlockReader,
  type BlockSink,
  blockSource,
  blockWriter,
  createBlockCache,
  endOfBlocks,
  loadStoredBlocks,
  type StoredBlocks,
  saveStoredBlocks,
} from "./stored-blocks.ts";
import { joinParts, type StoredParts, splitParts } from "./stored-parts.ts";

/** What a job brings: the bytes of its file, and what is kept of it. */
interface Job {
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
  /** The index was loaded, not made here: there is nothing to go on with. */
  readonly loaded?: true;
  /** Of a transcode whose blocks may have to be made again. */
  readonly replay?: Replay;
}

/** Bytes of indexes and overviews that stay parsed in a worker. */
const kept = 64 * 2 ** 20;
/** An overview at 1/8 of more bytes is not kept. */
const overviewLimit = 48 * 2 ** 20;

/** Access by regions over one host; parsed indexes are kept by their id. */
export function indexedJpeg(host: Pick<CodecHost, "wasm">, resample: ResamplePlane) {
  const opened = createLru<string, Opened>(kept);
  const blockCache = createBlockCache();
  let engine: Engine | undefined;
  const currentEngine = () => (engine ??= createEngine(host.wasm("jpeg-decode")));
  const transcoder = () => openTranscoder(host.wasm("jpeg-transcode"));

  /** The instance is dropped after any error: its inside is then unknown. */
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      engine = undefined;
      throw error;
    }
  };

  /** What blocks hold by what is stored of them; undefined where that is broken. */
  const stored = (facts: Uint8Array, { current, replay }: Pick<Opened, "current" | "replay">) => {
    const known = loadStoredBlocks(facts);
    return known && inBlocks(known, { current, replay });
  };
  const inBlocks = (known: StoredBlocks, { current, replay }: Pick<Opened, "current" | "replay">) =>
    blockCache.reader(known, {
      current: () => current.job.access?.blocks,
      lost: () => current.job.access?.unfit?.(),
      ...(replay && { again: (number: number) => replay.block(number) }),
    });

  /** Over the file itself; undefined for kinds that are refused. */
  const openSequential = async (job: Job, withQuarter: boolean): Promise<Opened | undefined> => {
    const current = { job };
    const source: ByteSource = {
      size: job.bytes.size,
      get gap() {
        return current.job.bytes.gap;
      },
      read: (offset, length) => current.job.bytes.read(offset, length),
    };
    const limit = withQuarter ? quarterLimitOf(job.bytes.size) : 0;
    const reader = await openJpeg(currentEngine, source, { overviewLimit, resample, quarterLimit: limit });
    if (!reader) return undefined;
    return {
      reader,
      current,
      get damaged() {
        return reader.damaged;
      },
    };
  };

  /** Over the baseline transcode of a file, whose blocks are loaded, and made again where they are lost. */
  const openTranscode = async (
    job: Job,
    { index, overview, twin }: StoredParts,
    damaged: boolean,
  ): Promise<Opened | undefined> => {
    const current = { job };
    const replay = createReplay((sink) => writeTranscode(current.job.bytes, sink, 0), blockCache.add);
    const blocks = twin && stored(twin, { current, replay });
    const reader = blocks && (await openJpeg(currentEngine, blockSource(blocks), { resample }));
    const fits = await reader?.loadIndex(index, overview);
    return reader && fits ? { reader, current, replay, damaged } : undefined;
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
    const { noted, blocks } = await writeTranscode(bytes, sink, overviewLimit, onlySound);
    const index = await writtenIndex(noted);
    if (!index) return undefined;
    const overview = noted.planes?.map(({ data }) => data) ?? [];
    const parts = { index, overview, twin: saveStoredBlocks(blocks), quarter: undefined };
    return { parts, damaged: noted.damaged };
  };

  /** A file through its stored index; undefined for one that is not this file's. */
  const restored = async (job: Job, header: ImageHeader): Promise<Opened | undefined> => {
    const { access } = job;
    if (!access || access.absent) return undefined;
    const file = await fromStored(job, header, splitParts(await access.load()));
    if (!file) access.unfit?.();
    return file;
  };
  const fromStored = async (job: Job, header: ImageHeader, parts: StoredParts | undefined) => {
    if (!parts || (parts.twin !== undefined) !== isProgressive(header)) return undefined;
    const file = parts.twin ? await openTranscode(job, parts, false) : await openSequential(job, false);
    const frame = file?.reader.frame;
    if (!file || frame?.width !== header.width || frame.height !== header.height) return undefined;
    if (!parts.twin && !(await file.reader.loadIndex(parts.index, parts.overview))) return undefined;
    const blocks = parts.quarter && stored(parts.quarter, { current: file.current });
    if (parts.quarter && !blocks) return undefined;
    if (blocks) keepQuarter(file, blocks);
    return { ...file, loaded: true as const };
  };

  /** Has a file's planes at 1/4 read from blocks; they are made of the file where blocks are lost. */
  const keepQuarter = ({ reader }: Opened, blocks: BlockReader) =>
    reader.keepQuarter(planesInBlocks(reader.frame, blocks));

  /**
   * A progressive file as its DC scans show it, for reads at 1/8 alone; undefined where its transcode might show something
   * else.
   */
  const openOverview = async (job: Job): Promise<Opened | undefined> => {
    const { head, planes, damaged } = await transcoder().dcPlanes(job.bytes);
    const size = head.length;
    const index = await writtenIndex({ head, entries: new Uint8Array(), end: size, size });
    const overview = planes.map(({ data }) => data);
    const isWhole = overview.reduce((sum, { length }) => sum + length, 0) <= overviewLimit;
    if (damaged || !isWhole || !index) return undefined;
    const reader = await openJpeg(currentEngine, inMemory(head));
    return reader && (await reader.loadIndex(index, overview))
      ? { reader, current: { job }, damaged: false }
      : undefined;
  };

  /** A file whose index is not kept; undefined for kinds that are refused. */
  const begun = async (job: Job, read: ReadRequest): Promise<Opened | undefined> => {
    if (!isProgressive(read.header)) {
      const withQuarter = gains(undefined, read, job.bytes.size ?? 0) && beginsQuarter(read.header);
      return openSequential(job, withQuarter);
    }
    const sink: BlockSink = {
      room: Number.POSITIVE_INFINITY,
      keep: async (_, block, digest) => blockCache.add(block, digest),
    };
    const made = await transcoded(job.bytes, sink, false);
    return made && openTranscode(job, made.parts, made.damaged);
  };

  /** Opens a file and indexes it as far as a region needs. Throws ServiceError `unsupported`, code whole_file_wanted. */
  const open = async (job: Job, read: ReadRequest): Promise<Opened> => {
    const { header } = read;
    const { id } = job.access ?? {};
    const isSmall = isProgressive(header) && read.scaleFactor === 8;
    const small = id === undefined ? undefined : `${id}\0overview`;
    try {
      let file = id === undefined ? undefined : opened.get(id);
      if (!file && isSmall && small !== undefined) file = opened.get(small);
      if (!file && (file = await restored(job, header))) remember(id, file);
      if (!file && isSmall && (file = await openOverview(job))) remember(small, file);
      if (!file && (file = await begun(job, read))) remember(id, file);
      if (!file) throw wholeFileWanted();
      const { width, height } = file.reader.frame;
      if (width !== header.width || height !== header.height) throw mismatch();
      file.current.job = job;
      await indexedTo(file, read);
      return file;
    } catch (error) {
      // what could not be gone on with is begun again by the next job
      if (id !== undefined) opened.delete(id);
      throw isRefusal(error) ? wholeFileWanted(error) : error;
    }
  };
  const remember = (id: string | undefined, file: Opened) => {
    if (id !== undefined) opened.set(id, file, weightOf(file));
  };

  /** The entry of a sequential file that is indexed; a full one's planes at 1/4 go into blocks, and are read from there. */
  const save = async (file: Opened, index: Uint8Array, access: IndexAccess | undefined) => {
    const { reader } = file;
    const { quarter: planes, overview = [] } = reader;
    const blocks = access?.full ? access.blocks : undefined;
    const saved = planes && blocks && (await planesToBlocks(planes, blocks, 0));
    if (saved) keepQuarter(file, inBlocks(saved, { current: file.current }));
    return joinParts({ index, overview, twin: undefined, quarter: saved && saveStoredBlocks(saved) });
  };

  const indexSequential = async (job: Job): Promise<Uint8Array> => {
    const { access } = job;
    const known = access && opened.get(access.id);
    const full = access?.full === true;
    const goesOn = known && !known.loaded && (!full || known.reader.keepsQuarter);
    const file = goesOn ? known : await openSequential(job, full);
    if (!file) return nothing;
    try {
      file.current.job = job;
      await file.reader.buildIndex();
    } catch (error) {
      if (access) opened.delete(access.id);
      throw error;
    }
    const index = file.damaged ? undefined : file.reader.saveIndex();
    const saved = index ? await save(file, index, access) : nothing;
    remember(access?.id, file);
    return saved;
  };

  /** The entry of a transcode with planes at 1/4 beside it, where there is room; they are made of the transcode. */
  const fillTranscode = async (job: Job, entry: Uint8Array, parts: StoredParts, blocks: IndexBlocks) => {
    const file = await openTranscode(job, parts, false);
    const known = parts.twin && loadStoredBlocks(parts.twin);
    if (!file?.replay || !known) return nothing;
    const source = blockSource(inBlocks(known, file));
    const options = { resample, overviewLimit: 0, quarterLimit: quarterLimitOf(known.size) };
    try {
      const reader = await openJpeg(currentEngine, source, options);
      await reader?.buildIndex();
      const planes = reader?.quarter && (await planesToBlocks(reader.quarter, blocks, endOfBlocks(known)));
      return planes ? joinParts({ ...parts, quarter: saveStoredBlocks(planes) }) : entry;
    } finally {
      file.replay.end();
    }
  };

  /** The index of a progressive file, which is that of its transcode. */
  const indexProgressive = async (job: Job): Promise<Uint8Array> => {
    const { bytes, access } = job;
    if (!access?.blocks) return nothing;
    const entry = access.full ? await access.load() : nothing;
    const parts = splitParts(entry);
    if (parts?.twin) return fillTranscode(job, entry, parts, access.blocks);
    const made = await transcoded(bytes, access.blocks, true);
    return made ? joinParts(made.parts) : nothing;
  };

  return {
    /**
     * The index of a sequential file with its overview at 1/8; for a progressive one those of its baseline transcode, which is
     * put into blocks. Planes at 1/4 go into blocks, too, where there is room and a full index is asked
     * for. Empty for what is not kept: files that are damaged or refused, transcodes that are too large.
     */
    index: (bytes: ByteSource, header: ImageHeader, access?: IndexAccess): Promise<Uint8Array> =>
      guarded(async () => {
        const job = { bytes, access };
        if (!isKept(header, bytes.size ?? 0, access?.blocks?.room ?? 0)) return nothing;
        return isProgressive(header) ? indexProgressive(job) : indexSequential(job);
      }),

    /**
     * Runs `use` with a file that is indexed as far as the region needs. Throws ServiceError `unsupported`, code
     * whole_file_wanted, for a file that cannot be read by regions; that depends on the file alone.
     */
    withFile: <T>(
      bytes: ByteSource,
      read: ReadRequest,
      access: IndexAccess | undefined,
      use: (file: Opened) => Promise<T>,
    ): Promise<T> =>
      guarded(async () => {
        const file = await open({ bytes, access }, read);
        try {
          return await use(file);
        } catch (error) {
          if (access) opened.delete(access.id);
          if (error instanceof ServiceError && error.code === "header_mismatch") access?.unfit?.();
          throw error;
        } finally {
          file.replay?.end();
        }
      }),

    /** As Codec.decode promises. */
    decode: (file: Opened, read: ReadRequest): Promise<PixelBuffer> =>
      file.reader.decodePixels(
        read.region,
        read.scaleFactor as ScaleFactor,
        undefined,
        read.scaleFactor === quarter && read.halvesColour ? "stored" : "full",
      ),
  };
}

const nothing = new Uint8Array();

/** Rows beyond a region that filters and halved chroma may look at, at the scale of the read. */
const marginRows = 128;

async function indexedTo({ reader }: Opened, { region, scaleFactor }: ReadRequest): Promise<void> {
  const untilRow = region.y + region.height + marginRows * scaleFactor;
  if (!reader.indexed) await reader.buildIndex(scaleFactor < 8 ? { untilRow } : {});
}

/** Bytes that a file keeps in memory, its overview counted as if it were there, and planes at 1/4 that are in no blocks. */
function weightOf({ reader: { frame, keepsQuarter } }: Opened): number {
  const overview = Math.ceil((frame.width * frame.height * frame.components.length) / 64);
  return 128 * 1024 + overview + (keepsQuarter ? quarterBytes(frame) : 0);
}

/** Reads without copies: nobody changes what is read here. */
function inMemory(data: Uint8Array): ByteSource {
  return { size: data.length, read: async (offset, length) => data.subarray(offset, offset + length) };
}

/** Whether a file is refused while it is opened; another decoder may show it all the same. */
const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError &&
  (error.kind === "decode" || error.kind === "unsupported") &&
  error.code !== "header_mismatch";

function wholeFileWanted(cause?: ServiceError): ServiceError {
  return new ServiceError(
    "unsupported",
    "Expected a JPEG file that can be read by regions; this one has to be decoded as a whole. Try again.",
    { code: "whole_file_wanted", cause },
  );
}
