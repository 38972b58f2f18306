// JPEG files read by regions: through their sidecars, or from data made for the current job.

import { type ByteSource, createLru, ImagingError, type Lru } from "../../../../base/index.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import { type CodecHost, type SidecarAccess, type SidecarLayer, writtenByDefault } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import type { ReadRequest } from "../../plan.ts";
import { wholeFileError } from "../../whole-file.ts";
import { isProgressive, level4Scale } from "../estimates.ts";
import { mismatchError } from "../markers/header.ts";
import { createEngine, type Engine, type ResamplePlane, type ScaleFactor } from "../region/index.ts";
import { openTranscoder } from "../transcode/transcoder.ts";
import { type BuildSidecar, createBuilding } from "./building.ts";
import {
  createOpening,
  type Job,
  type Opening,
  type OpeningParts,
  type OpenJpeg,
  type TileTools,
  weightOf,
} from "./opening.ts";
import { loadLevel, useLevel } from "./zoom-levels.ts";

export type { OpenJpeg as Opened } from "./opening.ts";

/** Access by regions to the files of one host. Parsed data is cached under the id of the sidecar. */
export class JpegFiles {
  readonly #open: Lru<string, OpenJpeg>;
  readonly #parts: OpeningParts;
  readonly #opening: Opening;
  readonly #build: BuildSidecar;
  #engine: Engine | undefined;

