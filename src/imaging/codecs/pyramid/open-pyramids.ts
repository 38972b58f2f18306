// Sidecars that are open: the indexes of their layers stay in memory.

import { createLru } from "../../../base/index.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { BlockCache } from "../../sidecar/block-reader.ts";
import { bytesOf, readEntry } from "../../sidecar/entry.ts";
import type { TileCoder } from "../../sidecar/tiles/tile-coder.ts";
import type { SidecarAccess } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import type { ReadRequest } from "../plan.ts";
import { levelSizes, overviewLevel, partOf } from "./levels.ts";
import { openPyramid, readPyramid, type StoredPyramid } from "./read.ts";

/** Maximum bytes of the indexes that stay in memory. */
const cacheBytes = 8 * 2 ** 20;

interface Open {
  readonly pyramid: StoredPyramid;
  /** Number of its first level. */
  readonly lowest: number;
  /** Access of the job that reads it. */
  readonly current: { access: SidecarAccess };
}

/** The open sidecars of one host. */
export class OpenPyramids {
  readonly #open = createLru<string, Open>(cacheBytes);
  readonly #coder: TileCoder;
  /** Blocks of all sidecars of the host. */
  readonly #cache: BlockCache;

  constructor(coder: TileCoder, cache: BlockCache) {
    this.#coder = coder;
    this.#cache = cache;
  }

  has(id: string): boolean {
    return this.#open.get(id) !== undefined;
  }

  /** Opens the layer in an entry; undefined if it is damaged, or belongs to another image. */
  async add(
    entry: Uint8Array,
    access: SidecarAccess,
    header: ImageHeader,
    lowestStored: 0 | 1,
  ): Promise<Open | undefined> {
    const parts = readEntry(entry);
    const layer = parts?.has("overview") ? "overview" : "pyramid";
    const part = parts?.get(`${layer}Index`);
    const list = parts?.get(layer)?.blocks;
    const index = part && (await bytesOf(part));
    if (!list || !index) return undefined;
    const current = { access };
    const blocks = this.#cache.reader(list, {
      current: () => current.access.blocks,
      onLost: () => current.access.reportLoss?.(),
    });
    const lowest = layer === "overview" ? overviewLevel(header) : lowestStored;
    // The part of an entry keeps all of its memory.
    const pyramid = openPyramid(levelSizes(header).slice(lowest), index.slice(), blocks);
    const opened = pyramid && { pyramid, lowest, current };
    if (opened) this.#open.set(access.id, opened, index.length + 4096);
    return opened;
  }

  /** Returns a region from a layer; undefined if that is missing, lost or damaged, which is reported. */
  async read(
    { header, region, scaleFactor }: ReadRequest,
    lowestStored: 0 | 1,
    access?: SidecarAccess,
  ): Promise<PixelBuffer | undefined> {
    const level = Math.log2(scaleFactor);
    if (!access || level < lowestStored) return undefined;
    const known = this.#open.get(access.id);
    if (!known && access.absent) return undefined;
    const opened = known ?? (await this.add(await access.load(), access, header, lowestStored));
    if (opened) opened.current.access = access;
    const pixels =
      opened && level >= opened.lowest
        ? await readPyramid(opened.pyramid, header, partOf(region, level), level - opened.lowest, this.#coder)
        : undefined;
    if (pixels) return pixels;
    this.#open.delete(access.id);
    access.reportLoss?.();
    return undefined;
  }
}
