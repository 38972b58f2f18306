// The entry of a sidecar of any format: a directory of its parts, followed by the bytes of those that are
// read as a whole. Larger parts are outside of the entry, in blocks of their own.

import { concatenate, crc32 } from "../../base/index.ts";
import {
  areListed,
  type BlockList,
  lengthOfList,
  listBlocks,
  loadBlockList,
  saveBlockList,
} from "./blocks.ts";

/** Kinds of parts, for all formats. The numbers are stored, and never reused for another kind (3 was one). */
export const partKinds = {
  /** Positions at which decoding can begin. */
  accessPoints: 1,
  /** The image at 1/8. */
  level8: 2,
  /** A version with random access of a file that has none, with the same pixels. */
  transcode: 4,
  /** Range of values of a scientific image. */
  quantiles: 5,
  /** The image at 1/16 and each half of that, down to one tile. */
  smallerLevels: 6,
  /** Positions of the tile-parts and packets of a codestream. */
  packetIndex: 7,
  /** The image at 1/2, as coded tiles. */
  level2: 8,
  /** Places of those tiles. */
  level2Index: 9,
  /** An image without random access and each half of it, as coded tiles. */
  pyramid: 10,
  /** Places of those tiles. */
  pyramidIndex: 11,
  /** The image at 1/4, as good as a resampling, as coded tiles. */
  level4: 12,
  /** Places of those tiles. */
  level4Index: 13,
  /** Header of the transcode that a progressive file would have. */
  transcodeHead: 14,
  /** The smaller levels of a pyramid, as coded tiles. */
  overview: 15,
  /** Places of those tiles. */
  overviewIndex: 16,
} as const;

export type PartKind = keyof typeof partKinds;
const kindOf = new Map<number, PartKind>(
  (Object.keys(partKinds) as PartKind[]).map((kind) => [partKinds[kind], kind]),
);

/** A part read from an entry. */
export interface Part {
  readonly kind: PartKind;
  readonly blocks: BlockList;
  /** Bytes of the part, if they are in the entry. They are not verified; {@link bytesOf} does that. */
  readonly inside?: Uint8Array;
}

// Header of an entry: "smsc", format version, number of parts, 2 bytes of 0, length of the directory, and
// CRC-32 of all these and the directory, in 4 bytes each (little-endian). The directory lists for each part
// its kind, 1 if its bytes are in the entry, the length of its list of blocks in 4 bytes, and that list. The
// bytes of the parts in the entry follow, one part after another.
const signature = [0x73, 0x6d, 0x73, 0x63, 1] as const;
const checkedAt = 12;
const headLength = 16;
const rowLength = 6;

const checksumOf = (entry: Uint8Array, end: number) =>
  crc32(entry.subarray(headLength, end), crc32(entry.subarray(0, checkedAt)));

/** A part to write: its bytes, in pieces, or the blocks that already contain them. */
export type NewPart =
  | { readonly kind: PartKind; readonly inside: readonly Uint8Array[] }
  | { readonly kind: PartKind; readonly blocks: BlockList };

const sizeOf = (pieces: readonly Uint8Array[]) => pieces.reduce((sum, { length }) => sum + length, 0);

