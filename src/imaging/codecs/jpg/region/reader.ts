// A sequential JPEG file with access by regions: header, access points, pixels, planes and lossless crops in
// one object.

import { type ByteRange, type ByteSource, concatenate, ImagingError } from "../../../../base/index.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import type { Rectangle } from "../../image-header.ts";
import { joinRanges, type ReadRange } from "../../ranges.ts";
import { type Backwards, type Crop, cropPieces, cropRange, cropRegion } from "../lossless/crop.ts";
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
import { RegionDecoder, type RegionJob, type ResamplePlane, type StoredPlanes } from "./level4.ts";
import { decodePixels, type Plane, regionWindows, withPlanes } from "./pixels.ts";
import { allRanges } from "./ranges.ts";
import { createTables } from "./tables.ts";

/** Gap in bytes for a source that names none: on a disk, one more range costs little. */
const diskGap = 1024;

/**
 * A file whose header has been read. All regions are in whole full-size pixels within the image, as stored.
 */
export interface JpegReader {
  readonly frame: Frame;
  /** Quantisation table of the first component, 64 values in natural order. */
  readonly quant: Uint16Array;
  /** Bytes from the first scan's data to the end of the file; undefined if its length is unknown. */
  readonly codedBytes: number | undefined;
  /** Full-size rows from the top that can be decoded so far. */
  readonly rows: number;
  /** True if all access points are known. */
  readonly isComplete: boolean;
  /**
   * True if the data ended early, or restart markers were misplaced; missing parts are gray. Known once
   * complete.
   */
  readonly damaged: boolean;
  /**
   * Reads until access points down to a row are known, by default all. Simultaneous calls share the reading.
   */
  buildAccessPoints(untilRow?: number): Promise<void>;
  /**
   * Reads one piece of the file (at most `chunkSize` bytes). Returns false once complete. For callers that
   * work in slices.
   */
  stepAccessPoints(): Promise<boolean>;
  /** Returns all access points as bytes to store, which compress well; undefined until they are complete. */
  saveAccessPoints(): Uint8Array | undefined;
  /**
   * Loads the result of {@link JpegReader.saveAccessPoints} for a file of this size and header. Returns false
   * if it is damaged or belongs to another file. `level8` is the reduced level as {@link JpegReader.level8}
   * returned it.
   */
  loadAccessPoints(saved: Uint8Array, level8?: readonly Uint8Array[]): Promise<boolean>;
  /**
   * Samples at 1/8 of each component, ceil(width/8) by ceil(height/8), once complete; undefined if they are
   * too large.
   */
  readonly level8: readonly Uint8Array[] | undefined;
  /** Makes reads use the level at 1/4 in `stored` from now on. */
  readLevel4From(stored: StoredPlanes): void;
  /**
   * Returns the ranges of the file that a region needs. Decoding reads a few more bytes if an estimate is too
   * small.
   */
  neededRanges(region: Rectangle, scale: ScaleFactor, as?: "pixels" | "planes", gap?: number): ByteRange[];
  /**
   * Decodes a region as gray, RGB or CMYK; at 1/1 the bytes are those of libjpeg's accurate transform with
   * smooth upsampling. `chroma` is "full" by default; "stored" reads it as `withPlanes` does, then upsamples
   * it.
   */
  decodePixels(
    region: Rectangle,
    scale: ScaleFactor,
    read?: ReadRange,
    chroma?: "full" | "stored",
  ): Promise<PixelBuffer & { readonly data: Uint8Array }>;
  /** Decodes each component separately, without upsampling. */
  decodePlanes(region: Rectangle, scale: ScaleFactor, read?: ReadRange): Promise<Plane[]>;
  /**
   * Returns the result of `use`, which must not wait: the planes are in memory that the next call overwrites.
   * `chroma` says how the components after the first are decoded: as stored, at half the size (at 1/8 as
   * stored), or not at all.
   */
  withPlanes<T>(
    region: Rectangle,
    scale: ScaleFactor,
    chroma: "stored" | "half" | "none",
    use: (planes: readonly Plane[]) => T,
  ): Promise<T>;
  /** True if a region is on the grid of a file with one scan. */
  canCrop(region: Rectangle): boolean;
  /** Returns the region as a JPEG file from the same coded bits; undefined if that is impossible. */
  crop(region: Rectangle, read?: ReadRange): Promise<Uint8Array | undefined>;
  /** Returns the pieces of that file, the first of which is its header. */
  cropPieces(region: Rectangle): Promise<readonly Uint8Array[] | undefined>;
  /**
   * Returns the coded bits of a region, for transforms that run backwards along axes of the image; undefined
   * if that is impossible.
   */
  cropData(region: Rectangle, backwards: Backwards): Promise<Crop | undefined>;
}

