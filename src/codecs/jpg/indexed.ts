// JPEG files read through their index: only the rows and columns of a region are decoded.

import { ServiceError } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import { concatenated } from "../../lib/concatenated.ts";
import { createLru } from "../../lib/lru.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost, ImageHeader, IndexAccess, ReadRequest } from "../codec.ts";
import { detailsOf } from "./decode.ts";
import { createEngine, type Engine, type JpegReader, openJpeg, type ScaleFactor } from "./random/index.ts";
import { joinParts, splitParts } from "./stored-parts.ts";
import { openTranscoder } from "./twin.ts";

/** A file behind its index. */
export interface Opened {
  readonly reader: JpegReader;
  /** What is read is the baseline twin of the file, held in memory. */
  readonly twin: Uint8Array | undefined;
  /** Reads through the job at hand from now on, and indexes as far as a region needs. */
  ready(bytes: ByteSource, read: ReadRequest): Promise<void>;
}

/** Bytes of indexes, overviews and twins that stay parsed in a worker. */
const kept = 64 * 2 ** 20;
/** A larger file has no twin: it is decoded whole for each region. */
const maxTwin = 64 * 2 ** 20;

/** Whether a sound file of this kind gets an index; an unknown size counts as small. */
export function hasIndex(header: ImageHeader, fileSize: number): boolean {
  const { arithmetic, multiscan } = detailsOf(header);
  return !header.unsupported && !arithmetic && (!multiscan || fileSize < maxTwin);
}

/** Estimated peak bytes of reading a region through the index: planes, pixels, margins, the twin where there is one. */
export function indexedMemory({ header, region, scaleFactor }: ReadRequest, fileSize: number): number {
  const side = (length: number) => Math.ceil(length / scaleFactor) + 64;
  const samples = side(region.width) * side(region.height) * header.bands;
  const overview = Math.ceil((header.width * header.height * header.bands) / 64);
  return (
    3 * samples + overview + 16 * 2 ** 20 + (detailsOf(header).multiscan ? Math.ceil(1.1 * fileSize) : 0)
  );
}

/** Access by regions over one host; parsed indexes are kept by their id. */
export function indexedJpeg(host: Pick<CodecHost, "wasm">) {
  const opened = createLru<string, Opened>(kept);
  let engine: Engine | undefined;
  const currentEngine = () => (engine ??= createEngine(host.wasm("jpeg-decode")));

  /** The instance is dropped after any error: its inside is then unknown. */
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      engine = undefined;
      throw error;
    }
  };

  const makeTwin = async (bytes: ByteSource): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = [];
    await openTranscoder(host.wasm("jpeg-transcode")).transcode(bytes, {
      onChunk: (chunk) => void chunks.push(chunk),
    });
    return concatenated(chunks);
  };

  /** Over the file itself, or over its twin; undefined for kinds without an index. */
  const reading = async (bytes: ByteSource, twin: Uint8Array | undefined): Promise<Opened | undefined> => {
    let current = twin ? inMemory(twin) : bytes;
    const source: ByteSource = {
      size: current.size,
      get gap() {
        return current.gap;
      },
      read: (offset, length) => current.read(offset, length),
    };
    const reader = await openJpeg(currentEngine, source);
    if (!reader) return undefined;
    return {
      reader,
      twin,
      async ready(own, { region, scaleFactor }) {
        if (!twin) current = own;
        if (reader.indexed) return;
        const bottom = region.y + region.height + marginRows * scaleFactor;
        await reader.buildIndex(scaleFactor < 8 ? { untilRow: bottom } : {});
      },
    };
  };

  /** A file without a stored index; a progressive one gets its twin at once. */
  const begin = async (bytes: ByteSource, header: ImageHeader): Promise<Opened | undefined> => {
    if (!hasIndex(header, bytes.size ?? maxTwin)) return undefined;
    const own = await reading(bytes, undefined);
    if (own || !detailsOf(header).multiscan) return own;
    return reading(bytes, await makeTwin(bytes));
  };

  /** Throws ServiceError `decode`, code index_unfit, for an index that is not this file's. */
  const restore = async (bytes: ByteSource, access: IndexAccess): Promise<Opened> => {
    const parts = splitParts(await access.load());
    const file = parts && (await reading(bytes, parts.twin));
    if (file && (await file.reader.loadIndex(parts.index, parts.overview))) return file;
    throw new ServiceError("decode", "The stored index of this image does not fit its file. Try again.", {
      code: "index_unfit",
    });
  };

  /** An index that could not be gone on with is begun anew by the next job. */
  const prepared = async (id: string | undefined, file: Opened, bytes: ByteSource, read: ReadRequest) => {
    try {
      await file.ready(bytes, read);
    } catch (error) {
      if (id !== undefined) opened.delete(id);
      throw error;
    }
  };

  const open = async (
    bytes: ByteSource,
    read: ReadRequest,
    access: IndexAccess,
  ): Promise<Opened | undefined> => {
    let file = opened.get(access.id);
    if (!file) {
      file = access.absent ? await begin(bytes, read.header) : await restore(bytes, access);
      if (!file) return undefined;
      opened.set(access.id, file, weightOf(file));
    }
    await prepared(access.id, file, bytes, read);
    return file;
  };

  return {
    /**
     * The index of a sequential file with its overview at 1/8; for a progressive one its baseline twin and the index of
     * that. Empty for kinds that have none: arithmetic coding, 12 bit, twins too large to keep.
     */
    index: (bytes: ByteSource, header: ImageHeader, id?: string): Promise<Uint8Array> =>
      guarded(async () => {
        const file = (id === undefined ? undefined : opened.get(id)) ?? (await begin(bytes, header));
        if (!file) return new Uint8Array();
        const all = { header, page: 1, region: wholeOf(header), scaleFactor: 8 };
        await prepared(id, file, bytes, all);
        const index = file.reader.saveIndex();
        if (!index) return new Uint8Array();
        if (id !== undefined) opened.set(id, file, weightOf(file));
        return joinParts({ index, overview: file.reader.overview ?? [], twin: file.twin });
      }),

    /** The file behind its index, indexed as far as the region needs; undefined for kinds that have none. */
    open: (bytes: ByteSource, read: ReadRequest, access: IndexAccess) =>
      guarded(() => open(bytes, read, access)),

    /** As Codec.decode promises. */
    decode: (file: Opened, read: ReadRequest): Promise<PixelBuffer> =>
      guarded(() => file.reader.decodePixels(read.region, read.scaleFactor as ScaleFactor)),

    guarded,
  };
}

/** Rows beyond a region that filters and halved chroma may look at, at the scale of the read. */
const marginRows = 128;

const wholeOf = ({ width, height }: ImageHeader) => ({ x: 0, y: 0, width, height });

/** Bytes that a file keeps in memory, its overview counted as if it were there. */
function weightOf({ reader: { frame }, twin }: Opened): number {
  return (
    128 * 1024 + Math.ceil((frame.width * frame.height * frame.components.length) / 64) + (twin?.length ?? 0)
  );
}

/** Reads without copies: nobody changes what is read here. */
function inMemory(data: Uint8Array): ByteSource {
  return { size: data.length, read: async (offset, length) => data.subarray(offset, offset + length) };
}
