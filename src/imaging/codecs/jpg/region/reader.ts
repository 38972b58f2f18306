// A sequential JPEG file read by regions: header, access points, pixels, planes and lossless crops behind one object.

import { ImagingError } from "../../../errors.ts";
import type { ByteRange, ByteSource } from "../../../lib/byte-source.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import type { Rectangle } from "../../image-header.ts";
import { joined, type Read } from "../../ranges.ts";
import { type Backwards, type Crop, cropFile, cropRange, cropRegion } from "../lossless/crop.ts";
import type { Frame } from "../markers/frame.ts";
import { loadAccessPoints, saveAccessPoints } from "../sidecar/access-points-format.ts";
import type { AccessPoints } from "./access-points.ts";
import {
  type AccessPointBuilder,
  type BuildOptions,
  createAccessPointBuilder,
} from "./build-access-points.ts";
import type { Engine } from "./engine.ts";
import { mcuRange, type ScaleFactor } from "./geometry.ts";
import { readHeader } from "./header.ts";
import { planesInMemory, type RegionJob, type StoredPlanes } from "./level4.ts";
import { decodePixels, type Plane, regionWindows, withPlanes } from "./pixels.ts";
import { allRanges } from "./ranges.ts";
import { createTables } from "./tables.ts";

/** On a disk a further range costs little. */
const diskGap = 1024;

export interface BuildAccessPointsOptions {
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
  /** All access points are known. */
  readonly isComplete: boolean;
  /** The data ended early, or restarts were not where they belong; what is missing is gray. Known once complete. */
  readonly damaged: boolean;
  /** Reads on until enough access points are known. Calls at the same time share the work. Throws the signal's reason. */
  buildAccessPoints(options?: BuildAccessPointsOptions): Promise<void>;
  /** One piece of the file (at most `chunkSize` bytes); false once complete. For callers with slices. */
  stepAccessPoints(): Promise<boolean>;
  /** All access points as bytes to store, well compressible; `undefined` before they are complete. */
  saveAccessPoints(): Uint8Array | undefined;
  /**
   * Takes what {@link JpegReader.saveAccessPoints} returned for a file of this size and header; false where it is not sound or
   * not this file's. `level8`: the reduced level, as {@link JpegReader.level8} had it.
   */
  loadAccessPoints(saved: Uint8Array, level8?: readonly Uint8Array[]): Promise<boolean>;
  /** Samples at 1/8 of each component, ceil(width/8) by ceil(height/8), once complete; none where they are too large. */
  readonly level8: readonly Uint8Array[] | undefined;
  /**
   * Samples at 1/4 of each component, ceil(width/4) by ceil(height/4) of its own size and as good as a resampling, once
   * complete, if they were made along with the access points.
   */
  readonly level4: readonly Uint8Array[] | undefined;
  /** A level at 1/4 is in memory, complete or growing. */
  readonly buildsLevel4: boolean;
  /** Reads the level at 1/4 from there from now on, and drops its own. */
  readLevel4From(stored: StoredPlanes): void;
  /** The ranges of the file that a region takes; a few more bytes where an estimate is too small. */
  neededRanges(region: Rectangle, scale: ScaleFactor, as?: "pixels" | "planes", gap?: number): ByteRange[];
  /**
   * Gray, RGB or CMYK; at 1/1 the same bytes as libjpeg's accurate transform with smooth upsampling makes. `chroma`: "full"
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
   * Returns the result of `use`, which must not wait: the planes lie in memory that the next call overwrites. `chroma`: the
   * components behind the first as stored, in half the size (at 1/8 as stored), or empty.
   */
  withPlanes<T>(
    region: Rectangle,
    scale: ScaleFactor,
    chroma: "stored" | "half" | "none",
    use: (planes: readonly Plane[]) => T,
  ): Promise<T>;
  /** Whether a region lies on the grid of a file with one scan. */
  canCrop(region: Rectangle): boolean;
  /** The region as a JPEG file from the same coded bits; `undefined` where that cannot be. */
  crop(region: Rectangle, read?: Read): Promise<Uint8Array | undefined>;
  /** The coded bits of a region, for transforms that run backwards along axes of the image. */
  cropData(region: Rectangle, backwards: Backwards): Promise<Crop | undefined>;
}

