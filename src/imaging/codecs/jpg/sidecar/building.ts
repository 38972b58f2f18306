// Builds the sidecar of a JPEG file.

import { blockSource } from "../../../sidecar/block-reader.ts";
import { type BlockList, type BlockSink, endOfBlocks } from "../../../sidecar/blocks.ts";
import type { SidecarAccess, SidecarBlocks } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import { buildsLevel2, buildsLevel4, canHaveSidecar, isProgressive } from "../estimates.ts";
import { mismatch } from "../markers/header.ts";
import { halvedRows } from "../planes/planes.ts";
import { level8Size, openJpeg } from "../region/index.ts";
import { writeLevel2 } from "./level2.ts";
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

/** Levels that a build makes in addition to those at 1/8 and below. */
interface Levels {
  readonly withLevel4: boolean;
  readonly withLevel2: boolean;
}

const nothing = new Uint8Array();

/** Builds the entry of a sidecar; it is empty for files that cannot have one. */
export type BuildSidecar = (job: Job, header: ImageHeader) => Promise<Uint8Array>;

export function createBuilding(
  opening: Opening,
  { engine, resample, cache, coder }: OpeningParts,
  files: OpenFiles,
): BuildSidecar {
  /**
   * Makes the level at 1/2 from an open file; undefined for colours whose derivatives are not made from
   * planes.
   */
  const level2Of = async (file: OpenJpeg, { room, keep }: SidecarBlocks, first: number) => {
    const { frame } = file.reader;
    if (frame.colour !== "ycc" && frame.colour !== "gray") return undefined;
    const rowsOf = (top: number, rows: number) => halvedRows(file, top, rows, resample);
    return writeLevel2(frame, rowsOf, coder, { room, keep }, first);
  };

  /**
   * Makes the level at 1/2 when all other parts are made. Reads may use these meanwhile, since it takes
   * longer than all of them.
   */
  const level2After = async (
    parts: JpegParts,
    file: OpenJpeg,
    access: SidecarAccess | undefined,
    first: number,
  ) => {
    if (!access?.blocks || !access.keepEntry) return undefined;
    await access.keepEntry(await saveParts(parts));
    return level2Of(file, access.blocks, first);
  };

  /**
   * Returns the entry of a sequential file. A level at 1/4 is written to blocks, and then read from there.
   */
  const saveSequential = async (
    file: OpenJpeg,
    accessPoints: Uint8Array,
    access: SidecarAccess | undefined,
    withLevel2: boolean,
  ) => {
    const { frame, level4: planes, level8 = [] } = file.reader;
    const level4 = planes && access?.blocks && (await planesToBlocks(planes, access.blocks, 0));
    if (level4) opening.readLevel4From(file, opening.inBlocks(level4, { current: file.current }));
    const planesAt8 = level8.map((data, component) => ({ data, ...level8Size(frame, component) }));
    const smallerLevels = makeSmallerLevels(planesAt8, resample);
    file.smallerLevels = readSmallerLevels(frame, smallerLevels);
    const parts = { accessPoints, level8, smallerLevels, transcode: undefined, level4, level2: undefined };
    const first = level4 ? endOfBlocks(level4) : 0;
    const level2 = withLevel2 ? await level2After(parts, file, access, first) : undefined;
    if (level2) opening.readLevel2From(file, level2);
    file.isWhole = true;
    return saveParts({ ...parts, level2 });
  };

  const ofSequential = async (job: Job, { withLevel4, withLevel2 }: Levels): Promise<Uint8Array> => {
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
    const entry = accessPoints ? await saveSequential(file, accessPoints, access, withLevel2) : nothing;
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
  const level4Of = async (file: OpenJpeg, transcode: BlockList, blocks: SidecarBlocks) => {
    const source = blockSource(opening.inBlocks(transcode, file), mismatch);
    const options = { resample, level8Limit: 0, level4Limit: Number.POSITIVE_INFINITY };
    const reader = await openJpeg(engine, source, options);
    await reader?.buildAccessPoints();
    return reader?.level4 && (await planesToBlocks(reader.level4, blocks, endOfBlocks(transcode)));
  };

  /** Returns the parts with the levels at 1/4 and 1/2 of a progressive file, made from its transcode. */
  const levelsOf = async (
    job: Job,
    parts: JpegParts,
    blocks: SidecarBlocks,
    { withLevel4, withLevel2 }: Levels,
  ): Promise<JpegParts> => {
    const { transcode } = parts;
    if (!transcode || (!withLevel4 && !withLevel2)) return parts;
    const file = await opening.overTranscode(job, parts, transcode, false);
    if (!file?.replay) return parts;
    try {
      const level4 = withLevel4 ? await level4Of(file, transcode, blocks) : undefined;
      const made = { ...parts, level4 };
      const end = endOfBlocks(level4 ?? transcode);
      return { ...made, level2: withLevel2 ? await level2After(made, file, job.access, end) : undefined };
    } finally {
      file.replay.end();
    }
  };

  /** Builds the entry of a progressive file: its transcode, with the access points of the transcode. */
  const ofProgressive = async (job: Job, levels: Levels): Promise<Uint8Array> => {
    const { bytes, access } = job;
    if (!access?.blocks) return nothing;
    const isReadAgain = levels.withLevel4 || levels.withLevel2;
    const sink = isReadAgain ? remembering(access.blocks) : access.blocks;
    const made = await opening.transcoded(bytes, sink, true);
    if (!made) return nothing;
    const { parts, planes } = made;
    const all = { ...parts, smallerLevels: makeSmallerLevels(planes, resample) };
    return saveParts(await levelsOf(job, all, access.blocks, levels));
  };

  return async (job, header) => {
    const { bytes, access } = job;
    if (!canHaveSidecar(header, bytes.size ?? 0, access?.blocks?.room ?? 0)) return nothing;
    const levels = {
      withLevel4: buildsLevel4(header, bytes.size, access),
      withLevel2: buildsLevel2(header, bytes.size, access),
    };
    return isProgressive(header) ? ofProgressive(job, levels) : ofSequential(job, levels);
  };
}
