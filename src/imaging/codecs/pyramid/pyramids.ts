// The parts of a codec whose format has no access to regions: it decodes rows, and its sidecar is a pyramid.

import { type ByteSource, ImagingError } from "../../../base/index.ts";
import { type BlockCache, cachingSink } from "../../sidecar/block-reader.ts";
import type { TileCoder } from "../../sidecar/tiles/tile-coder.ts";
import { tileSide } from "../../sidecar/tiles/tile-index.ts";
import type { Decoded, Decoder, SidecarAccess, SidecarBlocks, TakeRows } from "../codec.ts";
import type { Rectangle } from "../image-header.ts";
import { partsOf } from "../parts.ts";
import type { MasterPage, ReadRequest } from "../plan.ts";
import { wholeFileError } from "../whole-file.ts";
import { buildPyramid } from "./build.ts";
import { hasPyramid, RowCosts, type RowFormat, wholeRegionOf } from "./costs.ts";
import { atLevel, changedAreaOf, commonPart, drawnPartOf, onBackground } from "./drawn.ts";
import type { Resize } from "./halver.ts";
import { levelSizes, overviewLevel, partOf } from "./levels.ts";
import { OpenPyramids } from "./open-pyramids.ts";
import { collectRows, type DecodeRows, decodeLevel, type RowsMaster, rowsOf } from "./rows.ts";
import { decodeOnce, type WholeFormat } from "./whole.ts";

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

/** Creates a function that makes the parts of a codec from its way to decode rows. */
export function createPyramids({ resize, coder, cache, wholeCacheBytes }: PyramidTools) {
  const opened = new OpenPyramids(coder, cache);

  return (format: RowFormat): PyramidParts => {
    const decodeRows = "decodeRows" in format ? format.decodeRows : rowsOfWhole(format, wholeCacheBytes);
    const costs = new RowCosts(format);
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
      if (!access?.absent || !access.keepEntry || !access.blocks || !costs.isOverview(read)) return;
      if (opened.has(access.id)) return;
      const { header } = read;
      const entry = await buildOverview(bytes, read, access.blocks).catch(nothingIfTooLarge);
      if (entry.length === 0) return;
      await opened.add(entry, access, header, costs.lowestLevelOf(header));
      await access.keepEntry(entry);
    };
    /** Throws `wholeFileError` if a job that counted on the sidecar has too little memory without it. */
    const confirmMemory = (access: SidecarAccess | undefined, needed: number) => {
      if (access && !access.absent && needed > (access.memory ?? Number.POSITIVE_INFINITY))
        throw wholeFileError();
    };
    return {
      memory: (read, fileSize) => costs.memoryAlone(read, read.region.height, fileSize),
      decodedPixels: (read) => costs.decodedPixels(read),
      async decode(bytes: ByteSource, read: ReadRequest, access?: SidecarAccess): Promise<Decoded> {
        const { header, region, scaleFactor } = read;
        if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
        await leaveOverview(bytes, read, access);
        const stored = await opened.read(read, costs.lowestLevelOf(header), access);
        if (stored) return stored;
        confirmMemory(access, costs.memoryAlone(read, region.height, bytes.size ?? 0));
        return collectRows(partOf(region, Math.log2(scaleFactor)), (take) =>
          decodeAlone(bytes, read, take, access),
        );
      },
      rows: {
        apart: ({ scaleFactor }) => tileSide * scaleFactor,
        memory: (read, rows, fileSize) => costs.memoryAlone(read, rows, fileSize),
        async decode(bytes, read, rows, take, access) {
          const { header, region } = read;
          if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
          await leaveOverview(bytes, read, access);
          for (const part of partsOf(region, rows)) {
            const stored = await opened.read({ ...read, region: part }, costs.lowestLevelOf(header), access);
            if (!stored) {
              const rest = { ...region, y: part.y, height: region.y + region.height - part.y };
              confirmMemory(access, costs.memoryAlone(read, rows, bytes.size ?? 0));
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
        use: (read, _fileSize, room) => costs.useOf(read, room),
        layers: (header, _fileSize, room) =>
          hasPyramid(header) ? costs.layersWithin(header, room).slice(-1) : [],
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
            lowest: costs.lowestLevelOf(header),
          } as const;
          return buildPyramid(rowsOf, levels, sink, { resize, coder });
        },
        memory: (header, fileSize, layer) => costs.memoryOfBuild(header, fileSize, layer),
        memoryWith: (read, rows) => costs.memoryWith(read, rows),
        nsPerPixel: (header, layer) => costs.nsPerPixel(header, layer),
        nsWithout: (read) => costs.nsWithout(read),
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
