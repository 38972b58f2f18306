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
import { type Header, readHeader } from "./header.ts";
import { RegionDecoder, type RegionJob, type ResamplePlane, type StoredPlanes } from "./level4.ts";
import { decodePixels, type Plane, regionWindows, withPlanes } from "./pixels.ts";
import { allRanges } from "./ranges.ts";
import { createTables } from "./tables.ts";

/** Gap in bytes for a source that names none: on a disk, one more range costs little. */
const diskGap = 1024;

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
  return header && new JpegReader(engine, source, header, options);
}

/**
 * A file whose header has been read. All regions are in whole full-size pixels within the image, as stored.
 */
export class JpegReader {
  readonly #engine: () => Engine;
  readonly #source: ByteSource;
  readonly #header: Header;
  readonly #resample: ResamplePlane | undefined;
  readonly #tables = createTables();
  /** Released when access points are loaded. */
  #builder: AccessPointBuilder | undefined;
  #stored: StoredPlanes | undefined;
  #accessPoints: AccessPoints;
  #flight: Promise<unknown> | undefined;

  constructor(engine: () => Engine, source: ByteSource, header: Header, options: OpenOptions) {
    this.#engine = engine;
    this.#source = source;
    this.#header = header;
    this.#resample = options.resample;
    this.#tables.add(header.first);
    this.#builder = createAccessPointBuilder(engine, this.#tables, header, source, options);
    this.#accessPoints = this.#builder.accessPoints;
  }

  get frame(): Frame {
    return this.#header.frame;
  }

  /** Quantisation table of the first component, 64 values in natural order. */
  get quant(): Uint16Array {
    return this.#header.first.components[0]!.quant;
  }

  /** Bytes from the first scan's data to the end of the file; undefined if its length is unknown. */
  get codedBytes(): number | undefined {
    return this.#source.size && this.#source.size - this.#header.first.start;
  }

