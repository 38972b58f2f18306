// JPEG files read through their index: only the rows and columns of a region are decoded.

import { ServiceError } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import { createLru } from "../../lib/lru.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost, ImageHeader, IndexAccess, IndexBlocks, Indexing, ReadRequest } from "../codec.ts";
import { detailsOf } from "./decode.ts";
import { planesInBlocks, planesToBlocks } from "./quarter-blocks.ts";
import {
  createEngine,
  type Engine,
  type JpegReader,
  openJpeg,
  quarterBytes,
  type ResamplePlane,
  type ScaleFactor,
  writtenIndex,
} from "./random/index.ts";
import {
  type BlockReader,
  blockSource,
  blockWriter,
  createBlockCache,
  endOfBlocks,
  loadStoredBlocks,
  saveStoredBlocks,
  unfit,
} from "./stored-blocks.ts";
import { joinParts, type StoredParts, splitParts } from "./stored-parts.ts";
import { openTranscoder } from "./twin.ts";

/** A file behind its index. */
export interface Opened {
  readonly reader: JpegReader;
  readonly blocks: BlocksAtHand;
  /** The index was loaded, not made here: there is nothing to go on with. */
  readonly loaded?: true;
  /** Reads through the job at hand from now on, and indexes as far as a region needs. */
  ready(bytes: ByteSource, read: ReadRequest, blocks: IndexBlocks | undefined): Promise<void>;
}

/** Those of the job that reads. */
interface BlocksAtHand {
  current?: IndexBlocks | undefined;
}

/** Bytes of indexes and overviews that stay parsed in a worker. */
const kept = 64 * 2 ** 20;
/** An overview at 1/8 of more bytes is not kept. */
const overviewLimit = 48 * 2 ** 20;
/** Nor are planes at 1/4 of more bytes, or of more than so many times those of the file: what has few bytes is quickly decoded. */
const quarterLimit = 64 * 2 ** 20;
const mostOfFile = 4;
const mostBegun = 24 * 2 ** 20;
const quarterLimitOf = (fileSize = Number.POSITIVE_INFINITY) =>
  Math.min(quarterLimit, 2 ** 20 + mostOfFile * fileSize);

/** Of these files the index is that of a twin. */
const isProgressive = (header: ImageHeader) => header.variant === "progressive";

/** What a twin may take at most, but for very odd files: its codes are less exact, and no block takes less than 6 bits. */
const twinBytes = (header: ImageHeader, fileSize: number) =>
  Math.ceil(1.25 * fileSize + (header.width * header.height * header.bands) / 64);

/** Whether a sound file of this kind gets an index; an unknown size counts as small. */
function hasIndex(header: ImageHeader, fileSize: number, room: number): boolean {
  if (header.unsupported || detailsOf(header).arithmetic) return false;
  return !isProgressive(header) || twinBytes(header, fileSize) <= room;
}

/** As Codec.indexing promises. A progressive file can be shown at 1/8 by its DC scans, and else by its twin. */
export function indexing({ header, scaleFactor }: ReadRequest, fileSize: number, room: number): Indexing {
  if (!hasIndex(header, fileSize, room)) return "none";
  if (!isProgressive(header)) return "begin";
  return scaleFactor === 8 ? "apart" : "wait";
}

/** The scale whose samples are as good as a resampling. */
export const quarter = 4;
/** Whether they are: each component is at a quarter of its own size there, which has to be what the answer holds of it. */
export function isFiltered(header: ImageHeader, halvesColour = false): boolean {
  const { arithmetic, subsampling } = detailsOf(header);
  return !arithmetic && (subsampling === "none" || (halvesColour && subsampling === "halved"));
}

/**
 * As Codec.gains promises: whether an index lacks planes at 1/4 that it could have, as far as the header tells, and the read is
 * made of them.
 */
export function gains(
  index: Uint8Array | undefined,
  { header, scaleFactor, halvesColour }: ReadRequest,
  fileSize: number,
): boolean {
  if (scaleFactor !== quarter || !isFiltered(header, halvesColour)) return false;
  if (mostQuarter(header) > quarterLimitOf(fileSize)) return false;
  const parts = index && splitParts(index);
  // those of a twin are made of it
  return parts ? parts.quarter === undefined : index === undefined && !isProgressive(header);
}

