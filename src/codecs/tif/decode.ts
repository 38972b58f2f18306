// A region of a TIFF page or of one of its stored levels, from the strips or tiles that it touches.

import { ServiceError } from "../../errors.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { ImageHeader, ReadRequest, Rectangle } from "../codec.ts";
import { type Block, blocksOf, readBlocks } from "./blocks.ts";
import { compressions } from "./compression.ts";
import {
  type Directory,
  damaged,
  openTiff,
  readDirectory,
  readField,
  readNumber,
  type TiffFile,
} from "./ifd.ts";
import type { DecodeJpeg, JpegBlock } from "./jpeg.ts";
import { type Picture, readPicture, rowBytes } from "./picture.ts";
import { toMachineOrder, undoPredictor } from "./predictor.ts";
import { asSamples, finish, place, placeBits } from "./samples.ts";
import { tags } from "./tags.ts";

/** A stored picture of a page: its scale factor, the offset of its directory, bytes that decoding holds of a strip or tile. */
export interface Stage {
  readonly scale: number;
  readonly offset: number;
  readonly blockBytes: number;
}

/** The stored pictures that a header lists, full size first. */
export function stagesOf(header: ImageHeader): Stage[] {
  const list = (name: string) => (header.details?.[name] ?? []) as readonly number[];
  const [offsets, blockBytes] = [list("offsets"), list("blockBytes")];
  return list("scales").map((scale, i) => ({
    scale,
    offset: offsets[i] as number,
    blockBytes: blockBytes[i] as number,
  }));
}

const MAX_TABLES = 64 * 1024;

/** What all blocks of a picture share. */
interface Context {
  readonly picture: Picture;
  readonly littleEndian: boolean;
  readonly options: number;
  readonly tables?: Uint8Array;
  readonly jpeg: DecodeJpeg;
}

/** Decodes a region. Throws ServiceError `unsupported` for kinds that the header refuses, `decode` for damaged files. */
export async function decodeTiff(
  bytes: ByteSource,
  read: ReadRequest,
  jpeg: DecodeJpeg,
): Promise<PixelBuffer> {
  const { header, scaleFactor } = read;
  if (header.unsupported) throw new ServiceError("unsupported", header.unsupported);
  const stage = stagesOf(header).find(({ scale }) => scale === scaleFactor);
  if (!stage) throw damaged(`a stored level at 1/${scaleFactor}`, "none");
  const file = await openTiff(bytes);
  const directory = await readDirectory(file, stage.offset);
  const picture = await readPicture(file, directory);
  if (picture.unsupported) throw new ServiceError("unsupported", picture.unsupported);
  const region = scaled(read.region, scaleFactor);
  if (region.x + region.width > picture.width || region.y + region.height > picture.height)
    throw damaged("the size that its header gave", "another");

  const context: Context = {
    picture,
    littleEndian: file.littleEndian,
    options:
      (await readNumber(file, directory, picture.compression === 4 ? tags.T6Options : tags.T4Options)) ?? 0,
    tables: picture.compression === 7 ? await readTables(file, directory) : undefined,
    jpeg,
  };
  const palette = picture.photometric === 3 ? await readPalette(file, directory, picture) : undefined;
  const bands = palette ? 1 : picture.bands;
  const length = region.width * region.height * bands;
  const out = picture.depth === 16 ? new Uint16Array(length) : new Uint8Array(length);
  const blocks = await blocksOf(file, directory, picture, region, picture.planar ? bands : 1);
  for await (const [block, data] of readBlocks(bytes, blocks)) {
    copyBlock(picture, block, await decodeBlock(context, block, data), region, out, bands);
  }
  return {
    width: region.width,
    height: region.height,
    bands: picture.bands,
    interpretation: picture.interpretation,
    data: finish(picture, out, palette),
  };
}

function scaled({ x, y, width, height }: Rectangle, by: number): Rectangle {
  return {
    x: Math.floor(x / by),
    y: Math.floor(y / by),
    width: Math.ceil(width / by),
    height: Math.ceil(height / by),
  };
}

async function readTables(file: TiffFile, directory: Directory): Promise<Uint8Array | undefined> {
  const tables = await readField(file, directory, tags.JPEGTables, MAX_TABLES);
  return tables && Uint8Array.from(tables);
}

async function readPalette(file: TiffFile, directory: Directory, picture: Picture): Promise<number[]> {
  const size = 3 * 2 ** picture.bits;
  const colours = await readField(file, directory, tags.ColorMap, 3 * 65536);
  if (colours?.length !== size)
    throw damaged(`a colour map of ${size} values`, `${colours?.length ?? "none"}`);
  return colours;
}

/** The decompressed rows of a block that are needed, differences undone, in machine order. */
async function decodeBlock(context: Context, block: Block, stored: Uint8Array): Promise<Uint8Array> {
  const { picture, tables } = context;
  const { rows, allRows } = block;
  const width = picture.blockWidth;
  if (picture.compression === 7)
    return context.jpeg(stored, {
      width,
      rows,
      maxRows: maxJpegRows(picture, allRows),
      colour: jpegColour(picture),
      tables,
    });
  const decompress = compressions[picture.compression]?.decompress;
  if (!decompress) throw damaged("a compression that is served", "another");
  const length = rowBytes(picture) * rows;
  const data = await decompress({
    data: picture.reversedBits ? reversed(stored) : stored,
    width,
    rows,
    length,
    options: context.options,
  });
  if (data.length < length) throw damaged(`${length} bytes in a strip or tile`, `${data.length}`);
  if (!context.littleEndian && picture.predictor !== 3) toMachineOrder(data, picture.bits);
  undoPredictor(picture, data, width, rows);
  return data;
}

/** A last strip may be coded as high as the others. */
const maxJpegRows = (picture: Picture, allRows: number) => Math.max(allRows, picture.blockHeight);

function jpegColour({ photometric }: Picture): JpegBlock["colour"] {
  return photometric === 6 ? "ycc" : photometric === 2 ? "rgb" : "gray";
}

const reversals = Uint8Array.from({ length: 256 }, (_, byte) =>
  Array.from({ length: 8 }).reduce((sum: number, _bit, i) => sum | (((byte >> i) & 1) << (7 - i)), 0),
);

function reversed(data: Uint8Array): Uint8Array {
  return data.map((byte) => reversals[byte] as number);
}

/** Copies the part of a block that lies in the region to its place in the output. */
function copyBlock(
  picture: Picture,
  block: Block,
  data: Uint8Array,
  region: Rectangle,
  out: Uint8Array | Uint16Array,
  bands: number,
): void {
  const left = Math.max(block.x, region.x);
  const top = Math.max(block.y, region.y);
  const fromPixel = picture.planar ? 1 : picture.samples;
  const fromRow = picture.blockWidth * fromPixel;
  const toRow = region.width * bands;
  const placement = {
    from: (top - block.y) * fromRow + (left - block.x) * fromPixel,
    fromRow,
    fromPixel,
    to: (top - region.y) * toRow + (left - region.x) * bands + block.plane,
    toRow,
    toPixel: bands,
    width: Math.min(block.x + picture.blockWidth, region.x + region.width) - left,
    rows: block.y + block.rows - top,
    bands: picture.planar ? 1 : bands,
  };
  if (picture.bits < 8) placeBits(picture.bits, data, out, placement);
  else place(asSamples(picture, data), out, placement);
}
