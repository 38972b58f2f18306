// JPEG files read by regions: through their sidecars, or from data made for the current job.

import { ImagingError } from "../../../errors.ts";
import type { ByteSource } from "../../../lib/byte-source.ts";
import { createLru } from "../../../lib/lru.ts";
import type { PixelBuffer } from "../../../pipeline/pixels.ts";
import { type CodecHost, keptByDefault, type SidecarAccess } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import type { ReadRequest } from "../../plan.ts";
import { wholeFileError } from "../../whole-file.ts";
import { isProgressive, level4Scale } from "../estimates.ts";
import { mismatch } from "../markers/header.ts";
import { createEngine, type Engine, type ResamplePlane, type ScaleFactor } from "../region/index.ts";
import { openTranscoder } from "../transcode/transcoder.ts";
import { createBuilding } from "./building.ts";
import { createOpening, type Job, type OpenJpeg, type TileTools, weightOf } from "./opening.ts";

export type { OpenJpeg as Opened } from "./opening.ts";

/** Creates access by regions to the files of one host. Parsed data is cached under the id of the sidecar. */
export function jpegFiles(
  host: Pick<CodecHost, "wasm" | "keptBytes">,
  resample: ResamplePlane,
  tiles: TileTools,
) {
  const open = createLru<string, OpenJpeg>(host.keptBytes ?? keptByDefault);
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
  const build = createBuilding(opening, parts, { get: open.get, remember, forget: open.delete });

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
    /** Key of a file opened over its DC scans only, which show it at 1/8 and smaller. */
    const smallId = isSmall && id !== undefined ? `${id}\0eighth` : undefined;
    const withLevels = read.scaleFactor === 8;
    const known = recall(id) ?? recall(smallId);
    const isEnough = known?.isWhole ? !(known.lacksLevels && withLevels) : !hasSidecar(job);
    if (known && isEnough) return known;
    const loading = opening.throughSidecar(job, read.header, withLevels);
    // A known file remains in use if its sidecar is unavailable now.
    const stored = await (known ? loading.catch(() => undefined) : loading);
    if (stored) return remember(id, stored);
    if (known) return known;
    const small = isSmall && (await opening.overDcScans(job));
    if (small) return remember(smallId, small);
    const alone = await opening.alone(job, read);
    return alone && remember(id, alone);
  };

  /** Opens a file and finds access points as far as a region needs. Throws {@link wholeFileError}. */
  const openFor = async (job: Job, read: ReadRequest): Promise<OpenJpeg> => {
    const { header } = read;
    const { id } = job.access ?? {};
    try {
      const file = await find(job, read);
      if (!file) throw wholeFileError();
      const { width, height } = file.reader.frame;
      if (width !== header.width || height !== header.height) throw mismatch();
      file.current.job = job;
      await indexedTo(file, read);
      return file;
    } catch (error) {
      // after an error, the next job opens the file again
      if (id !== undefined) open.delete(id);
      throw isRefusal(error) ? wholeFileError(error) : error;
    }
  };

  return {
    /**
     * Builds the entry of a file's sidecar: access points, and the levels at 1/8 and below. For a progressive
     * file they are those of its baseline transcode, which is written to blocks. The level at 1/4 is also
     * written to blocks if memory and room allow it. Returns an empty array for files without a sidecar:
     * damaged or unsupported ones, and transcodes that are too large.
     */
    buildSidecar: (bytes: ByteSource, header: ImageHeader, access?: SidecarAccess): Promise<Uint8Array> =>
      forgetOnError(() => build({ bytes, access }, header)),

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
          return await use(file);
        } catch (error) {
          if (access) open.delete(access.id);
          if (error instanceof ImagingError && error.code === "header_mismatch") access?.reportLoss?.();
          throw error;
        } finally {
          file.replay?.end();
        }
      }),

    /** See Codec.decode. */
    decode: (file: OpenJpeg, read: ReadRequest): Promise<PixelBuffer> =>
      file.reader.decodePixels(
        read.region,
        read.scaleFactor as ScaleFactor,
        undefined,
        read.scaleFactor === level4Scale && read.halvesColour ? "stored" : "full",
      ),
  };
}

/** True if a file opened without a sidecar should now be opened through it. */
const hasSidecar = ({ access }: Job) => access !== undefined && !access.absent;

/** Rows below a region, at the scale of the read, that filters and halved chroma may read. */
const marginRows = 128;

async function indexedTo({ reader }: OpenJpeg, { region, scaleFactor }: ReadRequest): Promise<void> {
  const untilRow = region.y + region.height + marginRows * scaleFactor;
  if (!reader.isComplete) await reader.buildAccessPoints(scaleFactor < 8 ? { untilRow } : {});
}

/** True if the error means that a file is refused on opening; another decoder may still show it. */
const isRefusal = (error: unknown): error is ImagingError =>
  error instanceof ImagingError &&
  (error.kind === "decode" || error.kind === "unsupported") &&
  error.code !== "header_mismatch";
