// Builds the layers of the sidecar of a JPEG file.

import { cachingSink } from "../../../sidecar/block-reader.ts";
import type { SidecarLayer } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import { canHaveSidecar, isProgressive, type ZoomLevel } from "../estimates.ts";
import type { Job, Opening, OpeningParts, OpenJpeg } from "./opening.ts";
import { saveParts } from "./parts.ts";
import { makeSmallerLevels } from "./smaller-levels.ts";
import { buildLevel } from "./zoom-levels.ts";

/** Files that reads have opened. A build continues with them, and leaves its results in them. */
export interface OpenFiles {
  get(id: string): OpenJpeg | undefined;
  remember(id: string, file: OpenJpeg): void;
  forget(id: string): void;
  /** Opens a file through its layer, or alone, with the access points of the whole image. */
  whole(job: Job, header: ImageHeader): Promise<OpenJpeg>;
}

const nothing = new Uint8Array();

/** Builds the entry of a layer; it is empty for files that cannot have one. */
export type BuildSidecar = (job: Job, header: ImageHeader, layer: SidecarLayer) => Promise<Uint8Array>;

export function createBuilding(
  opening: Opening,
  { resample, coder, cache }: OpeningParts,
  files: OpenFiles,
): BuildSidecar {
  const ofSequential = async (job: Job): Promise<Uint8Array> => {
    const { access } = job;
    const known = access && files.get(access.id);
    const file = known && !known.isWhole ? known : await opening.sequential(job);
    if (!file) return nothing;
    try {
      file.current.job = job;
      await file.reader.buildAccessPoints();
    } catch (error) {
      if (access) files.forget(access.id);
      throw error;
    }
    const entry = (await file.save?.()) ?? nothing;
    if (entry.length > 0) file.isWhole = true;
    if (access) files.remember(access.id, file);
    return entry;
  };

  /** Builds the transcode of a progressive file, with the access points of the transcode. */
  const ofProgressive = async ({ bytes, access }: Job): Promise<Uint8Array> => {
    if (!access?.blocks) return nothing;
    const made = await opening.transcoded(bytes, cachingSink(cache, access.blocks), true);
    return made
      ? saveParts({ ...made.parts, smallerLevels: makeSmallerLevels(made.planes, resample) })
      : nothing;
  };

  const ofLevel = async (job: Job, header: ImageHeader, level: ZoomLevel): Promise<Uint8Array> => {
    const { access } = job;
    const blocks = access?.faster?.blocks;
    if (!blocks) return nothing;
    const file = await files.whole({ ...job, access: { ...access, faster: undefined } }, header);
    try {
      return file.damaged ? nothing : await buildLevel(level, file, { resample, coder }, blocks);
    } finally {
      file.replay?.end();
    }
  };

  return async (job, header, layer) => {
    const { bytes, access } = job;
    if (layer === "level4" || layer === "level2") return ofLevel(job, header, layer);
    const room = layer === "overview" ? Number.POSITIVE_INFINITY : (access?.blocks?.room ?? 0);
    if (!canHaveSidecar(header, bytes.size ?? 0, room)) return nothing;
    if (layer === "overview") return (await (await opening.overDcScans(job))?.save?.()) ?? nothing;
    return isProgressive(header) ? ofProgressive(job) : ofSequential(job);
  };
}
