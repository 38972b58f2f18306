// Which strips or tiles a region needs, where they lie, and their bytes in few reads.

import type { ByteSource } from "../../lib/byte-source.ts";
import type { Rectangle } from "../codec.ts";
import { type Directory, damaged, readValues, type TiffFile } from "./ifd.ts";
import { type Picture, rowBytes } from "./picture.ts";
import { tags } from "./tags.ts";

/** One strip or tile that a region needs. */
export interface Block {
  /** Position of its top left pixel in the picture. */
  readonly x: number;
  readonly y: number;
  /** Rows from its top that the region needs. */
  readonly rows: number;
  /** Rows that it holds at most. */
  readonly allRows: number;
  /** The sample that it holds in planar files, else 0. */
  readonly plane: number;
  readonly offset: number;
  readonly bytes: number;
}

const MAX_BLOCKS = 1 << 22;
const MAX_GAP = 1024;
/** Bytes of one read, unless a single block or row is larger. */
export const MAX_RUN = 1 << 20;

/** The blocks under `region` for the first `planes` samples, in the order of the file's tables. Throws ServiceError `decode`. */
export async function blocksOf(
  file: TiffFile,
  directory: Directory,
  picture: Picture,
  region: Rectangle,
  planes: number,
): Promise<Block[]> {
  const { blockWidth, blockHeight, tiled } = picture;
  const across = Math.ceil(picture.width / blockWidth);
  const down = Math.ceil(picture.height / blockHeight);
  const columns = [
    Math.floor(region.x / blockWidth),
    Math.floor((region.x + region.width - 1) / blockWidth),
  ] as const;
  const rows = [
    Math.floor(region.y / blockHeight),
    Math.floor((region.y + region.height - 1) / blockHeight),
  ] as const;
  const span = (rows[1] - rows[0] + 1) * across;
  if (span * planes > MAX_BLOCKS) throw damaged(`at most ${MAX_BLOCKS} strips or tiles`, `${span * planes}`);
  const offsets = directory.entries.get(tiled ? tags.TileOffsets : tags.StripOffsets);
  const counts = directory.entries.get(tiled ? tags.TileByteCounts : tags.StripByteCounts);
  if (!offsets) throw damaged("offsets of strips or tiles", "none");
  const bottom = region.y + region.height;
  const blocks: Block[] = [];
  for (let plane = 0; plane < planes; plane++) {
    const first = plane * across * down + rows[0] * across;
    const at = await readValues(file, offsets, first, first + span);
    const sizes = counts && (await readValues(file, counts, first, first + span));
    for (let row = rows[0]; row <= rows[1]; row++)
      for (let column = columns[0]; column <= columns[1]; column++) {
        const i = (row - rows[0]) * across + column;
        const y = row * blockHeight;
        const allRows = tiled ? blockHeight : Math.min(blockHeight, picture.height - y);
        // No compression that is served makes a block much larger; a larger claim is not believed.
        const most = 2 * rowBytes(picture) * allRows + (1 << 16);
        const block: Block = {
          x: column * blockWidth,
          y,
          rows: Math.min(allRows, bottom - y),
          allRows,
          plane,
          offset: at[i] as number,
          bytes: Math.min(sizes?.[i] ?? most, most),
        };
        if (picture.compression === 1) blocks.push(...piecesOf(block, rowBytes(picture), region.y));
        else blocks.push(block);
      }
  }
  return blocks;
}

/** The needed rows of an uncompressed block, which can be read without those above, in pieces of about a mebibyte. */
function* piecesOf(block: Block, perRow: number, top: number): Generator<Block> {
  const most = Math.max(1, Math.floor(MAX_RUN / perRow));
  for (let row = Math.max(0, top - block.y); row < block.rows; row += most) {
    const rows = Math.min(most, block.rows - row);
    const skipped = row * perRow;
    yield {
      ...block,
      y: block.y + row,
      rows,
      allRows: rows,
      offset: block.offset + skipped,
      bytes: Math.max(0, Math.min(rows * perRow, block.bytes - skipped)),
    };
  }
}

/** The blocks with their stored bytes; neighbours in the file come with one read, and one read is under way ahead. */
export async function* readBlocks(
  bytes: ByteSource,
  blocks: readonly Block[],
): AsyncGenerator<readonly [Block, Uint8Array]> {
  const runs = toRuns(blocks);
  const start = (run: readonly Block[] | undefined) => {
    const [first, last] = [run?.[0], run?.at(-1)];
    if (!first || !last) return undefined;
    const read = bytes.read(first.offset, last.offset + last.bytes - first.offset);
    read.catch(() => {}); // reported when it is awaited
    return read;
  };
  let ahead = start(runs[0]);
  for (const [i, run] of runs.entries()) {
    const data = (await ahead) as Uint8Array;
    ahead = start(runs[i + 1]);
    const base = (run[0] as Block).offset;
    for (const block of run)
      yield [block, data.subarray(block.offset - base, block.offset - base + block.bytes)] as const;
  }
}

function toRuns(blocks: readonly Block[]): Block[][] {
  const runs: Block[][] = [];
  let end = -1;
  for (const block of blocks) {
    if (!Number.isSafeInteger(block.offset + block.bytes)) throw damaged("offsets inside the file", "others");
    const run = runs.at(-1);
    const first = run?.[0];
    const near = first && block.offset >= end && block.offset - end <= MAX_GAP;
    if (run && near && block.offset + block.bytes - first.offset <= MAX_RUN) run.push(block);
    else runs.push([block]);
    end = block.offset + block.bytes;
  }
  return runs;
}