/** Returns an entry of parts of different kinds. Parts that are undefined or have no bytes are left out. */
export async function writeEntry(all: readonly (NewPart | undefined)[]): Promise<Uint8Array> {
  const parts = all.filter((part) => part !== undefined && (!("inside" in part) || sizeOf(part.inside) > 0));
  const rows = (parts as readonly NewPart[]).map((part) => {
    const size = "inside" in part ? sizeOf(part.inside) : part.blocks.size;
    return { part, size, listLength: lengthOfList(size) };
  });
  const directory = rows.reduce((sum, { listLength }) => sum + rowLength + listLength, 0);
  const inside = rows.reduce((sum, { part, size }) => sum + ("inside" in part ? size : 0), 0);
  const entry = new Uint8Array(headLength + directory + inside);
  const view = new DataView(entry.buffer);
  entry.set([...signature, rows.length]);
  view.setUint32(8, directory, true);
  let at = headLength;
  let insideAt = headLength + directory;
  for (const { part, size, listLength } of rows) {
    entry[at] = partKinds[part.kind];
    view.setUint32(at + 2, listLength, true);
    let list = "blocks" in part ? part.blocks : undefined;
    if ("inside" in part) {
      entry[at + 1] = 1;
      const start = insideAt;
      for (const piece of part.inside) {
        entry.set(piece, insideAt);
        insideAt += piece.length;
      }
      list = await listBlocks(entry.subarray(start, start + size));
    }
    entry.set(saveBlockList(list as BlockList), at + rowLength);
    at += rowLength + listLength;
  }
  view.setUint32(checkedAt, checksumOf(entry, at), true);
  return entry;
}

/** Returns the parts of an entry by kind, not copied; undefined if {@link writeEntry} did not write it. */
export function readEntry(entry: Uint8Array): ReadonlyMap<PartKind, Part> | undefined {
  if (entry.length < headLength || signature.some((byte, i) => entry[i] !== byte)) return undefined;
  const view = new DataView(entry.buffer, entry.byteOffset, entry.length);
  const end = headLength + view.getUint32(8, true);
  if (end > entry.length || view.getUint32(checkedAt, true) !== checksumOf(entry, end)) return undefined;
  const parts = new Map<PartKind, Part>();
  let at = headLength;
  let insideAt = end;
  for (let n = 0; n < entry[5]!; n++) {
    if (at + rowLength > end) return undefined;
    const kind = kindOf.get(entry[at]!);
    const listAt = at + rowLength;
    const isInside = entry[at + 1] === 1;
    at = listAt + view.getUint32(at + 2, true);
    const blocks = at <= end ? loadBlockList(entry.subarray(listAt, at)) : undefined;
    if (!kind || !blocks || parts.has(kind)) return undefined;
    const inside = isInside ? entry.subarray(insideAt, insideAt + blocks.size) : undefined;
    if (inside) insideAt += blocks.size;
    parts.set(kind, { kind, blocks, ...(inside && { inside }) });
  }
  return at === end && insideAt === entry.length ? parts : undefined;
}

/** Levels of the image, which are most of the bytes of an entry. */
const levels: ReadonlySet<PartKind> = new Set(["level8", "smallerLevels"]);

/**
 * Returns a copy of an entry without the levels at 1/8 and below, which a read of details does not need; of
 * the whole entry if {@link writeEntry} did not write it.
 */
export function withoutLevels(entry: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts = readEntry(entry);
  if (!parts) return new Uint8Array(entry);
  const remaining = [...parts.values()].filter(({ kind }) => !levels.has(kind));
  const rows = remaining.map(({ kind, blocks, inside }) => {
    const list = saveBlockList(blocks);
    const row = new Uint8Array(rowLength + list.length);
    row.set([partKinds[kind], inside ? 1 : 0]);
    new DataView(row.buffer).setUint32(2, list.length, true);
    row.set(list, rowLength);
    return row;
  });
  const head = new Uint8Array(headLength);
  head.set([...signature, remaining.length]);
  new DataView(head.buffer).setUint32(8, sizeOf(rows), true);
  const shorter = concatenate([head, ...rows, ...remaining.map(({ inside }) => inside ?? new Uint8Array())]);
  const view = new DataView(shorter.buffer, shorter.byteOffset);
  view.setUint32(checkedAt, checksumOf(shorter, headLength + sizeOf(rows)), true);
  return shorter;
}

/**
 * Returns the bytes of a part that is in its entry; undefined if they differ from those that were written.
 */
export async function bytesOf({ inside, blocks }: Part): Promise<Uint8Array | undefined> {
  return inside && (await areListed(inside, blocks)) ? inside : undefined;
}
