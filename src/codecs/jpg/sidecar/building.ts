// Building the sidecar of a JPEG file, and adding to one that there is.

import type { SidecarAccess, SidecarBlocks } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import { blockSource } from "../../sidecar/block-reader.ts";
import { type BlockList, endOfBlocks } from "../../sidecar/blocks.ts";
import { canHaveSidecar, isProgressive, level4LimitOf } from "../estimates.ts";
import { mismatch } from "../markers/header.ts";
import { level8Size, openJpeg } from "../region/index.ts";
import { planesToBlocks } from "./levels.ts";
import type { Job, Opened, Opening, OpeningParts } from "./opening.ts";
import { type JpegParts, loadParts, saveParts } from "./parts.ts";
import { makeSmallerLevels, readSmallerLevels } from "./smaller-levels.ts";

/** Files that reads have opened: a build goes on from what they have made, and leaves what it makes to them. */
export interface OpenFiles {
  get(id: string): Opened | undefined;
  remember(id: string, file: Opened): void;
  forget(id: string): void;
}

const nothing = new Uint8Array();

/** Makes the entry of a sidecar; empty for files of which none can be kept. */
export type BuildSidecar = (job: Job, header: ImageHeader) => Promise<Uint8Array>;

export function createBuilding(
  opening: Opening,
  { engine, resample }: OpeningParts,
  files: OpenFiles,
): BuildSidecar {
  /** The entry of a sequential file; a level at 1/4 goes into blocks where it is asked for, and is read from there. */
  const saveSequential = async (
    file: Opened,
    accessPoints: Uint8Array,
    access: SidecarAccess | undefined,
  ) => {
    const { frame, level4: planes, level8 = [] } = file.reader;
    const blocks = access?.allParts ? access.blocks : undefined;
    const level4 = planes && blocks && (await planesToBlocks(planes, blocks, 0));
    if (level4) opening.readLevel4From(file, opening.inBlocks(level4, { current: file.current }));
    const planesAt8 = level8.map((data, component) => ({ data, ...level8Size(frame, component) }));
    const smallerLevels = makeSmallerLevels(planesAt8, resample);
    file.smallerLevels = readSmallerLevels(frame, smallerLevels);
    return saveParts({ accessPoints, level8, smallerLevels, transcode: undefined, level4 });
  };

  const ofSequential = async (job: Job): Promise<Uint8Array> => {
    const { access } = job;
    const known = access && files.get(access.id);
    const allParts = access?.allParts === true;
    const goesOn = known && !known.loaded && (!allParts || known.reader.buildsLevel4);
    const file = goesOn ? known : await opening.sequential(job, allParts);
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

  /** The entry with a level at 1/4 added, which is made of the transcode, where there is room. */
  const withLevel4 = async (
    job: Job,
    entry: Uint8Array,
    parts: JpegParts,
    transcode: BlockList,
    blocks: SidecarBlocks,
  ) => {
    const file = await opening.overTranscode(job, parts, transcode, false);
    if (!file?.replay) return nothing;
    const source = blockSource(opening.inBlocks(transcode, file), mismatch);
    const options = { resample, level8Limit: 0, level4Limit: level4LimitOf(transcode.size) };
    try {
      const reader = await openJpeg(engine, source, options);
      await reader?.buildAccessPoints();
      const first = endOfBlocks(transcode);
      const level4 = reader?.level4 && (await planesToBlocks(reader.level4, blocks, first));
      return level4 ? await saveParts({ ...parts, level4 }) : entry;
    } finally {
      file.replay.end();
    }
  };

  /** Of a progressive file: its transcode, with the access points of that. */
  const ofProgressive = async (job: Job): Promise<Uint8Array> => {
    const { bytes, access } = job;
    if (!access?.blocks) return nothing;
    const entry = access.allParts ? await access.load() : nothing;
    const parts = await loadParts(entry);
    if (parts?.transcode) return withLevel4(job, entry, parts, parts.transcode, access.blocks);
    const made = await opening.transcoded(bytes, access.blocks, true);
    return made
      ? saveParts({ ...made.parts, smallerLevels: makeSmallerLevels(made.planes, resample) })
      : nothing;
  };

  return async (job, header) => {
    if (!canHaveSidecar(header, job.bytes.size ?? 0, job.access?.blocks?.room ?? 0)) return nothing;
    return isProgressive(header) ? ofProgressive(job) : ofSequential(job);
  };
}
