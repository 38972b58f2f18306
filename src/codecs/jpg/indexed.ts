// JPEG files read through their index: only the rows and columns of a region are decoded.

import type { ByteSource } from "../../lib/byte-source.ts";
import { createLru } from "../../lib/lru.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { CodecHost, ImageHeader, IndexAccess, ReadRequest } from "../codec.ts";
import { detailsOf } from "./decode.ts";
import { readHeader } from "./random/frame.ts";
import { createEngine, type Engine, type JpegReader, openJpeg, type ScaleFactor } from "./random/index.ts";
import { joinParts, type StoredParts, splitParts } from "./stored-parts.ts";
import { openTranscoder } from "./twin.ts";

/** A file behind its index. `bytes` are those that the index points into: the file's own, or those of its twin. */
export interface Opened {
  readonly reader: JpegReader;
  /** Quantisation table of the first component. */
  readonly steps: Uint16Array;
  /** Where the reader reads: of the job at hand, or the twin in memory. */
  read(bytes: ByteSource): (offset: number, length: number) => Promise<Uint8Array>;
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

  const makeIndex = async (bytes: ByteSource): Promise<StoredParts | undefined> => {
    const reader = await openJpeg(currentEngine, bytes);
    if (!reader) return undefined;
    await reader.buildIndex();
    const index = reader.saveIndex();
    return index && { index, overview: reader.overview ?? [], twin: undefined };
  };

  const makeTwin = async (bytes: ByteSource): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = [];
    const { size } = await openTranscoder(host.wasm("jpeg-transcode")).transcode(bytes, {
      onChunk: (chunk) => void chunks.push(chunk),
    });
    const twin = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      twin.set(chunk, at);
      at += chunk.length;
    }
    return twin;
  };

  const open = async (bytes: ByteSource, access: IndexAccess): Promise<Opened | undefined> => {
    const known = opened.get(access.id);
    if (known) return known;
    const stored = await access.load();
    const parts = splitParts(stored);
    if (!parts) return undefined;
    const twin = parts.twin && inMemory(parts.twin);
    const source = twin ?? bytes;
    const header = await readHeader(source);
    const reader = await openJpeg(currentEngine, source);
    const steps = header?.first.components[0]?.quant;
    if (!reader || !steps || !(await reader.loadIndex(parts.index, parts.overview))) return undefined;
    const found: Opened = {
      reader,
      steps,
      read: (own) => (offset, length) => (twin ?? own).read(offset, length),
    };
    opened.set(access.id, found, stored.length + 64 * 1024);
    return found;
  };

  return {
    /**
     * The index of a sequential file with its overview at 1/8; for a progressive one its baseline twin and the index of
     * that. Empty for kinds that have none: arithmetic coding, 12 bit, twins too large to keep.
     */
    index: (bytes: ByteSource, header: ImageHeader): Promise<Uint8Array> =>
      guarded(async () => {
        if (!hasIndex(header, bytes.size ?? maxTwin)) return new Uint8Array();
        const own = await makeIndex(bytes);
        if (own) return joinParts(own);
        if (!detailsOf(header).multiscan) return new Uint8Array();
        const twin = await makeTwin(bytes);
        const parts = await makeIndex(inMemory(twin));
        return parts ? joinParts({ ...parts, twin }) : new Uint8Array();
      }),

    /** The file behind its index; undefined where the index does not fit it. */
    open: (bytes: ByteSource, access: IndexAccess) => guarded(() => open(bytes, access)),

    /** As Codec.decode promises. */
    decode: (file: Opened, bytes: ByteSource, read: ReadRequest): Promise<PixelBuffer> =>
      guarded(() => file.reader.decodePixels(read.region, read.scaleFactor as ScaleFactor, file.read(bytes))),

    guarded,
  };
}

/** Reads without copies: nobody changes what is read here. */
function inMemory(data: Uint8Array): ByteSource {
  return { size: data.length, read: async (offset, length) => data.subarray(offset, offset + length) };
}