/** Estimated peak bytes of reading a region through the index: planes, pixels, margins, and what is kept of the whole. */
export function indexedMemory({ header, region, scaleFactor }: ReadRequest): number {
  const side = (length: number) => Math.ceil(length / scaleFactor) + 64;
  const samples = side(region.width) * side(region.height) * header.bands;
  // at 1/4 four samples at 1/2 become one
  const planes = scaleFactor === quarter ? 8 : 3;
  const begun = scaleFactor === quarter && beginsQuarter(header) ? mostQuarter(header) : 0;
  return planes * samples + overviewBytes(header) + begun + 16 * 2 ** 20;
}

const overviewBytes = ({ width, height, bands }: ImageHeader) => Math.ceil((width * height * bands) / 64);
/** The most that planes at 1/4 take: of subsampled components two have half the samples of the others, or fewer. */
function mostQuarter(header: ImageHeader): number {
  const { width, height, bands } = header;
  const whole = detailsOf(header).subsampling === "none" ? bands : bands - 1;
  return Math.ceil((width * height * whole) / 16);
}
/** Whether a read that has to begin an index makes planes at 1/4 with it: larger ones would keep small budgets from reading. */
const beginsQuarter = (header: ImageHeader) => mostQuarter(header) <= mostBegun;

/** What an index pass takes: a window of the file, tables, rows at 1/2, and what is kept of the whole. */
export const indexPassMemory = (header: ImageHeader, full = true) =>
  12 * 2 ** 20 + overviewBytes(header) + (full ? Math.min(quarterLimit, mostQuarter(header)) : 0);

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

  /** Over the file itself; undefined for kinds without an index of their own. */
  const reading = async (
    bytes: ByteSource,
    blocks: BlocksAtHand,
    withQuarter: boolean,
  ): Promise<Opened | undefined> => {
    let current = bytes;
    const reader = await openJpeg(
      currentEngine,
      {
        size: bytes.size,
        get gap() {
          return current.gap;
        },
        read: (offset, length) => current.read(offset, length),
      },
      { overviewLimit, resample, quarterLimit: withQuarter ? quarterLimitOf(bytes.size) : 0 },
    );
    if (!reader) return undefined;
    return {
      reader,
      blocks,
      async ready(own, { region, scaleFactor }, ownBlocks) {
        current = own;
        blocks.current = ownBlocks;
        if (reader.indexed) return;
        const bottom = region.y + region.height + marginRows * scaleFactor;
        await reader.buildIndex(scaleFactor < 8 ? { untilRow: bottom } : {});
      },
    };
  };

  /** What blocks give; a file whose blocks do not fit is not kept open. */
  const fitting = async <T>(id: string | undefined, read: Promise<T>): Promise<T> => {
    try {
      return await read;
    } catch (error) {
      if (id !== undefined) opened.delete(id);
      throw error;
    }
  };

  /** Over the twin of a file. */
  const readingTwin = async (
    id: string,
    twin: ByteSource,
    blocks: BlocksAtHand,
  ): Promise<Opened | undefined> => {
    const read: ByteSource["read"] = (offset, length) => fitting(id, twin.read(offset, length));
    const reader = await openJpeg(currentEngine, { size: twin.size, read }, { resample });
    return (
      reader && {
        reader,
        blocks,
        async ready(_bytes, _read, own) {
          blocks.current = own;
        },
      }
    );
  };

  /** Throws ServiceError `decode`, code index_unfit, for an index that is not this file's. */
  const restore = async (bytes: ByteSource, header: ImageHeader, access: IndexAccess): Promise<Opened> => {
    const parts = splitParts(await access.load());
    if (!parts || (parts.twin !== undefined) !== isProgressive(header)) throw unfit();
    const blocks: BlocksAtHand = { current: access.blocks };
    const file = await (parts.twin
      ? readingTwin(access.id, blockSource(stored(parts.twin, blocks)), blocks)
      : reading(bytes, blocks, false));
    const frame = file?.reader.frame;
    const agrees = frame?.width === header.width && frame.height === header.height;
    if (!file || !agrees || !(await file.reader.loadIndex(parts.index, parts.overview))) throw unfit();
    if (parts.quarter) keepQuarter(access.id, file, stored(parts.quarter, blocks));
    return { ...file, loaded: true };
  };

  /** What blocks hold by what is stored of them. */
  const stored = (facts: Uint8Array, blocks: BlocksAtHand): BlockReader => {
    const known = loadStoredBlocks(facts);
    if (!known) throw unfit();
    return blockCache.reader(known, () => blocks.current);
  };

  /**
   * A progressive file as its DC scans show it, for reads at 1/8 alone. Throws ServiceError `decode`, code index_wanted, where its
   * twin might show something else.
   */
  const overviewOf = async (bytes: ByteSource): Promise<Opened> => {
    const { head, planes, damaged } = await transcoder().dcPlanes(bytes);
    const size = head.length;
    const index = await writtenIndex({ head, entries: new Uint8Array(), end: size, size });
    const reader = await openJpeg(currentEngine, inMemory(head));
    const overview = planes.map(({ data }) => data);
    const isWhole = overview.reduce((sum, { length }) => sum + length, 0) <= overviewLimit;
    if (damaged || !isWhole || !index || !(await reader?.loadIndex(index, overview)) || !reader)
      throw indexWanted();
    return { reader, blocks: {}, async ready() {} };
  };

  /** Has a file's planes at 1/4 read from blocks; with blocks that do not fit it is opened anew. */
  const keepQuarter = (id: string | undefined, { reader, blocks }: Opened, inBlocks: BlockReader) => {
    const planes = planesInBlocks(reader.frame, inBlocks);
    reader.keepQuarter(async (areas) => (blocks.current ? fitting(id, planes(areas)) : undefined));
  };

  const makeTwin = async (bytes: ByteSource, blocks: IndexBlocks): Promise<Uint8Array> => {
    const writer = blockWriter(blocks);
    const noted = await transcoder().transcode(bytes, { overviewLimit, onChunk: writer.add });
    const index = await writtenIndex(noted);
    if (!index) return new Uint8Array();
    const overview = noted.planes?.map(({ data }) => data) ?? [];
    const twin = saveStoredBlocks(await writer.end());
    return joinParts({ index, overview, twin, quarter: undefined });
  };

  /** The entry of a twin with planes at 1/4 beside it, where there is room; they are made of the twin. */
  const fillTwin = async (
    entry: Uint8Array,
    parts: StoredParts,
    facts: Uint8Array,
    blocks: IndexBlocks,
  ): Promise<Uint8Array> => {
    const twin = loadStoredBlocks(facts);
    if (!twin) throw unfit();
    const source = blockSource(blockCache.reader(twin, () => blocks));
    const options = { resample, overviewLimit: 0, quarterLimit: quarterLimitOf(twin.size) };
    const reader = await openJpeg(currentEngine, source, options);
    await reader?.buildIndex();
    const planes = reader?.quarter && (await planesToBlocks(reader.quarter, blocks, endOfBlocks(twin)));
    return planes ? joinParts({ ...parts, quarter: saveStoredBlocks(planes) }) : entry;
  };

  /** The index of a progressive file, which is that of its twin. */
  const indexTwin = async (
    bytes: ByteSource,
    { full, load }: IndexAccess,
    blocks: IndexBlocks,
  ): Promise<Uint8Array> => {
    const entry = full ? await load() : new Uint8Array();
    const parts = splitParts(entry);
    return parts?.twin ? fillTwin(entry, parts, parts.twin, blocks) : makeTwin(bytes, blocks);
  };

  /** The entry of a sequential file that is indexed; a full one's planes at 1/4 go into blocks, and are read from there. */
  const save = async (
    file: Opened,
    index: Uint8Array,
    access: IndexAccess | undefined,
  ): Promise<Uint8Array> => {
    const { reader } = file;
    const { quarter: planes, overview = [] } = reader;
    const blocks = access?.full ? access.blocks : undefined;
    const inBlocks = planes && blocks && (await planesToBlocks(planes, blocks, 0));
    const facts = inBlocks && saveStoredBlocks(inBlocks);
    if (facts) keepQuarter(access?.id, file, stored(facts, file.blocks));
    return joinParts({ index, overview, twin: undefined, quarter: facts });
  };

  /** An index that could not be gone on with is begun anew by the next job. */
  const prepared = async (
    id: string | undefined,
    file: Opened,
    bytes: ByteSource,
    read: ReadRequest,
    blocks?: IndexBlocks,
  ) => {
    try {
      await file.ready(bytes, read, blocks);
    } catch (error) {
      if (id !== undefined) opened.delete(id);
      throw error;
    }
  };

  /** What there is to read while there is no index; undefined where the file has to be decoded as a whole. */
  const begin = async (bytes: ByteSource, read: ReadRequest) => {
    const { header, scaleFactor } = read;
    if (!isProgressive(header))
      return reading(bytes, {}, gains(undefined, read, bytes.size ?? 0) && beginsQuarter(header));
    return scaleFactor === 8 ? overviewOf(bytes) : undefined;
  };

  const open = async (
    bytes: ByteSource,
    read: ReadRequest,
    access: IndexAccess,
  ): Promise<Opened | undefined> => {
    const { header } = read;
    if (access.absent && !hasIndex(header, bytes.size ?? 0, access.blocks?.room ?? 0)) return undefined;
    // what its DC scans show of a progressive file is no index to go on with
    const id = access.absent && isProgressive(header) ? `${access.id}\0overview` : access.id;
    const opening = async () => {
      let file = opened.get(id);
      if (!file) {
        file = access.absent ? await begin(bytes, read) : await restore(bytes, header, access);
        if (!file) return undefined;
        opened.set(id, file, weightOf(file));
      }
      await prepared(id, file, bytes, read, access.blocks);
      return file;
    };
    return access.absent ? wantingIndex(opening()) : opening();
  };

  return {
    /**
     * The index of a sequential file with its overview at 1/8; for a progressive one those of its baseline twin, which is
     * put into blocks. Planes at 1/4 go into blocks, too, where there is room and a full index is asked
     * for. Empty for kinds that have none: arithmetic coding, 12 bit, twins too large to keep.
     */
    index: (bytes: ByteSource, header: ImageHeader, access?: IndexAccess): Promise<Uint8Array> =>
      guarded(async () => {
        const blocks = access?.blocks;
        if (!hasIndex(header, bytes.size ?? 0, blocks?.room ?? 0)) return new Uint8Array();
        if (isProgressive(header)) return blocks ? indexTwin(bytes, access, blocks) : new Uint8Array();
        const id = access?.id;
        const begun = id === undefined ? undefined : opened.get(id);
        const full = access?.full === true;
        const goesOn = begun && !begun.loaded && (!full || begun.reader.keepsQuarter);
        const file = goesOn ? begun : await reading(bytes, {}, full);
        if (!file) return new Uint8Array();
        const all = { header, page: 1, region: wholeOf(header), scaleFactor: 8 };
        await prepared(id, file, bytes, all);
        const index = file.reader.saveIndex();
        if (!index) return new Uint8Array();
        const saved = await save(file, index, access);
        if (id !== undefined) opened.set(id, file, weightOf(file));
        return saved;
      }),

    /** The file behind its index, indexed as far as the region needs; undefined for kinds that have none. */
    open: (bytes: ByteSource, read: ReadRequest, access: IndexAccess) =>
      guarded(() => open(bytes, read, access)),

    /** As Codec.decode promises. */
    decode: (file: Opened, read: ReadRequest): Promise<PixelBuffer> =>
      guarded(() =>
        file.reader.decodePixels(
          read.region,
          read.scaleFactor as ScaleFactor,
          undefined,
          read.scaleFactor === quarter && read.halvesColour ? "stored" : "full",
        ),
      ),

    guarded,
  };
}