  /**
   * Full-size rows from the top that can be decoded so far: the access points of their MCU rows are known,
   * and those of the row below for upsampling.
   */
  get rows(): number {
    const { frame } = this;
    const { complete, scans } = this.#accessPoints;
    if (complete) return frame.height;
    if (scans.length > 1 || this.#header.first.components.length < frame.components.length) return 0;
    const mcuHeight = frame.components.length === 1 ? 8 : 8 * frame.vMax;
    // the end of a row is known from the access point of the next one
    return Math.min(frame.height, Math.max(0, scans[0]!.rows - 2) * mcuHeight);
  }

  /** True if all access points are known. */
  get isComplete(): boolean {
    return this.#accessPoints.complete;
  }

  /**
   * True if the data ended early, or restart markers were misplaced; missing parts are gray. Known once
   * complete.
   */
  get damaged(): boolean {
    const { complete, scans } = this.#accessPoints;
    const seen = scans.reduce((sum, { scan }) => sum + scan.components.length, 0);
    return scans.some(({ damage }) => damage > 0) || (complete && seen < this.frame.components.length);
  }

  /**
   * Samples at 1/8 of each component, ceil(width/8) by ceil(height/8), once complete; undefined if they are
   * too large.
   */
  get level8(): readonly Uint8Array[] | undefined {
    return this.isComplete ? this.#accessPoints.level8 : undefined;
  }

  /**
   * Reads until access points down to a row are known, by default all. Simultaneous calls share the reading.
   */
  async buildAccessPoints(untilRow = this.frame.height): Promise<void> {
    const enough = Math.min(untilRow, this.frame.height);
    while (!this.isComplete && this.rows < enough) await this.#step();
  }

  /**
   * Reads one piece of the file (at most `chunkSize` bytes). Returns false once complete. For callers that
   * work in slices.
   */
  async stepAccessPoints(): Promise<boolean> {
    if (!this.isComplete) await this.#step();
    return !this.isComplete;
  }

  /** Returns all access points as bytes to store, which compress well; undefined until they are complete. */
  saveAccessPoints(): Uint8Array | undefined {
    return this.isComplete
      ? saveAccessPoints(this.frame, this.#accessPoints, this.#source.size ?? 0)
      : undefined;
  }

  /**
   * Loads the result of {@link JpegReader.saveAccessPoints} for a file of this size and header. Returns false
   * if it is damaged or belongs to another file. `level8` is the reduced level as {@link JpegReader.level8}
   * returned it.
   */
  async loadAccessPoints(saved: Uint8Array, level8?: readonly Uint8Array[]): Promise<boolean> {
    const loaded = await loadAccessPoints(saved, this.#header, this.#source, level8);
    if (!loaded) return false;
    for (const { scan } of loaded.scans.slice(1)) this.#tables.add(scan);
    this.#accessPoints = loaded;
    this.#builder = undefined;
    this.#stored = undefined;
    return true;
  }

  /** Makes reads use the level at 1/4 in `stored` from now on. */
  readLevel4From(stored: StoredPlanes): void {
    this.#stored = stored;
  }

  /**
   * Returns the ranges of the file that a region needs. Decoding reads a few more bytes if an estimate is too
   * small.
   */
  neededRanges(
    region: Rectangle,
    scale: ScaleFactor,
    as: "pixels" | "planes" = "pixels",
    gap = 0,
  ): ByteRange[] {
    this.#confirm(region);
    const { scans, level8 } = this.#accessPoints;
    if (scale === 8 && level8) return [];
    const all: ByteRange[] = [];
    for (const windows of regionWindows(this.frame, region, scale, as)) {
      const mcus = scans.map(({ scan }) => mcuRange(scan, windows));
      all.push(...allRanges(this.#accessPoints, mcus, new Set()));
    }
    return joinRanges(all, gap);
  }

  /**
   * Decodes a region as gray, RGB or CMYK; at 1/1 the bytes are those of libjpeg's accurate transform with
   * smooth upsampling. `chroma` is "full" by default; "stored" reads it as `withPlanes` does, then upsamples
   * it.
   */
  async decodePixels(
    region: Rectangle,
    scale: ScaleFactor,
    read?: ReadRange,
    chroma?: "full" | "stored",
  ): Promise<PixelBuffer & { readonly data: Uint8Array }> {
    return decodePixels(this.#decoderOf(region, read), region, scale, chroma);
  }

  /** Decodes each component separately, without upsampling. */
  async decodePlanes(region: Rectangle, scale: ScaleFactor, read?: ReadRange): Promise<Plane[]> {
    const copyPlanes = (planes: readonly Plane[]) =>
      planes.map((plane) => ({ ...plane, data: plane.data.slice() }));
    return withPlanes(this.#decoderOf(region, read), region, scale, "stored", copyPlanes);
  }

  /**
   * Returns the result of `use`, which must not wait: the planes are in memory that the next call overwrites.
   * `chroma` says how the components after the first are decoded: as stored, at half the size (at 1/8 as
   * stored), or not at all.
   */
  async withPlanes<T>(
    region: Rectangle,
    scale: ScaleFactor,
    chroma: "stored" | "half" | "none",
    use: (planes: readonly Plane[]) => T,
  ): Promise<T> {
    return withPlanes(this.#decoderOf(region), region, scale, chroma, use);
  }

  /** True if a region is on the grid of a file with one scan. */
  canCrop(region: Rectangle): boolean {
    return cropRange(this.frame, this.#header.first, region) !== undefined;
  }

  /** Returns the region as a JPEG file from the same coded bits; undefined if that is impossible. */
  async crop(region: Rectangle, read?: ReadRange): Promise<Uint8Array | undefined> {
    const pieces = await this.cropPieces(region, read);
    return pieces && concatenate(pieces);
  }

  /** Returns the pieces of that file, the first of which is its header. */
  async cropPieces(region: Rectangle, read?: ReadRange): Promise<readonly Uint8Array[] | undefined> {
    return cropPieces(this.#jobOf(region, read), region);
  }

  /**
   * Returns the coded bits of a region, for transforms that run backwards along axes of the image; undefined
   * if that is impossible.
   */
  async cropData(region: Rectangle, backwards: Backwards): Promise<Crop | undefined> {
    return cropRegion(this.#jobOf(region), region, backwards);
  }

  /** Runs one step at a time, shared by all callers. */
  #step(): Promise<unknown> {
    this.#flight ??= this.#builder?.step().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight ?? Promise.resolve();
  }

  #decoderOf(region: Rectangle, read?: ReadRange): RegionDecoder {
    return new RegionDecoder(this.#jobOf(region, read));
  }

  #jobOf(region: Rectangle, read?: ReadRange): RegionJob {
    this.#confirm(region);
    const source = this.#source;
    return {
      engine: this.#engine(),
      tables: this.#tables,
      frame: this.frame,
      accessPoints: this.#accessPoints,
      read: read ?? ((offset, length) => source.read(offset, length)),
      borrow: read ? undefined : source.borrow,
      gap: source.gap ?? diskGap,
      resample: this.#resample,
      stored: this.#stored,
    };
  }

  /** Throws if the region is not inside the image, or cannot be decoded yet. */
  #confirm({ x, y, width, height }: Rectangle): void {
    const { frame, rows } = this;
    const inside = x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= frame.width;
    if (!inside || y + height > frame.height)
      throw new ImagingError(
        "bad-request",
        `Expected a region inside ${frame.width} by ${frame.height} pixels; received ${x},${y},${width},${height}. Ask for pixels of the image.`,
      );
    if (y + height > rows)
      throw new RangeError(`rows up to ${y + height} have no access points yet, only ${rows}`);
  }
}
