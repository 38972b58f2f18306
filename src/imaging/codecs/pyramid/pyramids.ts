// The parts of a codec whose format has no access to regions: it decodes rows, and its sidecar is a pyramid.

import { type ByteSource, createLru, ImagingError, type Size } from "../../../base/index.ts";
import { type BlockCache, cachingSink } from "../../sidecar/block-reader.ts";
import { bytesOf, readEntry } from "../../sidecar/entry.ts";
import type { TileCoder } from "../../sidecar/tiles/tile-coder.ts";
import { tileSide } from "../../sidecar/tiles/tile-index.ts";
import type {
  Decoded,
  Decoder,
  SidecarAccess,
  SidecarBlocks,
  SidecarLayer,
  SidecarUse,
  TakeRows,
} from "../codec.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import { partsOf } from "../parts.ts";
import type { MasterPage, ReadRequest } from "../plan.ts";
import { wholeFileError } from "../whole-file.ts";
import { buildPyramid } from "./build.ts";
import { atLevel, changedAreaOf, commonPart, drawnArea, drawnPartOf, onBackground } from "./drawn.ts";
import type { Resize } from "./halver.ts";
import { levelSizes, overviewLevel, partOf } from "./levels.ts";
import { openPyramid, readPyramid, type StoredPyramid } from "./read.ts";
import { collectRows, type DecodeRows, decodeLevel, type RowsMaster, rowsOf } from "./rows.ts";
import { decodeOnce, type WholeFormat } from "./whole.ts";

/**
 * What is estimated of a format without access to regions. Regions are those of the drawn area (`drawn.ts`),
 * if the file draws on a part of the image alone.
 */
interface FormatEstimates {
  /** Returns the estimated peak bytes of `decodeRows`, without the rows themselves. */
  memory(header: ImageHeader, region: Rectangle, fileSize: number): number;
  /** Returns the nanoseconds of decoding per pixel, as measured with photographs on a server's processor. */
  nsPerPixel(header: ImageHeader): number;
}

interface DecodedByRows {
  readonly decodeRows: DecodeRows;
  /** Returns the full-size pixels that have to be decoded for a region. */
  pixelsFor(read: Pick<ReadRequest, "header" | "region" | "page">): number;
  /**
   * Returns 1 for images whose file is as good as a pyramid at full size, so that their sidecar begins with
   * the first half; 0, the default, for all others.
   */
  lowestLevel?(header: ImageHeader): 0 | 1;
}

/** A format whose pixels arrive in rows, or all together. */
export type RowFormat = FormatEstimates & (DecodedByRows | WholeFormat);

export type PyramidParts = Required<
  Pick<Decoder, "memory" | "decodedPixels" | "decode" | "rows" | "scales" | "sidecar">
>;

export interface PyramidTools {
  readonly resize: Resize;
  readonly coder: TileCoder;
  /** Blocks of all sidecars of the host. */
  readonly cache: BlockCache;
  /** Bytes of a decoded image that may stay in memory for the job that follows. */
  readonly wholeCacheBytes: number;
}

/** Minimum number of pixels of an image with a sidecar: smaller ones are decoded quickly. */
const leastPixels = 1 << 20;
/** Usual ratio of the bytes of all levels to those of the image's samples. */
const usualRatio = 0.7;
/** Full-size rows that take as much memory as those that halving holds of all levels. */
const heldRows = 320;
/** Full-size rows that take as much memory as a build, which also holds a row of tiles of each level. */
const heldByBuild = 1024;
/** Nanoseconds per pixel of making and coding all levels, and of making an overview. */
const buildNs = { pyramid: 6, overview: 3 } as const;
/** Copies of the largest level of an overview that a read holds while it makes it. */
const heldOfOverview = 2;
/** Maximum bytes of the indexes that stay in memory. */
const cacheBytes = 8 * 2 ** 20;

/** Returns the bytes that a job holds of an overview that it makes. */
const overviewBytes = (header: ImageHeader) =>
  heldOfOverview * pixelsOf(levelSizes(header)[overviewLevel(header)]!) * sampleBytes(header);
const wholeRegionOf = ({ width, height }: Size): Rectangle => ({ x: 0, y: 0, width, height });
const sampleBytes = ({ bands, depth }: ImageHeader) => bands * (depth / 8);
const pixelsOf = ({ width, height }: Size) => width * height;

/** Maximum width of an image with a sidecar: rows of a build are resampled as a whole. */
const maxWidth = 2 ** 18;

/** Minimum number of pixels of the drawn area for a sidecar, if the file draws on part of the image only. */
const leastDrawn = 1 << 25;

