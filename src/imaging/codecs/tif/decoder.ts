// The TIFF decoder: TIFF 6.0 and BigTIFF, regions of strips and tiles, stored levels and averages.

import type { ByteSource } from "../../../base/index.ts";
import type { Decoder, SidecarAccess } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import { rowsByParts } from "../parts.ts";
import type { ReadRequest } from "../plan.ts";
import { hasPyramid } from "../pyramid/costs.ts";
import type { CodecTools } from "../tools.ts";
import { JPEG } from "./compression/compression.ts";
import { blockDecoders } from "./compression/decoders.ts";
import { jpegTiles } from "./compression/jpeg-tiles.ts";
import { decodeTiff, type TiffReaders } from "./decode.ts";
import { deriveFromTiles } from "./derive.ts";
import { probeTiff, probeTiffPages } from "./directory/header.ts";
import { readTiffMetadata } from "./directory/metadata.ts";
import { createPageTables } from "./directory/page-tables.ts";
import {
  decodedPixels,
  decodingNs,
  isBilevel,
  pixelsAbove,
  readsAnywhere,
  reductions,
  rowsApart,
  stageFor,
  storesLevels,
} from "./directory/stages.ts";
import { estimateMemory, estimateRowsMemory } from "./memory.ts";
import { isStream, withStreams } from "./old-jpeg/reading.ts";
import { createOpening } from "./opening.ts";
import { decodeTiffRows } from "./rows.ts";
import { buildQuantiles, hasWindow, quantilesFor } from "./samples/window.ts";
import { hasSmallBlocks } from "./tiled-jpeg.ts";

/** Pixels of a bilevel image up to which it has a pyramid; averages of bits cost a fraction of its making. */
const maxBilevel = 2 ** 28;

/** True if a page has a pyramid as its sidecar: its file lacks levels for some scales. */
const hasLevels = (header: ImageHeader) =>
  hasPyramid(header) &&
  !header.windowed &&
  !isStream(header) &&
  !storesLevels(header) &&
  !(isBilevel(header) && header.width * header.height > maxBilevel);

/** True if a read is from that pyramid; some files are as good at full size. */
const usesLevels = ({ header, scaleFactor }: ReadRequest) =>
  hasLevels(header) && !(scaleFactor === 1 && readsAnywhere(header));

/** True if JPEG derivatives of a read that could use the pyramid are made of JPEG strips instead. */
const usesStrips = ({ header, scaleFactor }: ReadRequest) => {
  if (scaleFactor !== 1 || !hasLevels(header)) return false;
  const { stage } = stageFor(header, 1);
  return stage.compression === JPEG && hasSmallBlocks(stage);
};

/** Nanoseconds per pixel of finding the quantiles of an image. */
const quantileNs = 2;

/**
 * Reads the kinds that `directory/refusals.ts` does not name; others have `unsupported` in their header.
 * `jpeg` reads pages of old-style JPEG, `bench` strips and tiles of JPEG 2000.
 */
export function tiffDecoder({
  host,
  jpeg,
  bench,
  pyramids,
  deriver,
}: Pick<CodecTools, "host" | "jpeg" | "bench" | "pyramids" | "deriver">): Decoder {
  const tiles = jpegTiles(host);
  const findPages = createPageTables();
  const readers: TiffReaders = { decoders: blockDecoders(host, bench, tiles), open: createOpening() };
  const blocks = {
    memory: estimateMemory,
    decode: async (bytes: ByteSource, read: ReadRequest, sidecar?: SidecarAccess) =>
      decodeTiff(bytes, read, readers, await quantilesFor(bytes, read, readers, sidecar)),
  };
  const levels = pyramids({
    decodeRows: (bytes, { header }, region, take) => decodeTiffRows(bytes, header, region, readers, take),
    memory: estimateRowsMemory,
    pixelsFor: ({ header, region }) => pixelsAbove(header, region),
    lowestLevel: (header) => (readsAnywhere(header) ? 1 : 0),
    nsPerPixel: decodingNs,
  });
  const reading = {
    memory: (read, fileSize) => (usesLevels(read) ? levels : blocks).memory(read, fileSize),
    decodedPixels: (read) => (usesLevels(read) ? levels.decodedPixels(read) : decodedPixels(read)),
    decode: (bytes, read, sidecar) => (usesLevels(read) ? levels : blocks).decode(bytes, read, sidecar),
    scales: { of: (header) => (hasLevels(header) ? levels.scales.of(header, false) : reductions(header)) },
    sidecar: {
      // Quantiles of a page are for derivatives that show the range between two of them.
      use(read, fileSize, room) {
        if (read.window) return { layers: ["ground"], way: "wait" };
        const isFromStrips = read.halvesColour && usesStrips(read);
        return usesLevels(read) && !isFromStrips ? levels.sidecar.use(read, fileSize, room) : undefined;
      },
      layers(header, fileSize, room) {
        if (header.windowed) return ["ground"];
        return hasLevels(header) ? levels.sidecar.layers(header, fileSize, room) : [];
      },
      build: async (bytes, master, access, layer) =>
        hasLevels(master.header)
          ? levels.sidecar.build(bytes, master, access, layer)
          : buildQuantiles(bytes, master.header, readers),
      memory: (header, fileSize, layer) =>
        hasLevels(header) ? levels.sidecar.memory(header, fileSize, layer) : 0,
      memoryWith: (read, rows) =>
        usesLevels(read) && !usesStrips(read) ? levels.sidecar.memoryWith!(read, rows) : undefined,
      nsPerPixel: (header, layer) =>
        hasLevels(header) ? levels.sidecar.nsPerPixel(header, layer) : quantileNs,
      nsWithout: (read) =>
        usesLevels(read)
          ? levels.sidecar.nsWithout!(read)
          : read.window
            ? quantileNs * read.header.width * read.header.height
            : 0,
    },
  } satisfies Partial<Decoder>;
  const byParts = rowsByParts(blocks, (read) => (isStream(read.header) ? undefined : rowsApart(read)));
  const rowsFor = (read: ReadRequest) => (usesLevels(read) ? levels.rows : byParts);
  return {
    ...withStreams(reading, jpeg),
    rows: {
      apart: (read) => rowsFor(read).apart(read),
      memory: (read, rows, fileSize) => rowsFor(read).memory(read, rows, fileSize),
      decode: (bytes, read, rows, take, sidecar) => rowsFor(read).decode(bytes, read, rows, take, sidecar),
    },
    hasWindow,
    probe: (bytes, page, version) => probeTiff(bytes, page, findPages, version),
    probePages: (bytes, count, version) => probeTiffPages(bytes, count, findPages, version),
    derive: (bytes, plan, _, kernels, stages) =>
      tiles.orRefused(() =>
        deriveFromTiles(bytes, plan, { tiles, open: readers.open }, (jpeg, ofLevel) =>
          deriver.derive(jpeg, ofLevel, kernels, stages),
        ),
      ),
    metadata: { read: readTiffMetadata },
  };
}
