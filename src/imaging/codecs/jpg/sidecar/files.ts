// JPEG files read by regions: through their sidecars, or from data made for the current job.

import { type ByteSource, createLru, ImagingError } from "../../../../base/index.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import { type CodecHost, type SidecarAccess, type SidecarLayer, writtenByDefault } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import type { ReadRequest } from "../../plan.ts";
import { wholeFileError } from "../../whole-file.ts";
import { isProgressive, level4Scale } from "../estimates.ts";
import { mismatchError } from "../markers/header.ts";
import { createEngine, type Engine, type ResamplePlane, type ScaleFactor } from "../region/index.ts";
import { openTranscoder } from "../transcode/transcoder.ts";
import { createBuilding } from "./building.ts";
import { createOpening, type Job, type OpenJpeg, type TileTools, weightOf } from "./opening.ts";
import { loadLevel, useLevel } from "./zoom-levels.ts";

export type { OpenJpeg as Opened } from "./opening.ts";

/** Creates access by regions to the files of one host. Parsed data is cached under the id of the sidecar. */
export function jpegFiles(
  host: Pick<CodecHost, "wasm" | "cacheBytes">,
  resample: ResamplePlane,
  tiles: TileTools,
) {
  const open = createLru<string, OpenJpeg>(host.cacheBytes ?? writtenByDefault);
  let engine: Engine | undefined;
  const parts = {
    engine: () => (engine ??= createEngine(host.wasm("jpeg-decode"))),
    transcoder: () => openTranscoder(host.wasm("jpeg-transcode")),
    resample,
    ...tiles,
  };
  const recall = (id: string | undefined) => (id === undefined ? undefined : open.get(id));
  const remember = (id: string | undefined, file: OpenJpeg): OpenJpeg => {
    if (id !== undefined) open.set(id, file, weightOf(file));
    return file;
  };
  const opening = createOpening(parts);

  /** Drops the instance after any error, since its state is then unknown. */
  const forgetOnError = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      engine = undefined;
      throw error;
    }
  };

  /**
   * Returns a file that is open, or opens it in the cheapest possible way; undefined if it cannot be opened.
   */
  const find = async (job: Job, read: ReadRequest): Promise<OpenJpeg | undefined> => {
    const { id } = job.access ?? {};
    const isSmall = isProgressive(read.header) && read.scaleFactor === 8;
    const withLevels = read.scaleFactor === 8;
    const known = recall(id);
    const isEnough = known?.isWhole ? !(known.lacksLevels && withLevels) : !hasLayer(job.access);
    if (known && isEnough) return known;
    const loading = opening.throughSidecar(job, read.header, withLevels);
    // A known file remains in use if its layer is unavailable now.
    const stored = await (known ? loading.catch(() => undefined) : loading);
    if (stored) return remember(id, stored);
    if (known) return known;
    const small = isSmall && (await opening.overDcScans(job));
    if (small) return remember(id, small);
    const alone = await opening.alone(job, read);
    return alone && remember(id, alone);
  };

  /** Makes reads of an open file use the level that the job names, if that is there. */
  const addLevel = async (file: OpenJpeg, { faster }: SidecarAccess): Promise<void> => {
    if (!faster || !hasLayer(faster) || file.levelIds.has(faster.id)) return;
    const stored = await loadLevel(await faster.load());
    const blocks = stored && opening.inBlocks(stored.blocks, { current: file.current }, "faster");
    if (stored && blocks && useLevel(file, stored, blocks, parts.coder)) file.levelIds.add(faster.id);
    else faster.reportLoss?.();
  };

  /** Leaves the entry of a layer that a job was to do without, and has made all of. */
  const leaveEntry = async (file: OpenJpeg, { absent, keepEntry }: SidecarAccess): Promise<void> => {
    if (!absent || !keepEntry || file.isWhole) return;
    const entry = await file.save?.();
    if (!entry) return;
    file.isWhole = true;
    await keepEntry(entry);
  };

  /** Opens a file and finds access points as far as a region needs. Throws {@link wholeFileError}. */
  const openFor = async (job: Job, read: ReadRequest): Promise<OpenJpeg> => {
    const { header } = read;
    const { id } = job.access ?? {};
    try {
      const file = await find(job, read);
      if (!file) throw wholeFileError();
      const { width, height } = file.reader.frame;
      if (width !== header.width || height !== header.height) throw mismatchError();
      file.current.job = job;
      await indexRows(file, read);
      if (job.access) await addLevel(file, job.access);
      return file;
    } catch (error) {
      // after an error, the next job opens the file again
      if (id !== undefined) open.delete(id);
      throw isRefusal(error) ? wholeFileError(error) : error;
    }
  };

  const build = createBuilding(opening, parts, {
    get: open.get,
    remember,
    forget: open.delete,
    whole(job, header) {
      const region = { x: 0, y: 0, width: header.width, height: header.height };
      return openFor(job, { header, page: 1, region, scaleFactor: 1 });
    },
  });

  return {
    /**
     * Builds the entry of a layer. `ground` has access points, and the levels at 1/8 and below; for a
     * progressive file they are those of its baseline transcode, which is written to blocks, and `overview`
     * has its level at 1/8 alone. `level4` and `level2` are written to the blocks of `access.faster`. Returns
     * an empty array for files without such a layer: damaged or unsupported ones, and transcodes that are too
     * large.
     */
    buildSidecar: (
      bytes: ByteSource,
      header: ImageHeader,
      access?: SidecarAccess,
      layer: SidecarLayer = "ground",
    ): Promise<Uint8Array> => forgetOnError(() => build({ bytes, access }, header, layer)),

    /**
     * Runs `use` with a file whose access points reach as far as the region needs. Throws {@link
     * wholeFileError} for a file that cannot be read by regions.
     */
    withFile: <T>(
      bytes: ByteSource,
      read: ReadRequest,
      access: SidecarAccess | undefined,
      use: (file: OpenJpeg) => Promise<T>,
    ): Promise<T> =>
      forgetOnError(async () => {
        const file = await openFor({ bytes, access }, read);
        try {
          const made = await use(file);
          if (access) await leaveEntry(file, access);
          return made;
        } catch (error) {
          if (access) open.delete(access.id);
          if (error instanceof ImagingError && error.code === "header_mismatch") access?.reportLoss?.();
          throw error;
        } finally {
          file.replay?.end();
        }
      }),

    /** See Decoder.decode. */
    decode: (file: OpenJpeg, read: ReadRequest): Promise<PixelBuffer> =>
      file.reader.decodePixels(
        read.region,
        read.scaleFactor as ScaleFactor,
        undefined,
        read.scaleFactor === level4Scale && read.halvesColour ? "stored" : "full",
      ),
  };
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
