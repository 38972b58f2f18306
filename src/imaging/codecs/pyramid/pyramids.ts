// The parts of a codec whose format has no access to regions: it decodes rows, and its sidecar is a pyramid.

import { ImagingError } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import { createLru } from "../../lib/lru.ts";
import type { BlockCache } from "../../sidecar/block-reader.ts";
import { bytesOf, readEntry } from "../../sidecar/entry.ts";
import type { TileCoder } from "../../sidecar/tiles/tile-coder.ts";
import { tileSide } from "../../sidecar/tiles/tile-index.ts";
import type { Codec, Decoded, SidecarAccess, SidecarWay, TakeRows } from "../codec.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import { partsOf } from "../parts.ts";
import type { MasterPage, ReadRequest } from "../plan.ts";
import { wholeFileError } from "../whole-file.ts";
import { buildPyramid } from "./build.ts";
import { atLevel, changedBy, commonPart, drawnArea, drawnOf, onBackground } from "./drawn.ts";
import type { Resize } from "./halver.ts";
import { levelSizes, partOf, type Size } from "./levels.ts";
import { openPyramid, readPyramid, type StoredPyramid } from "./read.ts";
import { collectRows, type DecodeRows, decodeLevel, type RowsMaster } from "./rows.ts";
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
  Pick<Codec, "memory" | "decodedPixels" | "decode" | "rows" | "scales" | "sidecar">
>;

export interface PyramidTools {
  readonly resize: Resize;
  readonly coder: TileCoder;
  /** Blocks of all sidecars of the host. */
  readonly cache: BlockCache;
  /** Bytes of a decoded image that may stay in memory for the job that follows. */
  readonly keptWhole: number;
}

/** Minimum number of pixels of an image with a sidecar: smaller ones are decoded quickly. */
const leastPixels = 1 << 20;
/** Usual ratio of the bytes of all levels to those of the image's samples. */
const usualRatio = 0.7;
/** Full-size rows that take as much memory as those that halving holds of all levels. */
const heldRows = 320;
/** The same of a build, which also holds a row of tiles of each level. */
const heldByBuild = 1024;
/** Share of the rows up to which a first read is cheaper on its own than after the build. */
const shareAlone = 0.6;
/**
 * Scale factor from which a read of the whole image, such as a thumbnail, is no reason to build a sidecar.
 */
const thumbnailFactor = 8;
/** Maximum bytes of a decoded image that a read decodes before the build, which usually takes it over. */
const mostBegun = 128 * 2 ** 20;
/** Nanoseconds per pixel of making and coding all levels. */
const buildNs = 6;
/** Maximum bytes of the indexes that stay in memory. */
const keptBytes = 8 * 2 ** 20;

const sampleBytes = ({ bands, depth }: ImageHeader) => bands * (depth / 8);
const pixelsOf = ({ width, height }: Size) => width * height;

/** Maximum width of an image with a sidecar: rows of a build are resampled as a whole. */
const mostWidth = 2 ** 18;

/** The same for the drawn area of a larger image, all of which would be in the levels. */
const leastDrawn = 1 << 25;

/** True if images with this header have a sidecar. */
export const hasPyramid = (header: ImageHeader) =>
  !header.unsupported &&
  header.bands <= 4 &&
  header.width <= mostWidth &&
  pixelsOf(drawnArea(header)) >= (drawnOf(header) ? leastDrawn : leastPixels);

interface Open {
  readonly pyramid: StoredPyramid;
  /** Access of the job that reads it. */
  readonly current: { access: SidecarAccess };
}

