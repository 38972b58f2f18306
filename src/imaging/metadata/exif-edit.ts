// Correcting facts of an EXIF block in place (EXIF 2.32, section 4.6: a TIFF structure of linked
// directories).

import { concatenate } from "../../base/index.ts";

/** Facts to write into the EXIF of a derivative; missing ones stay unchanged. */
export interface ExifFacts {
  /** 1 to 8. */
  readonly orientation?: number | undefined;
  /** True if the samples are sRGB now, whatever they were. */
  readonly srgb?: boolean;
}

const tags = {
  orientation: 0x0112,
  exif: 0x8769,
  colourSpace: 0xa001,
  interoperability: 0xa005,
  index: 1,
} as const;
const types = { ascii: 2, short: 3 } as const;
const entrySize = 12;

/** A block with only an orientation, whose value follows: little-endian, one directory of one field. */
const shortest = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0] as const;

interface Block {
  readonly view: DataView;
  readonly little: boolean;
}

/**
 * Returns the block with these facts corrected: existing fields change in place; a missing orientation is
 * added in a new first directory at the end, so that nothing else moves. Without a block, or with an
 * unreadable one, returns a new one with only the orientation, or the block unchanged if there is nothing to
 * write. The bytes of `block` are not modified.
 */
export function correctedExif(exif: Uint8Array | undefined, facts: ExifFacts): Uint8Array | undefined {
  const { orientation = 1 } = facts;
  const block = exif && openBlock(exif.slice());
  if (!block) return orientation === 1 ? exif : Uint8Array.of(...shortest, orientation, 0, 0, 0, 0, 0, 0, 0);
  const first = block.view.getUint32(4, block.little);
  if (facts.srgb) nameSrgb(block, first);
  if (facts.orientation === undefined) return bytesOf(block);
  const entry = find(block, first, tags.orientation);
  if (entry === undefined)
    return orientation === 1 ? bytesOf(block) : withOrientation(block, first, orientation);
  block.view.setUint16(entry + 2, types.short, block.little);
  block.view.setUint32(entry + 4, 1, block.little);
  block.view.setUint32(entry + 8, 0, block.little);
  block.view.setUint16(entry + 8, orientation, block.little);
  return bytesOf(block);
}

/** Updates ColorSpace and the interoperability index, if present. */
function nameSrgb(block: Block, first: number): void {
  const { view, little } = block;
  const directory = pointer(block, first, tags.exif);
  const space = directory && find(block, directory, tags.colourSpace);
  if (space && view.getUint16(space + 2, little) === types.short) view.setUint16(space + 8, 1, little);
  const interoperability = directory && pointer(block, directory, tags.interoperability);
  const index = interoperability && find(block, interoperability, tags.index);
  if (index && view.getUint16(index + 2, little) === types.ascii && view.getUint32(index + 4, little) === 4)
    for (const [i, letter] of [..."R98"].entries()) view.setUint8(index + 8 + i, letter.charCodeAt(0));
}

function openBlock(bytes: Uint8Array): Block | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.byteLength < 10) return undefined;
  const little = view.getUint16(0) === 0x4949;
  const sound = (little || view.getUint16(0) === 0x4d4d) && view.getUint16(2, little) === 42;
  const block = { view, little };
  return sound && count(block, view.getUint32(4, little)) > 0 ? block : undefined;
}

/** Returns the number of fields of a directory; 0 if it is not entirely within the block. */
function count({ view, little }: Block, directory: number): number {
  if (directory < 8 || directory + 2 > view.byteLength) return 0;
  const fields = view.getUint16(directory, little);
  return directory + 2 + fields * entrySize <= view.byteLength ? fields : 0;
}

/** Returns the position of a field in the block. */
function find(block: Block, directory: number, tag: number): number | undefined {
  for (let i = 0, fields = count(block, directory); i < fields; i++) {
    const entry = directory + 2 + i * entrySize;
    if (block.view.getUint16(entry, block.little) === tag) return entry;
  }
  return undefined;
}

/** The directory that a field points to. */
function pointer(block: Block, directory: number, tag: number): number | undefined {
  const entry = find(block, directory, tag);
  return entry && block.view.getUint32(entry + 8, block.little);
}

function withOrientation(block: Block, first: number, orientation: number): Uint8Array {
  const { view, little } = block;
  const fields = count(block, first);
  const start = first + 2;
  const end = start + fields * entrySize;
  let split = start;
  while (split < end && view.getUint16(split, little) < tags.orientation) split += entrySize;

  const bytes = bytesOf(block);
  const entry = new DataView(new ArrayBuffer(entrySize));
  entry.setUint16(0, tags.orientation, little);
  entry.setUint16(2, types.short, little);
  entry.setUint32(4, 1, little);
  entry.setUint16(8, orientation, little);
  const number = new DataView(new ArrayBuffer(2));
  number.setUint16(0, fields + 1, little);
  const next = end + 4 <= bytes.length ? bytes.subarray(end, end + 4) : new Uint8Array(4);
  view.setUint32(4, bytes.length + (bytes.length & 1), little);
  return concatenate([
    bytes,
    new Uint8Array(bytes.length & 1),
    bytesOf({ view: number, little }),
    bytes.subarray(start, split),
    bytesOf({ view: entry, little }),
    bytes.subarray(split, end),
    next,
  ]);
}

const bytesOf = ({ view }: Block) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
