// Decompresses strips and tiles to rows, a few at a time.

import { allocateOrThrow } from "../allocate.ts";
import { layOut } from "../areas.ts";
import { damagedTif } from "../damaged.ts";
import type { Rectangle } from "../image-header.ts";
import type { Block } from "./blocks.ts";
import type { BlockReader, BlockTools } from "./compression/block.ts";
import { compressions, isJpeg2000, WEBP } from "./compression/compression.ts";
import type { BlockDecoders } from "./compression/decoders.ts";
import type { JpegCoding } from "./compression/jpeg-stream.ts";
import type { TiffModule } from "./compression/module.ts";
import { undoPredictor } from "./compression/predictor.ts";
import { type Picture, rowBytes, storedBands, storedRows } from "./directory/picture.ts";
import type { OpenPicture } from "./opening.ts";
import { expandedUnits, isSubsampled } from "./samples/ycc.ts";

/** Context that all blocks of an image share. */
export interface BlockContext extends Omit<OpenPicture, "blocks" | "palette"> {
  readonly decoders: BlockDecoders;
  /** Pixels each way that become one in a later step; a decoder may reduce by a part of that already. */
  readonly factor: number;
  /** Needed part of the picture. */
  readonly region: Rectangle;
}

/** Some rows of a block. */
export interface Part {
  /** Column of its first pixel in the picture. */
  readonly x: number;
  /** Row of its first pixel in the picture. */
  readonly y: number;
  /** Number of columns of the picture that it covers. */
  readonly columns: number;
  /** Number of rows of the picture that it covers. */
  readonly rows: number;
  /** Pixels of the image, each way, per pixel here. */
  readonly side: number;
  /** Pixels from row to row. */
  readonly stride: number;
  /**
   * Stored samples with predictors undone, in machine order: of all bands or, in planar files, one array
   * each. Reused.
   */
  readonly planes: readonly Uint8Array[];
  /** See {@link BlockReader.incomplete}. */
  readonly incomplete?: boolean;
}

const CHUNK = 256 * 1024;

/** Returns the number of rows that are decompressed at a time. */
export const chunkRows = (bytesOfRow: number, rows: number) =>
  Math.max(1, Math.min(rows, Math.floor(CHUNK / bytesOfRow)));

/**
 * Creates a function that returns the parts of the blocks with the same pixels: one, or one for each plane.
 * Decompressed rows are in the memory of `module`, which is lent until all parts are read.
 */
export function partReader(context: BlockContext, module: TiffModule) {
  const { picture } = context;
  const { whole, moduleBytes = 0 } = compressions[picture.compression] ?? {};
  if (whole) return (blocks: readonly StoredBlock[]) => wholePart(context, blocks);
  const perRow = rowBytes(picture);
  const max = chunkRows(perRow, picture.blockHeight);
  const planes = Array.from({ length: picture.planar ? storedBands(picture) : 1 });
  const [scratch = 0, ...areas] = allocateOrThrow(() =>
    layOut(module, perRow, ...planes.flatMap(() => [max * perRow, moduleBytes])),
  );
  const buffers = planes.map((_, plane) => ({
    rows: new Uint8Array(module.memory.buffer, areas[2 * plane], max * perRow),
    memory: areas[2 * plane + 1] ?? 0,
  }));
  return (blocks: readonly StoredBlock[]) =>
    streamedParts(context, blocks, { module, scratch, buffers, max });
}

type StoredBlock = readonly [Block, Uint8Array];

/** Memory of the module for rows of all planes. */
interface RowMemory {
  readonly module: TiffModule;
  /** Address of a spare row. */
  readonly scratch: number;
  /** Rows of each plane, and the address of the memory of its compression. */
  readonly buffers: readonly { readonly rows: Uint8Array; readonly memory: number }[];
  /** Number of rows. */
  readonly max: number;
}

async function* streamedParts(
  context: BlockContext,
  blocks: readonly StoredBlock[],
  { module, scratch, buffers, max }: RowMemory,
): AsyncGenerator<Part> {
  const { picture, region } = context;
  const perRow = rowBytes(picture);
  const { x, y, rows } = blockOf(blocks);
  const readers: BlockReader[] = [];
  try {
    for (const [i, [block, data]] of blocks.entries()) {
      const { zlib } = context.decoders;
      readers.push(openBlock(context, block, data, { zlib, module, memory: buffers[i]?.memory ?? 0 }));
    }
    for (let row = 0; row < rows; row += max) {
      const count = Math.min(max, rows - row);
      const planes = readers.map((_, i) => buffers[i]!.rows.subarray(0, count * perRow));
      for (const [i, reader] of readers.entries()) await reader.read(planes[i] as Uint8Array);
      if (y + row + count <= region.y) continue;
      for (const { byteOffset } of planes) undoPredictor(module, context, byteOffset, count, scratch);
      const incomplete = readers.some((reader) => reader.incomplete);
      const { blockWidth } = picture;
      yield {
        x,
        y: y + row,
        columns: blockWidth,
        rows: count,
        side: 1,
        stride: blockWidth,
        planes,
        incomplete,
      };
    }
  } finally {
    for (const reader of readers) reader.close?.();
  }
}

