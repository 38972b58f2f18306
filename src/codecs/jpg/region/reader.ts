// A sequential JPEG file read by regions: header, index, pixels, planes and lossless cuts behind one object.

import { ServiceError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import type { Rectangle } from "../../image-header.ts";
import { type Backwards, type Cut, cutFile, cutRange, cutRegion } from "../lossless/crop.ts";
import type { Frame } from "../markers/frame.ts";
import { loadIndex, saveIndex } from "../sidecar/access-points.ts";
import { type BuildOptions, createIndexBuilder, type IndexBuilder } from "./build-index.ts";
import type { Engine } from "./engine.ts";
import { mcuRange, type ScaleFactor } from "./geometry.ts";
import { readHeader } from "./header.ts";
import { decodePixels, type Plane, regionWindows, withPlanes } from "./pixels.ts";
import { type KeptPlanes, planesInMemory, type QuarterJob } from "./quarter.ts";
import { allRanges, type ByteRange, joined, type Read } from "./ranges.ts";
import type { JpegIndex } from "./scan-index.ts";
import { createTables } from "./tables.ts";

/** On a disk a further range costs little. */
const diskGap = 1024;

export interface BuildIndexOptions {
  /** Full-size rows from the top that have to be decodable; default all. */
  readonly untilRow?: number;
  readonly signal?: AbortSignal;
  /** Called after each piece of the file with the rows that can be decoded so far. */
  readonly onProgress?: (rows: number) => void;
}

/** A file whose header was read. All regions are whole, full-size pixels inside the image, as stored. */
export interface JpegReader {
  readonly frame: Frame;
  /** Quantisation table of the first component, 64 values in natural order. */
  readonly quant: Uint16Array;
  /** Bytes from the first scan's data to the end of the file; undefined where its length is not known. */
  readonly codedBytes: number | undefined;
  /** Full-size rows from the top that can be decoded now. */
  readonly rows: number;
  readonly indexed: boolean;
  /** The data ended early, or restarts were not where they belong; what is missing is gray. Known once indexed. */
  readonly damaged: boolean;
  /** Reads on until enough is indexed. Calls at the same time share the work. Throws the signal's reason. */
  buildIndex(options?: BuildIndexOptions): Promise<void>;
  /** One piece of the file (at most `chunkSize` bytes); false once the index is complete. For callers with slices. */
  stepIndex(): Promise<boolean>;
  /** The complete index as bytes to store, well compressible; `undefined` before. */
  saveIndex(): Uint8Array | undefined;
  /**
   * Takes an index that {@link JpegReader.saveIndex} gave for a file of this size and header; false where it is not
   * sound or not this file's. `overview`: the samples at 1/8, as {@link JpegReader.overview} had them.
   */
  loadIndex(stored: Uint8Array, overview?: readonly Uint8Array[]): Promise<boolean>;
  /** Samples at 1/8 of each component, ceil(width/8) by ceil(height/8), once indexed; none where they are too large. */
  readonly overview: readonly Uint8Array[] | undefined;
  /**
   * Samples at 1/4 of each component, ceil(width/4) by ceil(height/4) of its own size and as good as a resampling, where
   * they were made along with the index; none before that is complete.
   */
  readonly quarter: readonly Uint8Array[] | undefined;
  /** Whether such planes are made or being made, and held in memory. */
  readonly keepsQuarter: boolean;
  /** Reads planes at 1/4 from there from now on, and forgets its own. */
  keepQuarter(kept: KeptPlanes): void;
  /** The ranges of the file that a region takes; few bytes may come on top where an estimate falls short. */
  neededRanges(region: Rectangle, scale: ScaleFactor, as?: "pixels" | "planes", gap?: number): ByteRange[];
  /**
   * Gray, RGB or CMYK; at 1/1 the same bytes as libjpeg's accurate transform with smooth upsampling gives. `chroma`: "full"
   * by default, or as `withPlanes` reads it and upsampled.
   */
  decodePixels(
    region: Rectangle,
    scale: ScaleFactor,
    read?: Read,
    chroma?: "full" | "stored",
  ): Promise<PixelBuffer & { readonly data: Uint8Array }>;
  /** The components by themselves, subsampled ones as they are. */
  decodePlanes(region: Rectangle, scale: ScaleFactor, read?: Read): Promise<Plane[]>;
  /**
   * Returns what `use` makes of the components. It works at once, since the planes lie in memory that the next call
   * overwrites. `chroma`: the components behind the first as stored, in half the size (at 1/8 as stored), or empty.
   */
  withPlanes<T>(
    region: Rectangle,
    scale: ScaleFactor,
    chroma: "stored" | "half" | "none",
    use: (planes: readonly Plane[]) => T,
  ): Promise<T>;
  /** Whether a region lies on the grid of a file with one scan. */
  cutIsPossible(region: Rectangle): boolean;
  /** The region as a JPEG file from the same coded bits; `undefined` where that cannot be. */
  cut(region: Rectangle, read?: Read): Promise<Uint8Array | undefined>;
  /** The coded bits of a region, for pictures that run backwards along axes of this one. */
  cutData(region: Rectangle, backwards: Backwards): Promise<Cut | undefined>;
}

/**
 * Opens a file: reads its header. `undefined` for JPEG of other kinds (progressive, arithmetic, 12 bit, 2 components).
 * `engine` is asked for anew in each call, since an instance is dropped after an error. Throws ServiceError `decode`.
 */
export async function openJpeg(
  engine: () => Engine,
  source: ByteSource,
  options: BuildOptions = {},
): Promise<JpegReader | undefined> {
  const header = await readHeader(source);
  if (!header) return undefined;
  const { frame } = header;
  const tables = createTables();
  tables.add(header.first);
  /** Dropped with its planes when they are not needed any more. */
  let builder: IndexBuilder | undefined = createIndexBuilder(engine, tables, header, source, options);
  let kept: KeptPlanes | undefined = builder.quarter && planesInMemory(frame, builder.quarter);
  let index: JpegIndex = builder.index;
  let flight: Promise<unknown> | undefined;

  /** One step at a time, whoever asks. */
  const step = (): Promise<unknown> => {
    flight ??= builder?.step().finally(() => {
      flight = undefined;
    });
    return flight ?? Promise.resolve();
  };

  /** Rows of pixels whose MCU rows, and the one below them for upsampling, are indexed. */
  const rowsReady = (): number => {
    if (index.complete) return frame.height;
    if (index.scans.length > 1 || header.first.components.length < frame.components.length) return 0;
    const mcuHeight = frame.components.length === 1 ? 8 : 8 * frame.vMax;
    // the end of the last row is told by the entry of the row behind it
    return Math.min(frame.height, Math.max(0, index.scans[0]!.rows - 2) * mcuHeight);
  };

  const job = (read?: Read): QuarterJob => ({
    engine: engine(),
    tables,
    frame,
    index,
    read: read ?? ((offset, length) => source.read(offset, length)),
    gap: source.gap ?? diskGap,
    resample: options.resample,
    kept,
  });

  const confirm = (region: Rectangle) => {
    const { x, y, width, height } = region;
    const inside = x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= frame.width;
    if (!inside || y + height > frame.height)
      throw new ServiceError(
        "bad-request",
        `Expected a region inside ${frame.width} by ${frame.height} pixels; received ${x},${y},${width},${height}. Ask for pixels of the image.`,
      );
    if (y + height > rowsReady())
      throw new RangeError(`rows up to ${y + height} are not indexed yet, only ${rowsReady()}`);
  };

  return {
    frame,
    quant: header.first.components[0]!.quant,
    codedBytes: source.size && source.size - header.first.start,
    get rows() {
      return rowsReady();
    },
    get indexed() {
      return index.complete;
    },
    get damaged() {
      const seen = index.scans.reduce((sum, { scan }) => sum + scan.components.length, 0);
      return (
        index.scans.some(({ damage }) => damage > 0) || (index.complete && seen < frame.components.length)
      );
    },
    async buildIndex({ untilRow = frame.height, signal, onProgress } = {}) {
      const enough = Math.min(untilRow, frame.height);
      while (!index.complete && rowsReady() < enough) {
        signal?.throwIfAborted();
        await step();
        onProgress?.(rowsReady());
      }
    },
    async stepIndex() {
      if (!index.complete) await step();
      return !index.complete;
    },
    saveIndex: () => (index.complete ? saveIndex(frame, index, source.size ?? 0) : undefined),
    async loadIndex(stored, overview) {
      const loaded = await loadIndex(stored, header, source, overview);
      if (!loaded) return false;
      for (const { scan } of loaded.scans.slice(1)) tables.add(scan);
      index = loaded;
      builder = undefined;
      kept = undefined;
      return true;
    },
    get overview() {
      return index.complete ? index.overview : undefined;
    },
    get quarter() {
      return index.complete ? builder?.quarter?.map(({ plane }) => plane) : undefined;
    },
    get keepsQuarter() {
      return builder?.quarter !== undefined;
    },
    keepQuarter(planes) {
      kept = planes;
      if (index.complete) builder = undefined;
    },
    neededRanges(region, scale, as = "pixels", gap = 0) {
      confirm(region);
      if (scale === 8 && index.overview) return [];
      const all: ByteRange[] = [];
      for (const windows of regionWindows(frame, region, scale, as))
        all.push(
          ...allRanges(
            index,
            index.scans.map(({ scan }) => mcuRange(scan, windows)),
            new Set(),
          ),
        );
      return joined(all, gap);
    },
    async decodePixels(region, scale, read, chroma) {
      confirm(region);
      return decodePixels(job(read), region, scale, chroma);
    },
    async decodePlanes(region, scale, read) {
      confirm(region);
      const kept = (planes: readonly Plane[]) =>
        planes.map((plane) => ({ ...plane, data: plane.data.slice() }));
      return withPlanes(job(read), region, scale, "stored", kept);
    },
    async withPlanes(region, scale, chroma, use) {
      confirm(region);
      return withPlanes(job(), region, scale, chroma, use);
    },
    cutIsPossible: (region) => cutRange(frame, header.first, region) !== undefined,
    async cut(region, read) {
      confirm(region);
      return cutFile(job(read), region);
    },
    async cutData(region, backwards) {
      confirm(region);
      return cutRegion(job(), region, backwards);
    },
  };
}