/** True if images with this header have a sidecar. */
export const hasPyramid = (header: ImageHeader) =>
  !header.unsupported &&
  header.bands <= 4 &&
  header.width <= maxWidth &&
  pixelsOf(drawnArea(header)) >= (drawnPartOf(header) ? leastDrawn : leastPixels);

interface Open {
  readonly pyramid: StoredPyramid;
  /** Number of its first level. */
  readonly lowest: number;
  /** Access of the job that reads it. */
  readonly current: { access: SidecarAccess };
}

/** Creates a function that makes the parts of a codec from its way to decode rows. */
export function createPyramids({ resize, coder, cache, wholeCacheBytes }: PyramidTools) {
  const known = createLru<string, Open>(cacheBytes);

  /** Opens the layer in an entry; undefined if it is damaged, or belongs to another image. */
  const openEntry = async (
    entry: Uint8Array,
    access: SidecarAccess,
    header: ImageHeader,
    lowestStored: 0 | 1,
  ): Promise<Open | undefined> => {
    const parts = readEntry(entry);
    const layer = parts?.has("overview") ? "overview" : "pyramid";
    const part = parts?.get(`${layer}Index`);
    const list = parts?.get(layer)?.blocks;
    const index = part && (await bytesOf(part));
    if (!list || !index) return undefined;
    const current = { access };
    const blocks = cache.reader(list, {
      current: () => current.access.blocks,
      onLost: () => current.access.reportLoss?.(),
    });
    const lowest = layer === "overview" ? overviewLevel(header) : lowestStored;
    // The part of an entry keeps all of its memory.
    const pyramid = openPyramid(levelSizes(header).slice(lowest), index.slice(), blocks);
    const opened = pyramid && { pyramid, lowest, current };
    if (opened) known.set(access.id, opened, index.length + 4096);
    return opened;
  };

  /** Returns a region from a layer; undefined if that is missing, lost or damaged, which is reported. */
  const fromSidecar = async (
    { header, region, scaleFactor }: ReadRequest,
    lowestStored: 0 | 1,
    access?: SidecarAccess,
  ) => {
    const level = Math.log2(scaleFactor);
    if (!access || level < lowestStored) return undefined;
    const cached = known.get(access.id);
    if (!cached && access.absent) return undefined;
    const opened = cached ?? (await openEntry(await access.load(), access, header, lowestStored));
    if (opened) opened.current.access = access;
    const pixels =
      opened && level >= opened.lowest
        ? await readPyramid(opened.pyramid, header, partOf(region, level), level - opened.lowest, coder)
        : undefined;
    if (pixels) return pixels;
    known.delete(access.id);
    access.reportLoss?.();
    return undefined;
  };

  return (format: RowFormat): PyramidParts => {
    const decodeRows = "decodeRows" in format ? format.decodeRows : rowsOfWhole(format, wholeCacheBytes);
    const lowestLevelOf = (header: ImageHeader) =>
      ("decodeRows" in format && format.lowestLevel?.(header)) || 0;
    const isStored = ({ header, scaleFactor }: ReadRequest) =>
      hasPyramid(header) && scaleFactor >= 2 ** lowestLevelOf(header);
    /** Returns the pixels that a read without a sidecar decodes. */
    const pixelsAlone = (read: Pick<ReadRequest, "header" | "region" | "page">) =>
      // A frame is drawn over those before it.
      "decodeRows" in format
        ? format.pixelsFor({ ...read, region: commonPart(drawnArea(read.header), read.region) })
        : pixelsOf(drawnArea(read.header)) * read.page;
    const isOverview = (read: ReadRequest) =>
      isStored(read) && Math.log2(read.scaleFactor) >= overviewLevel(read.header);
    /** Returns the layers that there is room for, the smaller one first. */
    const layersWithin = (header: ImageHeader, room: number): readonly SidecarLayer[] => {
      const fits = (pixels: number) => pixels * sampleBytes(header) * usualRatio <= room;
      const layers: SidecarLayer[] = [];
      if (fits(pixelsOf(levelSizes(header)[overviewLevel(header)]!))) layers.push("overview");
      if (fits(storedPixels(header))) layers.push("pyramid");
      return layers;
    };
    const sidecarUse = (read: ReadRequest, room: number): SidecarUse | undefined => {
      const { header } = read;
      if (!isStored(read)) return undefined;
      const [first, ...others] = layersWithin(header, room);
      if (!first) return undefined;
      if (isOverview(read)) return { layers: [first, ...others], way: "begin" };
      return others.includes("pyramid") ? { layers: ["pyramid"], way: "zoom" } : undefined;
    };
    /** Returns the pixels of the image at full size that the levels cost as much as. */
    const storedPixels = (header: ImageHeader) => pixelsOf(header) / (lowestLevelOf(header) === 0 ? 1 : 4);
    /** Returns the peak bytes of a read from the file that passes on `rows` full-size rows at a time. */
    const memoryAlone = (read: ReadRequest, rows: number, fileSize: number): number => {
      if (!isOverview(read)) return memoryOfRegion(read, rows, fileSize);
      const { header } = read;
      const level = overviewLevel(header);
      const whole = { ...read, region: wholeRegionOf(header), scaleFactor: 2 ** level };
      return memoryOfRegion(whole, header.height, fileSize) + overviewBytes(header);
    };
    const memoryOfRegion = ({ header, region, scaleFactor }: ReadRequest, rows: number, fileSize: number) => {
      const level = Math.log2(scaleFactor);
      const drawn = drawnPartOf(header);
      const changed = drawn ? changedAreaOf(drawn.area, region, level) : region;
      const held = scaleFactor === 1 ? 0 : heldRows * (changed.width + 64);
      return (
        (pixelsOf(partOf({ ...region, height: rows }, level)) + held) * sampleBytes(header) +
        Math.max(
          format.memory(header, commonPart(drawnArea(header), region), fileSize),
          drawn ? memoryOfBlank(header, partOf(region, level), fileSize) : 0,
        ) +
        4 * 2 ** 20
      );
    };
    /**
     * Returns the bytes that a result counts as if all of the image were drawn on: a blank canvas is cheap to
     * read and not to encode, so that no more of it is allowed than of a full one.
     */
    const memoryOfBlank = (header: ImageHeader, result: Size, fileSize: number) => {
      const { details, ...full } = header;
      return (pixelsOf(result) / pixelsOf(header)) * format.memory(full, wholeRegionOf(header), fileSize);
    };
    /** Decodes a region of the file and passes on its rows. */
    const decodeAlone = (bytes: ByteSource, read: ReadRequest, take: TakeRows, access?: SidecarAccess) => {
      const { header, page, region, scaleFactor } = read;
      const id = access?.absent ? access.id : undefined;
      const level = Math.log2(scaleFactor);
      const rowsOf = drawnRows(bytes, { header, page, id });
      const decodePart = (part: Rectangle, takePart: TakeRows) =>
        decodeLevel(rowsOf, { size: header, resize }, part, level, takePart);
      const drawn = drawnPartOf(header);
      if (!drawn) return decodePart(region, take);
      const changed = changedAreaOf(drawn.area, region, level);
      const tiles = atLevel(region, changed, level);
      return onBackground(tiles, header, drawn.background, (takePart) => decodePart(changed, takePart), take);
    };
    /** Returns a function that decodes a region; the format decodes what the file draws on. */
    const drawnRows =
      (bytes: ByteSource, master: RowsMaster) =>
      (region: Rectangle, take: TakeRows): Promise<boolean> => {
        const drawn = drawnPartOf(master.header);
        if (!drawn) return decodeRows(bytes, master, region, take);
        const tiles = { outer: region, inner: commonPart(drawn.area, region) };
        const decode = (takePart: TakeRows) => decodeRows(bytes, master, tiles.inner, takePart);
        return onBackground(tiles, master.header, drawn.background, decode, take);
      };
    /** Writes the overview of an image to blocks and returns its entry; empty if the file ends early. */
    const buildOverview = async (
      bytes: ByteSource,
      { header, page }: MasterPage,
      blocks: SidecarBlocks,
    ): Promise<Uint8Array> => {
      const lowest = overviewLevel(header);
      const sizes = levelSizes(header).slice(lowest);
      const read = { header, page, region: wholeRegionOf(header), scaleFactor: 2 ** lowest };
      const pixels = await collectRows(sizes[0]!, (take) => decodeAlone(bytes, read, take));
      if (pixels.incomplete) return new Uint8Array();
      const rows = async (take: TakeRows) => {
        for (const part of rowsOf(pixels)) await take(part);
        return false;
      };
      const sink = cachingSink(cache, blocks);
      return buildPyramid(rows, { layer: "overview", sizes, lowest: 0 }, sink, { resize, coder });
    };
    /** Makes and leaves the overview if a read is to do without, so that it is read from there. */
    const leaveOverview = async (bytes: ByteSource, read: ReadRequest, access?: SidecarAccess) => {
      if (!access?.absent || !access.keepEntry || !access.blocks || !isOverview(read)) return;
      if (known.get(access.id)) return;
      const { header } = read;
      const entry = await buildOverview(bytes, read, access.blocks).catch(nothingIfTooLarge);
      if (entry.length === 0) return;
      await openEntry(entry, access, header, lowestLevelOf(header));
      await access.keepEntry(entry);
    };
    /** Throws `wholeFileError` if a job that counted on the sidecar has too little memory without it. */
    const confirmMemory = (access: SidecarAccess | undefined, needed: number) => {
      if (access && !access.absent && needed > (access.memory ?? Number.POSITIVE_INFINITY))
        throw wholeFileError();
    };
    return {
      memory: (read, fileSize) => memoryAlone(read, read.region.height, fileSize),
      decodedPixels(read) {
        const { region, scaleFactor } = read;
        return isStored(read) ? (region.width * region.height) / scaleFactor ** 2 : pixelsAlone(read);
      },
      async decode(bytes: ByteSource, read: ReadRequest, access?: SidecarAccess): Promise<Decoded> {
        const { header, region, scaleFactor } = read;
        if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
        await leaveOverview(bytes, read, access);
        const stored = await fromSidecar(read, lowestLevelOf(header), access);
        if (stored) return stored;
        confirmMemory(access, memoryAlone(read, region.height, bytes.size ?? 0));
        return collectRows(partOf(region, Math.log2(scaleFactor)), (take) =>
          decodeAlone(bytes, read, take, access),
        );
      },
      rows: {
        apart: ({ scaleFactor }) => tileSide * scaleFactor,
        memory: memoryAlone,
        async decode(bytes, read, rows, take, access) {
          const { header, region } = read;
          if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
          await leaveOverview(bytes, read, access);
          for (const part of partsOf(region, rows)) {
            const stored = await fromSidecar({ ...read, region: part }, lowestLevelOf(header), access);
            if (!stored) {
              const rest = { ...region, y: part.y, height: region.y + region.height - part.y };
              confirmMemory(access, memoryAlone(read, rows, bytes.size ?? 0));
              return decodeAlone(bytes, { ...read, region: rest }, take, access);
            }
            await take(stored);
          }
          return false;
        },
      },
      scales: {
        of: (header) =>
          levelSizes(header)
            .slice(1)
            .map((_, n) => ({ factor: 2 ** (n + 1), quality: "exact" })),
      },
      sidecar: {
        use: (read, _fileSize, room) => sidecarUse(read, room),
        layers: (header, _fileSize, room) => (hasPyramid(header) ? layersWithin(header, room).slice(-1) : []),
        async build(bytes: ByteSource, master: MasterPage, access?: SidecarAccess, layer = "pyramid") {
          const { header } = master;
          const blocks = access?.blocks;
          if (!blocks || !hasPyramid(header)) return new Uint8Array();
          if (layer === "overview") return buildOverview(bytes, master, blocks);
          const last = { ...master, id: access.id, isLast: true } as const;
          const rowsOf = (take: TakeRows) => drawnRows(bytes, last)(wholeRegionOf(header), take);
          const sink = { room: blocks.room, keep: blocks.keep };
          const levels = {
            layer: "pyramid",
            sizes: levelSizes(header),
            lowest: lowestLevelOf(header),
          } as const;
          return buildPyramid(rowsOf, levels, sink, { resize, coder });
        },
        memory(header, fileSize, layer) {
          const { width } = header;
          const rows = heldByBuild * width * sampleBytes(header);
          const held = layer === "overview" ? overviewBytes(header) : 0;
          return rows + held + format.memory(header, drawnArea(header), fileSize) + 8 * 2 ** 20;
        },
        memoryWith(read, rows = read.region.height) {
          if (!isStored(read)) return undefined;
          const { header, region, scaleFactor } = read;
          const part = partOf({ ...region, height: rows }, Math.log2(scaleFactor));
          const codedRow = (part.width + 2 * tileSide) * tileSide;
          return (pixelsOf(part) + codedRow) * sampleBytes(header) + 4 * 2 ** 20;
        },
        nsPerPixel: (header, layer) =>
          format.nsPerPixel(header) + buildNs[layer === "overview" ? layer : "pyramid"],
        nsWithout: (read) =>
          pixelsAlone(isOverview(read) ? { ...read, region: wholeRegionOf(read.header) } : read) *
          format.nsPerPixel(read.header),
      },
    };
  };
}

/** Returns an empty entry for an overview that takes more bytes than usual, so that it has no room. */
function nothingIfTooLarge(error: unknown): Uint8Array {
  if (error instanceof ImagingError && error.kind === "unsupported") return new Uint8Array();
  throw error;
}

/** Returns rows of images that are decoded as a whole. */
function rowsOfWhole(format: WholeFormat, wholeCacheBytes: number): DecodeRows {
  const decode = decodeOnce(format, wholeCacheBytes);
  return async (bytes, master, region, take) => {
    await (await decode(bytes, master)).take(region, take);
    return false;
  };
}

export type Pyramids = ReturnType<typeof createPyramids>;