/** Creates a function that makes the parts of a codec from its way to decode rows. */
export function createPyramids({ resize, coder, cache, keptWhole }: PyramidTools) {
  const known = createLru<string, Open>(keptBytes);

  /** Opens the sidecar of an image; undefined if it is damaged, or belongs to another. */
  const open = async (
    access: SidecarAccess,
    header: ImageHeader,
    lowest: 0 | 1,
  ): Promise<Open | undefined> => {
    const kept = known.get(access.id);
    if (kept) {
      kept.current.access = access;
      return kept;
    }
    const parts = readEntry(await access.load());
    const part = parts?.get("pyramidIndex");
    const list = parts?.get("pyramid")?.blocks;
    const index = part && (await bytesOf(part));
    if (!list || !index) return undefined;
    const current = { access };
    const blocks = cache.reader(list, {
      current: () => current.access.blocks,
      onLost: () => current.access.reportLoss?.(),
    });
    // The part of an entry keeps all of its memory.
    const pyramid = openPyramid(levelSizes(header).slice(lowest), index.slice(), blocks);
    const opened = pyramid && { pyramid, current };
    if (opened) known.set(access.id, opened, index.length + 4096);
    return opened;
  };

  /** Returns a region from the sidecar; undefined if that is missing, lost or damaged, which is reported. */
  const fromSidecar = async (
    { header, region, scaleFactor }: ReadRequest,
    lowest: 0 | 1,
    access?: SidecarAccess,
  ) => {
    const level = Math.log2(scaleFactor);
    if (!access || access.absent || level < lowest) return undefined;
    const opened = await open(access, header, lowest);
    if (!opened) {
      access.reportLoss?.();
      return undefined;
    }
    const pixels = await readPyramid(opened.pyramid, header, partOf(region, level), level - lowest, coder);
    if (!pixels) {
      known.delete(access.id);
      access.reportLoss?.();
    }
    return pixels;
  };

  return (format: RowFormat): PyramidParts => {
    const decodeRows = "decodeRows" in format ? format.decodeRows : rowsOfWhole(format, keptWhole);
    const lowestOf = (header: ImageHeader) => ("decodeRows" in format && format.lowestLevel?.(header)) || 0;
    const isStored = ({ header, scaleFactor }: ReadRequest) =>
      hasPyramid(header) && scaleFactor >= 2 ** lowestOf(header);
    /** Returns the pixels that a read without a sidecar decodes. */
    const pixelsAlone = (read: Pick<ReadRequest, "header" | "region" | "page">) =>
      // A frame is drawn over those before it.
      "decodeRows" in format
        ? format.pixelsFor({ ...read, region: commonPart(drawnArea(read.header), read.region) })
        : pixelsOf(drawnArea(read.header)) * read.page;
    /** True if a first read is cheaper on its own than after the build. */
    const isReadAlone = (read: ReadRequest) =>
      "decodeWhole" in format
        ? format.wholeBytes(read.header) <= mostBegun
        : pixelsAlone(read) <= shareAlone * pixelsOf(read.header);
    const sidecarWay = (read: ReadRequest, room: number): SidecarWay => {
      const { header, region, scaleFactor } = read;
      if (!isStored(read) || storedPixels(header) * sampleBytes(header) * usualRatio > room) return "none";
      const isWhole = region.width === header.width && region.height === header.height;
      if (isWhole && scaleFactor >= thumbnailFactor) return "reuse";
      return isReadAlone(read) ? "begin" : "wait";
    };
    /** Returns the pixels of the image at full size that the levels cost as much as. */
    const storedPixels = (header: ImageHeader) => pixelsOf(header) / (lowestOf(header) === 0 ? 1 : 4);
    /** Returns the peak bytes of a read from the file that passes on `rows` full-size rows at a time. */
    const memoryAlone = ({ header, region, scaleFactor }: ReadRequest, rows: number, fileSize: number) => {
      const level = Math.log2(scaleFactor);
      const drawn = drawnOf(header);
      const changed = drawn ? changedBy(drawn.area, region, level) : region;
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
      const whole = { x: 0, y: 0, width: header.width, height: header.height };
      return (pixelsOf(result) / pixelsOf(header)) * format.memory(full, whole, fileSize);
    };
    /** Decodes a region of the file and passes on its rows. */
    const decodeAlone = (bytes: ByteSource, read: ReadRequest, take: TakeRows, access?: SidecarAccess) => {
      const { header, page, region, scaleFactor } = read;
      const id = access?.absent ? access.id : undefined;
      const level = Math.log2(scaleFactor);
      const rowsOf = drawnRows(bytes, { header, page, id });
      const made = (part: Rectangle, takePart: TakeRows) =>
        decodeLevel(rowsOf, { size: header, resize }, part, level, takePart);
      const drawn = drawnOf(header);
      if (!drawn) return made(region, take);
      const changed = changedBy(drawn.area, region, level);
      const places = atLevel(region, changed, level);
      return onBackground(places, header, drawn.background, (takePart) => made(changed, takePart), take);
    };
    /** Returns a function that decodes a region; the format decodes what the file draws on. */
    const drawnRows =
      (bytes: ByteSource, master: RowsMaster) =>
      (region: Rectangle, take: TakeRows): Promise<boolean> => {
        const drawn = drawnOf(master.header);
        if (!drawn) return decodeRows(bytes, master, region, take);
        const places = { outer: region, inner: commonPart(drawn.area, region) };
        const decode = (takePart: TakeRows) => decodeRows(bytes, master, places.inner, takePart);
        return onBackground(places, master.header, drawn.background, decode, take);
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
        const stored = await fromSidecar(read, lowestOf(header), access);
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
          for (const part of partsOf(region, rows)) {
            const stored = await fromSidecar({ ...read, region: part }, lowestOf(header), access);
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
        way: (read, _fileSize, room) => sidecarWay(read, room),
        async build(bytes: ByteSource, master: MasterPage, access?: SidecarAccess) {
          const { header } = master;
          const blocks = access?.blocks;
          if (!blocks || !hasPyramid(header)) return new Uint8Array();
          const { width, height } = header;
          const whole = { x: 0, y: 0, width, height };
          const last = { ...master, id: access.id, isLast: true } as const;
          const rowsOf = (take: TakeRows) => drawnRows(bytes, last)(whole, take);
          const sink = { room: blocks.room, keep: blocks.keep };
          return buildPyramid(rowsOf, { size: header, lowest: lowestOf(header) }, sink, { resize, coder });
        },
        memory(header, fileSize) {
          const { width } = header;
          const rows = heldByBuild * width * sampleBytes(header);
          return rows + format.memory(header, drawnArea(header), fileSize) + 8 * 2 ** 20;
        },
        memoryWith(read, rows = read.region.height) {
          if (!isStored(read)) return undefined;
          const { header, region, scaleFactor } = read;
          const part = partOf({ ...region, height: rows }, Math.log2(scaleFactor));
          const codedRow = (part.width + 2 * tileSide) * tileSide;
          return (pixelsOf(part) + codedRow) * sampleBytes(header) + 4 * 2 ** 20;
        },
        nsPerPixel: (header) => format.nsPerPixel(header) + buildNs,
        nsWithout: (read) => pixelsAlone(read) * format.nsPerPixel(read.header),
      },
    };
  };
}

/** Returns rows of images that are decoded as a whole. */
function rowsOfWhole(format: WholeFormat, keptWhole: number): DecodeRows {
  const decode = decodeOnce(format, keptWhole);
  return async (bytes, master, region, take) => {
    await (await decode(bytes, master)).take(region, take);
    return false;
  };
}

export type Pyramids = ReturnType<typeof createPyramids>;