  constructor(host: Pick<CodecHost, "wasm" | "cacheBytes">, resample: ResamplePlane, tiles: TileTools) {
    this.#open = createLru<string, OpenJpeg>(host.cacheBytes ?? writtenByDefault);
    this.#parts = {
      engine: () => (this.#engine ??= createEngine(host.wasm("jpeg-decode"))),
      transcoder: () => openTranscoder(host.wasm("jpeg-transcode")),
      resample,
      ...tiles,
    };
    this.#opening = createOpening(this.#parts);
    this.#build = createBuilding(this.#opening, this.#parts, {
      get: this.#open.get,
      remember: (id, file) => this.#remember(id, file),
      forget: this.#open.delete,
      whole: (job, header) => {
        const region = { x: 0, y: 0, width: header.width, height: header.height };
        return this.#openFor(job, { header, page: 1, region, scaleFactor: 1 });
      },
    });
  }

  /**
   * Builds the entry of a layer. `ground` has access points, and the levels at 1/8 and below; for a
   * progressive file they are those of its baseline transcode, which is written to blocks, and `overview`
   * has its level at 1/8 alone. `level4` and `level2` are written to the blocks of `access.faster`. Returns
   * an empty array for files without such a layer: damaged or unsupported ones, and transcodes that are too
   * large.
   */
  buildSidecar(
    bytes: ByteSource,
    header: ImageHeader,
    access?: SidecarAccess,
    layer: SidecarLayer = "ground",
  ): Promise<Uint8Array> {
    return this.#forgetOnError(() => this.#build({ bytes, access }, header, layer));
  }

  /**
   * Runs `use` with a file whose access points reach as far as the region needs. Throws {@link
   * wholeFileError} for a file that cannot be read by regions.
   */
  withFile<T>(
    bytes: ByteSource,
    read: ReadRequest,
    access: SidecarAccess | undefined,
    use: (file: OpenJpeg) => Promise<T>,
  ): Promise<T> {
    return this.#forgetOnError(async () => {
      const file = await this.#openFor({ bytes, access }, read);
      try {
        const made = await use(file);
        if (access) await this.#leaveEntry(file, access);
        return made;
      } catch (error) {
        if (access) this.#open.delete(access.id);
        if (error instanceof ImagingError && error.code === "header_mismatch") access?.reportLoss?.();
        throw error;
      } finally {
        file.replay?.end();
      }
    });
  }

  /** See Decoder.decode. */
  decode(file: OpenJpeg, read: ReadRequest): Promise<PixelBuffer> {
    return file.reader.decodePixels(
      read.region,
      read.scaleFactor as ScaleFactor,
      undefined,
      read.scaleFactor === level4Scale && read.halvesColour ? "stored" : "full",
    );
  }

  #remember(id: string | undefined, file: OpenJpeg): OpenJpeg {
    if (id !== undefined) this.#open.set(id, file, weightOf(file));
    return file;
  }

  /** Drops the instance after any error, since its state is then unknown. */
  async #forgetOnError<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#engine = undefined;
      throw error;
    }
  }

  /**
   * Returns a file that is open, or opens it in the cheapest possible way; undefined if it cannot be opened.
   */
  async #find(job: Job, read: ReadRequest): Promise<OpenJpeg | undefined> {
    const { id } = job.access ?? {};
    const isSmall = isProgressive(read.header) && read.scaleFactor === 8;
    const withLevels = read.scaleFactor === 8;
    const known = id === undefined ? undefined : this.#open.get(id);
    const isEnough = known?.isWhole ? !(known.lacksLevels && withLevels) : !hasLayer(job.access);
    if (known && isEnough) return known;
    const loading = this.#opening.throughSidecar(job, read.header, withLevels);
    // A known file remains in use if its layer is unavailable now.
    const stored = await (known ? loading.catch(() => undefined) : loading);
    if (stored) return this.#remember(id, stored);
    if (known) return known;
    const small = isSmall && (await this.#opening.overDcScans(job));
    if (small) return this.#remember(id, small);
    const alone = await this.#opening.alone(job, read);
    return alone && this.#remember(id, alone);
  }

  /** Makes reads of an open file use the level that the job names, if that is there. */
  async #addLevel(file: OpenJpeg, { faster }: SidecarAccess): Promise<void> {
    if (!faster || !hasLayer(faster) || file.levelIds.has(faster.id)) return;
    const stored = await loadLevel(await faster.load());
    const blocks = stored && this.#opening.inBlocks(stored.blocks, { current: file.current }, "faster");
    if (stored && blocks && useLevel(file, stored, blocks, this.#parts.coder)) file.levelIds.add(faster.id);
    else faster.reportLoss?.();
  }

  /** Leaves the entry of a layer that a job was to do without, and has made all of. */
  async #leaveEntry(file: OpenJpeg, { absent, keepEntry }: SidecarAccess): Promise<void> {
    if (!absent || !keepEntry || file.isWhole) return;
    const entry = await file.save?.();
    if (!entry) return;
    file.isWhole = true;
    await keepEntry(entry);
  }

  /** Opens a file and finds access points as far as a region needs. Throws {@link wholeFileError}. */
  async #openFor(job: Job, read: ReadRequest): Promise<OpenJpeg> {
    const { header } = read;
    const { id } = job.access ?? {};
    try {
      const file = await this.#find(job, read);
      if (!file) throw wholeFileError();
      const { width, height } = file.reader.frame;
      if (width !== header.width || height !== header.height) throw mismatchError();
      file.current.job = job;
      await indexRows(file, read);
      if (job.access) await this.#addLevel(file, job.access);
      return file;
    } catch (error) {
      // after an error, the next job opens the file again
      if (id !== undefined) this.#open.delete(id);
      throw isRefusal(error) ? wholeFileError(error) : error;
    }
  }
}

/** True if a file opened without a layer should now be opened through it. */
const hasLayer = (access: SidecarAccess | undefined) => access !== undefined && !access.absent;

/** Rows below a region, at the scale of the read, that filters and halved chroma may read. */
const marginRows = 128;

async function indexRows({ reader }: OpenJpeg, { region, scaleFactor }: ReadRequest): Promise<void> {
  const untilRow = region.y + region.height + marginRows * scaleFactor;
  if (!reader.isComplete) await reader.buildAccessPoints(scaleFactor < 8 ? untilRow : undefined);
}

/** True if the error means that a file is refused on opening; another decoder may still show it. */
const isRefusal = (error: unknown): error is ImagingError =>
  error instanceof ImagingError &&
  (error.kind === "decode" || error.kind === "unsupported") &&
  error.code !== "header_mismatch";