/**
 * Opens a file: reads its header. `undefined` for JPEG of other kinds (progressive, arithmetic, 12 bit, 2 components).
 * Each call asks `engine` again, since an instance is dropped after an error. Throws ImagingError `decode`.
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
  /** Dropped with its planes when they are no longer needed. */
  let builder: AccessPointBuilder | undefined = createAccessPointBuilder(
    engine,
    tables,
    header,
    source,
    options,
  );
  let stored: StoredPlanes | undefined = builder.level4 && planesInMemory(frame, builder.level4);
  let accessPoints: AccessPoints = builder.accessPoints;
  let flight: Promise<unknown> | undefined;

  /** One step at a time, shared by all callers. */
  const step = (): Promise<unknown> => {
    flight ??= builder?.step().finally(() => {
      flight = undefined;
    });
    return flight ?? Promise.resolve();
  };

  /** Rows of pixels that can be decoded: access points of their MCU rows, and of the one below for upsampling, are known. */
  const rowsReady = (): number => {
    if (accessPoints.complete) return frame.height;
    if (accessPoints.scans.length > 1 || header.first.components.length < frame.components.length) return 0;
    const mcuHeight = frame.components.length === 1 ? 8 : 8 * frame.vMax;
    // the access point of the row behind it says where a row ends
    return Math.min(frame.height, Math.max(0, accessPoints.scans[0]!.rows - 2) * mcuHeight);
  };

  const job = (read?: Read): RegionJob => ({
    engine: engine(),
    tables,
    frame,
    accessPoints,
    read: read ?? ((offset, length) => source.read(offset, length)),
    borrow: read ? undefined : source.borrow,
    gap: source.gap ?? diskGap,
    resample: options.resample,
    stored,
  });

  const confirm = (region: Rectangle) => {
    const { x, y, width, height } = region;
    const inside = x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= frame.width;
    if (!inside || y + height > frame.height)
      throw new ImagingError(
        "bad-request",
        `Expected a region inside ${frame.width} by ${frame.height} pixels; received ${x},${y},${width},${height}. Ask for pixels of the image.`,
      );
    if (y + height > rowsReady())
      throw new RangeError(`rows up to ${y + height} have no access points yet, only ${rowsReady()}`);
  };

  return {
    frame,
    quant: header.first.components[0]!.quant,
    codedBytes: source.size && source.size - header.first.start,
    get rows() {
      return rowsReady();
    },
    get isComplete() {
      return accessPoints.complete;
    },
    get damaged() {
      const seen = accessPoints.scans.reduce((sum, { scan }) => sum + scan.components.length, 0);
      return (
        accessPoints.scans.some(({ damage }) => damage > 0) ||
        (accessPoints.complete && seen < frame.components.length)
      );
    },
    async buildAccessPoints({ untilRow = frame.height, signal, onProgress } = {}) {
      const enough = Math.min(untilRow, frame.height);
      while (!accessPoints.complete && rowsReady() < enough) {
        signal?.throwIfAborted();
        await step();
        onProgress?.(rowsReady());
      }
    },
    async stepAccessPoints() {
      if (!accessPoints.complete) await step();
      return !accessPoints.complete;
    },
    saveAccessPoints: () =>
      accessPoints.complete ? saveAccessPoints(frame, accessPoints, source.size ?? 0) : undefined,
    async loadAccessPoints(saved, level8) {
      const loaded = await loadAccessPoints(saved, header, source, level8);
      if (!loaded) return false;
      for (const { scan } of loaded.scans.slice(1)) tables.add(scan);
      accessPoints = loaded;
      builder = undefined;
      stored = undefined;
      return true;
    },
    get level8() {
      return accessPoints.complete ? accessPoints.level8 : undefined;
    },
    get level4() {
      return accessPoints.complete ? builder?.level4?.map(({ plane }) => plane) : undefined;
    },
    get buildsLevel4() {
      return builder?.level4 !== undefined;
    },
    readLevel4From(planes) {
      stored = planes;
      if (accessPoints.complete) builder = undefined;
    },
    neededRanges(region, scale, as = "pixels", gap = 0) {
      confirm(region);
      if (scale === 8 && accessPoints.level8) return [];
      const all: ByteRange[] = [];
      for (const windows of regionWindows(frame, region, scale, as))
        all.push(
          ...allRanges(
            accessPoints,
            accessPoints.scans.map(({ scan }) => mcuRange(scan, windows)),
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
    canCrop: (region) => cropRange(frame, header.first, region) !== undefined,
    async crop(region, read) {
      confirm(region);
      return cropFile(job(read), region);
    },
    async cropData(region, backwards) {
      confirm(region);
      return cropRegion(job(), region, backwards);
    },
  };
}