/** Rows beyond a region that filters and halved chroma may look at, at the scale of the read. */
const marginRows = 128;

const wholeOf = ({ width, height }: ImageHeader) => ({ x: 0, y: 0, width, height });

/** Bytes that a file keeps in memory, its overview counted as if it were there, and planes at 1/4 that are in no blocks. */
function weightOf({ reader: { frame, keepsQuarter } }: Opened): number {
  const overview = Math.ceil((frame.width * frame.height * frame.components.length) / 64);
  return 128 * 1024 + overview + (keepsQuarter ? quarterBytes(frame) : 0);
}

/** Reads without copies: nobody changes what is read here. */
function inMemory(data: Uint8Array): ByteSource {
  return { size: data.length, read: async (offset, length) => data.subarray(offset, offset + length) };
}

/**
 * What an index is begun with, or error index_wanted where the file is damaged for this reader. Then the pass over the whole file
 * fails as well, and libjpeg, which may show more, answers the first request with the same code as all others.
 */
async function wantingIndex<T>(begun: Promise<T>): Promise<T> {
  try {
    return await begun;
  } catch (error) {
    if (error instanceof ServiceError && error.kind !== "decode" && error.kind !== "unsupported") throw error;
    throw indexWanted(error);
  }
}

function indexWanted(cause?: unknown): ServiceError {
  return new ServiceError("decode", "This image cannot be read without its whole index. Try again.", {
    code: "index_wanted",
    cause,
  });
}
