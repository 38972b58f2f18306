// Builds the sidecar of a JPEG file.

import { blockSource } from "../../../sidecar/block-reader.ts";
import { type BlockList, type BlockSink, endOfBlocks } from "../../../sidecar/blocks.ts";
import type { SidecarAccess, SidecarBlocks } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import { buildsLevel4, canHaveSidecar, isProgressive } from "../estimates.ts";
import { mismatch } from "../markers/header.ts";
import { level8Size, openJpeg } from "../region/index.ts";
import { planesToBlocks } from "./levels.ts";
import type { Job, Opening, OpeningParts, OpenJpeg } from "./opening.ts";
import { type JpegParts, saveParts } from "./parts.ts";
import { makeSmallerLevels, readSmallerLevels } from "./smaller-levels.ts";

/** Files that reads have opened. A build continues with them, and leaves its results in them. */
export interface OpenFiles {
  get(id: string): OpenJpeg | undefined;
  remember(id: string, file: OpenJpeg): void;
  forget(id: string): void;
}

const nothing = new Uint8Array();

/** Builds the entry of a sidecar; it is empty for files that cannot have one. */
export type BuildSidecar = (job: Job, header: ImageHeader) => Promise<Uint8Array>;

export function createBuilding(
  opening: Opening,
  { engine, resample, cache }: OpeningParts,
  files: OpenFiles,
): BuildSidecar {
  /**
   * Returns the entry of a sequential file. A level at 1/4 is written to blocks, and then read from there.
   */
  const saveSequential = async (
    file: OpenJpeg,
    accessPoints: Uint8Array,
    access: SidecarAccess | undefined,
  ) => {
    const { frame, level4: planes, level8 = [] } = file.reader;
    const level4 = planes && access?.blocks && (await planesToBlocks(planes, access.blocks, 0));
    if (level4) opening.readLevel4From(file, opening.inBlocks(level4, { current: file.current }));
    const planesAt8 = level8.map((data, component) => ({ data, ...level8Size(frame, component) }));
    const smallerLevels = makeSmallerLevels(planesAt8, resample);
    file.smallerLevels = readSmallerLevels(frame, smallerLevels);
    file.isWhole = true;
    return saveParts({ accessPoints, level8, smallerLevels, transcode: undefined, level4 });
  };

  const ofSequential = async (job: Job, withLevel4: boolean): Promise<Uint8Array> => {
    const { access } = job;
    const known = access && files.get(access.id);
    const goesOn = known && !known.isWhole && (!withLevel4 || known.reader.buildsLevel4);
    const file = goesOn ? known : await opening.sequential(job, withLevel4);
    if (!file) return nothing;
    try {
      file.current.job = job;
      await file.reader.buildAccessPoints();
    } catch (error) {
      if (access) files.forget(access.id);
      throw error;
    }
    const accessPoints = file.damaged ? undefined : file.reader.saveAccessPoints();
    const entry = accessPoints ? await saveSequential(file, accessPoints, access) : nothing;
    if (access) files.remember(access.id, file);
    return entry;
  };

  /** Returns a sink that also caches the blocks in this worker, since they are read again in a moment. */
  const remembering = ({ room, keep }: SidecarBlocks): BlockSink => ({
    room,
    async keep(number, block, digest) {
      cache.add(block.slice(), digest);
      await keep(number, block);
    },
  });

  /** Makes the level at 1/4 of a progressive file from its transcode; undefined if there is no room. */
  const level4Of = async (job: Job, parts: JpegParts, transcode: BlockList) => {
    const file = await opening.overTranscode(job, parts, transcode, false);
    if (!file?.replay) return undefined;
    const source = blockSource(opening.inBlocks(transcode, file), mismatch);
    const options = { resample, level8Limit: 0, level4Limit: Number.POSITIVE_INFINITY };
    try {
      const reader = await openJpeg(engine, source, options);
      await reader?.buildAccessPoints();
      const blocks = job.access?.blocks;
      return (
        reader?.level4 && blocks && (await planesToBlocks(reader.level4, blocks, endOfBlocks(transcode)))
      );
    } finally {
      file.replay.end();
    }
  };

  /** Builds the entry of a progressive file: its transcode, with the access points of the transcode. */
  const ofProgressive = async (job: Job, withLevel4: boolean): Promise<Uint8Array> => {
    const { bytes, access } = job;
    if (!access?.blocks) return nothing;
    const made = await opening.transcoded(
      bytes,
      withLevel4 ? remembering(access.blocks) : access.blocks,
      true,
    );
    if (!made) return nothing;
    const { transcode } = made.parts;
    const level4 = withLevel4 && transcode ? await level4Of(job, made.parts, transcode) : undefined;
    return saveParts({ ...made.parts, smallerLevels: makeSmallerLevels(made.planes, resample), level4 });
  };

  return async (job, header) => {
    const { bytes, access } = job;
    if (!canHaveSidecar(header, bytes.size ?? 0, access?.blocks?.room ?? 0)) return nothing;
    const withLevel4 = buildsLevel4(header, bytes.size, access);
    return isProgressive(header) ? ofProgressive(job, withLevel4) : ofSequential(job, withLevel4);
  };
}