export interface OpenOptions extends BuildOptions {
  /**
   * Makes samples at 1/4 as good as a resampling. Without it, samples at 1/4 come from the inverse transform.
   */
  readonly resample?: ResamplePlane;
}

/**
 * Opens a file by reading its header. Returns undefined for other kinds of JPEG (progressive, arithmetic, 12
 * bits, 2 components). Each operation calls `engine` again, since an instance is dropped after an error.
 * Throws ImagingError `decode`.
 */
export async function openJpeg(
  engine: () => Engine,
  source: ByteSource,
  options: OpenOptions = {},
): Promise<JpegReader | undefined> {
  const header = await readHeader(source);
  if (!header) return undefined;
  const { frame } = header;
  const tables = createTables();
  tables.add(header.first);
  /** Released when access points are loaded. */
  let builder: AccessPointBuilder | undefined = createAccessPointBuilder(
    engine,
    tables,
    header,
    source,
    options,
  );
  let stored: StoredPlanes | undefined;
  let accessPoints: AccessPoints = builder.accessPoints;
  let flight: Promise<unknown> | undefined;

  /** Runs one step at a time, shared by all callers. */
  const step = (): Promise<unknown> => {
    flight ??= builder?.step().finally(() => {
      flight = undefined;
    });
    return flight ?? Promise.resolve();
  };

  /**
   * Returns the number of pixel rows that can be decoded: the access points of their MCU rows are known, and
   * those of the row below for upsampling.
   */
  const rowsReady = (): number => {
    if (accessPoints.complete) return frame.height;
    if (accessPoints.scans.length > 1 || header.first.components.length < frame.components.length) return 0;
    const mcuHeight = frame.components.length === 1 ? 8 : 8 * frame.vMax;
    // the end of a row is known from the access point of the next one
    return Math.min(frame.height, Math.max(0, accessPoints.scans[0]!.rows - 2) * mcuHeight);
  };

  const job = (read?: ReadRange): RegionJob => ({
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
    async buildAccessPoints(untilRow = frame.height) {
      const enough = Math.min(untilRow, frame.height);
      while (!accessPoints.complete && rowsReady() < enough) await step();
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
    readLevel4From(planes) {
      stored = planes;
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
      return joinRanges(all, gap);
    },
    async decodePixels(region, scale, read, chroma) {
      confirm(region);
      return decodePixels(new RegionDecoder(job(read)), region, scale, chroma);
    },
    async decodePlanes(region, scale, read) {
      confirm(region);
      const copyPlanes = (planes: readonly Plane[]) =>
        planes.map((plane) => ({ ...plane, data: plane.data.slice() }));
      return withPlanes(new RegionDecoder(job(read)), region, scale, "stored", copyPlanes);
    },
    async withPlanes(region, scale, chroma, use) {
      confirm(region);
      return withPlanes(new RegionDecoder(job()), region, scale, chroma, use);
    },
    canCrop: (region) => cropRange(frame, header.first, region) !== undefined,
    async crop(region, read) {
      confirm(region);
      const pieces = await cropPieces(job(read), region);
      return pieces && concatenate(pieces);
    },
    async cropPieces(region) {
      confirm(region);
      return cropPieces(job(), region);
    },
    async cropData(region, backwards) {
      confirm(region);
      return cropRegion(job(), region, backwards);
    },
  };
}
