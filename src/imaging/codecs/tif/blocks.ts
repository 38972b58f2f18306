// The strips or tiles that a region needs, their positions, and their bytes in few reads.

import type { ByteSource } from "../../../base/index.ts";
import { damagedTif } from "../damaged.ts";
import type { Rectangle } from "../image-header.ts";
import type { BlockTable } from "./directory/block-table.ts";
import { type Picture, storedRows } from "./directory/picture.ts";
import type { OpenPicture } from "./opening.ts";

/** One strip or tile that a region needs. */
export interface Block {
  /** Position of its top left pixel in the picture. */
  readonly x: number;
  readonly y: number;
  /** Rows from its top that the region needs. */
  readonly rows: number;
  /** Maximum rows that it holds. */
  readonly allRows: number;
  readonly offset: number;
  readonly bytes: number;
  /** The file does not store it: its samples are 0, or white if its compression is decoded as a whole. */
  readonly isBlank: boolean;
}

const MAX_BLOCKS = 1 << 22;
const MAX_GAP = 1024;
/** Maximum bytes of one read, unless a single block or row is larger. */
export const MAX_RUN = 1 << 20;

/**
 * Returns the blocks under `region` with sample `plane` (0 unless planar), row by row of blocks. Throws
 * ImagingError `decode` if the file's tables are too short.
 */
export async function blocksOf(
  bytes: ByteSource,
  { picture, blocks }: OpenPicture,
  region: Rectangle,
  plane: number,
): Promise<Iterable<Block>> {
  const { blockWidth, blockHeight } = picture;
  const across = Math.ceil(picture.width / blockWidth);
  const down = Math.ceil(picture.height / blockHeight);
  const left = Math.floor(region.x / blockWidth);
  const right = Math.ceil((region.x + region.width) / blockWidth);
  const top = Math.floor(region.y / blockHeight);
  const bottom = Math.ceil((region.y + region.height) / blockHeight);
  const count = (bottom - top) * across;
  if (count > MAX_BLOCKS) throw damagedTif(`at most ${MAX_BLOCKS} strips or tiles`, `${count}`);
  const first = plane * down * across;
  for (let row = top; row < bottom; row++)
    await blocks.load(bytes, first + row * across + left, first + row * across + right);
  return listBlocks(picture, blocks, { left, right, top, bottom, across, first }, region);
}

/** Columns and rows of blocks, the number in a row of the picture, and the index of its first block. */
interface Grid {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly across: number;
  readonly first: number;
}

function* listBlocks(
  picture: Picture,
  table: BlockTable,
  { left, right, top, bottom, across, first }: Grid,
  region: Rectangle,
): Generator<Block> {
  const { blockWidth, blockHeight, tiled } = picture;
  const stored = storedRows(picture);
  const end = region.y + region.height;
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      const i = first + row * across + column;
      const y = row * blockHeight;
      const allRows = tiled ? blockHeight : Math.min(blockHeight, picture.height - y);
      const max = storedLimit(bytesOf(stored, allRows));
      const length = table.length(i);
      const block: Block = {
        x: column * blockWidth,
        y,
        rows: Math.min(allRows, end - y),
        allRows,
        offset: table.offset(i),
        bytes: Math.min(length, max),
        isBlank: length === 0,
      };
      if (picture.compression === 1) yield* piecesOf(block, stored, region.y);
      else yield block;
    }
}

/** No supported compression makes a block much larger than its pixels; a larger claim is not believed. */
export const storedLimit = (bytes: number) => 2 * bytes + (1 << 16);

type StoredRows = ReturnType<typeof storedRows>;

/** Returns the bytes of some rows from the top of a block. */
const bytesOf = (stored: StoredRows, rows: number) => Math.ceil(rows / stored.rows) * stored.bytes;

/**
 * Yields the needed rows of an uncompressed block, which can be read without those above, in pieces of about
 * a mebibyte.
 */
function* piecesOf(block: Block, stored: StoredRows, top: number): Generator<Block> {
  const max = Math.max(1, Math.floor(MAX_RUN / stored.bytes)) * stored.rows;
  const first = Math.max(0, top - block.y);
  for (let row = first - (first % stored.rows); row < block.rows; row += max) {
    const rows = Math.min(max, block.rows - row);
    const skipped = bytesOf(stored, row);
    yield {
      ...block,
      y: block.y + row,
      rows,
      allRows: rows,
      offset: block.offset + skipped,
      bytes: Math.max(0, Math.min(bytesOf(stored, rows), block.bytes - skipped)),
    };
  }
}

/**
 * Yields the blocks with their stored bytes; neighbours in the file share a read, and one read is in flight
 * ahead.
 */
export async function* readBlocks(
  bytes: ByteSource,
  blocks: Iterable<Block>,
): AsyncGenerator<readonly [Block, Uint8Array]> {
  const runs = runsOf(blocks);
  const start = () => {
    const run = runs.next().value;
    const [first, last] = [run?.[0], run?.at(-1)];
    if (!run || !first || !last) return undefined;
    const read = bytes.read(first.offset, last.offset + last.bytes - first.offset);
    read.catch(() => {}); // reported when it is awaited
    return { run, base: first.offset, read };
  };
  for (let ahead = start(); ahead; ) {
    const { run, base } = ahead;
    const data = await ahead.read;
    ahead = start();
    for (const block of run)
      yield [block, data.subarray(block.offset - base, block.offset - base + block.bytes)] as const;
  }
}

function* runsOf(blocks: Iterable<Block>): Generator<Block[], undefined> {
  let run: Block[] = [];
  let start = 0;
  let end = 0;
  for (const each of blocks) {
    const block = each.isBlank ? { ...each, offset: end } : each;
    if (!Number.isSafeInteger(block.offset + block.bytes))
      throw damagedTif("offsets inside the file", "others");
    const near = block.offset >= end && block.offset - end <= MAX_GAP;
    if (run.length > 0 && !(near && block.offset + block.bytes - start <= MAX_RUN)) {
      yield run;
      run = [];
    }
    if (run.length === 0) start = block.offset;
    run.push(block);
    end = block.offset + block.bytes;
  }
  if (run.length > 0) yield run;
  return undefined;
}