const blank: BlockReader = { read: (into) => void into.fill(0) };

function openBlock(
  { picture, options }: BlockContext,
  { rows, allRows, isBlank }: Block,
  data: Uint8Array,
  tools: BlockTools,
): BlockReader {
  const open = compressions[picture.compression]?.open;
  if (!open) throw damagedTif("a compression that is served", "another");
  const { blockWidth: width, reversedBits, ycc } = picture;
  const stored = storedRows(picture);
  const bytesOf = (rows: number) => Math.ceil(rows / stored.rows) * stored.bytes;
  const block = {
    data: reversedBits ? reverseBits(data) : data,
    width,
    length: bytesOf(rows),
    whole: bytesOf(allRows),
    options,
  };
  if (isBlank) return blank;
  const reader = open(block, tools);
  return ycc && isSubsampled(ycc) ? expandedUnits(reader, ycc, width) : reader;
}

async function* wholePart(context: BlockContext, blocks: readonly StoredBlock[]): AsyncGenerator<Part> {
  const block = blockOf(blocks);
  const decoded: DecodedBlock[] = [];
  for (const [, data] of blocks) decoded.push(await decodeWhole(context, block, data));
  const [first] = decoded;
  if (first) yield { ...first, planes: decoded.map(({ data }) => data) };
}

interface DecodedBlock extends Omit<Part, "planes"> {
  readonly data: Uint8Array;
}

async function decodeWhole(context: BlockContext, block: Block, data: Uint8Array): Promise<DecodedBlock> {
  const { picture, decoders, factor } = context;
  const { blockWidth: width, blockHeight, compression, samples } = picture;
  const { x, y, rows } = block;
  // A last strip may be coded as high as the others.
  const size = { width, rows, maxRows: Math.max(block.allRows, blockHeight) };
  const whole = { x, y, columns: width, rows };
  if (block.isBlank) {
    const white = whiteOf(picture);
    return { ...whole, data: new Uint8Array(rowBytes(picture) * rows).fill(white), side: 1, stride: width };
  }
  if (compression === WEBP)
    return {
      ...whole,
      data: await decoders.webp(data, { ...size, samples: samples === 4 ? 4 : 3 }),
      side: 1,
      stride: width,
    };
  const side = reducedSide(picture, block, factor);
  if (isJpeg2000(compression)) return { ...whole, ...(await decodeJpeg2000(context, block, data, side)) };
  const { tables, region } = context;
  const left = Math.max(x, region.x);
  const top = Math.max(y, region.y);
  const columns = Math.min(x + width, region.x + region.width) - left;
  const wanted = { x: left - x, y: top - y, width: columns, height: y + rows - top };
  return {
    x: left,
    y: top,
    columns,
    rows: wanted.height,
    data: await decoders.jpeg(data, { ...size, colour: jpegColour(picture), tables, side, wanted }),
    side,
    stride: Math.ceil(columns / side),
  };
}

/** Returns the byte of white in decoded samples: of ink, and of gray whose 0 is white, it is 0. */
const whiteOf = ({ photometric }: Picture) => (photometric === 0 || photometric === 5 ? 0 : 255);

async function decodeJpeg2000(
  { picture, decoders }: BlockContext,
  { x, rows, allRows }: Block,
  data: Uint8Array,
  side: number,
): Promise<Pick<DecodedBlock, "data" | "side" | "stride">> {
  const { width, blockWidth, blockHeight, samples, bits, codedBits = bits } = picture;
  const { compression, photometric } = picture;
  return decoders.jpeg2000(data, {
    columns: Math.min(blockWidth, width - x),
    width: blockWidth,
    rows,
    maxRows: Math.max(allRows, blockHeight),
    samples,
    compression,
    photometric,
    bits: codedBits,
    side,
  });
}

function blockOf(blocks: readonly StoredBlock[]): Block {
  const [first] = blocks[0] ?? [];
  if (!first) throw damagedTif("strips or tiles", "none");
  return first;
}

/**
 * Returns how far the decoder can reduce a block without mixing pixels of the image with those beyond its
 * edge.
 */
function reducedSide(picture: Picture, { x, y, allRows }: Block, factor: number): number {
  const width = Math.min(picture.blockWidth, picture.width - x);
  const height = Math.min(allRows, picture.height - y);
  return [8, 4, 2].find((side) => [factor, x, y, width, height].every((n) => n % side === 0)) ?? 1;
}

const jpegColours: Readonly<Record<number, JpegCoding["colour"]>> = { 2: "rgb", 5: "cmyk", 6: "ycc" };

/** Returns the colours of a picture's JPEG blocks. */
export const jpegColour = ({ photometric, samples }: Picture): JpegCoding["colour"] =>
  photometric === 2 && samples === 4 ? "rgba" : (jpegColours[photometric] ?? "gray");

const reversals = Uint8Array.from({ length: 256 }, (_, byte) =>
  Array.from({ length: 8 }).reduce((sum: number, _bit, i) => sum | (((byte >> i) & 1) << (7 - i)), 0),
);

function reverseBits(data: Uint8Array): Uint8Array {
  return data.map((byte) => reversals[byte] as number);
}
