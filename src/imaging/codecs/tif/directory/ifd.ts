// Image file directories, read by ranges of bytes: TIFF 6.0 section 2 and BigTIFF, in both byte orders.

import type { ByteSource } from "../../../../base/index.ts";
import { damagedTif } from "../../damaged.ts";

/** One field of a directory; its values are read on demand. */
export interface Entry {
  readonly type: number;
  readonly count: number;
  /** Position of the first value in the file, even if the values are within the entry. */
  readonly at: number;
  /** The first value, if it is a number within the entry. */
  readonly first?: number | undefined;
}

export interface Directory {
  readonly offset: number;
  /** Offset of the next directory in the chain, 0 at its end. */
  readonly next: number;
  readonly entries: ReadonlyMap<number, Entry>;
}

/** An opened file: byte order, variant, and the position of its first directory. */
export interface TiffFile {
  readonly bytes: ByteSource;
  readonly littleEndian: boolean;
  readonly big: boolean;
  readonly first: number;
  /** Limits what is read of the file. */
  readonly budget: ReadBudget;
  /** The first directories that were read, by their offsets: pages are read after their chain. */
  readonly known: Map<number, Directory>;
}

/**
 * What may still be read of a file: fields of directories, and bytes of JPEG streams before their scans. They
 * do not overlap in a sound file, which has room for reading each several times; a hostile one refers to a
 * few bytes again and again.
 */
interface ReadBudget {
  fields: number;
  streamBytes: number;
}

/** Bytes of the first window, which has the directories of files that begin with them. */
const FRONT = 16 * 1024;
/** Bytes of all further windows but the smallest. */
const ROOM = 240 * 1024;
const LEAST_WINDOW = 512;
/** Bytes of a window that follows the one before, if there is no room for large ones elsewhere. */
const MOST_FOLLOWING = 64 * 1024;
/**
 * Bytes before the end of a file that are read together if its directories are followed: those of small
 * levels are among them.
 */
const MOST_TO_END = 240 * 1024;
/** Bytes of files whose directories are read in blocks, once there are many. */
const SMALL_FILE = 2 * 2 ** 20;
const BLOCK = 128 * 1024;
const WINDOWS_KEPT = 16;
const DIRECTORIES_KEPT = 32;
const MAX_ENTRIES = 4096;
/** Bytes of the smallest field. */
const FIELD = 12;
/** Maximum number of times that a field of a sound file is read. */
const READINGS = 4;
/** Fields that may be read of any file: those of a page and its levels. */
const FIELDS_OF_PAGE = 64 * MAX_ENTRIES;
const FIELDS_OF_UNKNOWN = 2 ** 24;
/** Bytes of streams that may be read of any file, in addition to as many readings of it. */
const STREAM_BYTES = 2 ** 22;

/** Numeric field types: bytes per value and their reader. TIFF 6.0 page 15, BigTIFF types 13, 16, 18. */
const types: Readonly<
  Record<
    number,
    { readonly size: number; readonly read: (view: DataView, at: number, little: boolean) => number }
  >
> = {
  1: { size: 1, read: (view, at) => view.getUint8(at) },
  3: { size: 2, read: (view, at, little) => view.getUint16(at, little) },
  4: { size: 4, read: (view, at, little) => view.getUint32(at, little) },
  5: { size: 8, read: (view, at, little) => view.getUint32(at, little) / view.getUint32(at + 4, little) },
  7: { size: 1, read: (view, at) => view.getUint8(at) },
  13: { size: 4, read: (view, at, little) => view.getUint32(at, little) },
  16: { size: 8, read: (view, at, little) => Number(view.getBigUint64(at, little)) },
  18: { size: 8, read: (view, at, little) => Number(view.getBigUint64(at, little)) },
};
/** Sizes of types whose values are never read, so that inline values are distinguished from distant ones. */
const otherSizes: Readonly<Record<number, number>> = { 2: 1, 6: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 17: 8 };

/**
 * Serves small reads from the latest few windows, so that a directory and the values near it cost one read.
 * Once, if the directories are followed, the rest of the file is one, if it is short.
 * A window has a quarter of the room that those before it left: levels, and so their directories, become
 * smaller, and files of a thousand large pages do not cost a large window for each. After that, small files
 * are read in blocks, and windows grow while each follows the one before: many directories are close
 * together.
 */
function withWindows(bytes: ByteSource, follows: boolean): ByteSource {
  const windows: { readonly offset: number; readonly data: Uint8Array }[] = [];
  let room = ROOM;
  let following = LEAST_WINDOW;
  let toEnd = follows ? MOST_TO_END : 0;
  const isSmall = bytes.size !== undefined && bytes.size <= SMALL_FILE;
  const nextWindow = (offset: number, length: number): readonly [from: number, length: number] => {
    if (offset === 0) return [0, FRONT];
    const left = (bytes.size ?? Number.POSITIVE_INFINITY) - offset;
    if (left > 0 && left <= toEnd) {
      toEnd = 0;
      return [offset, left];
    }
    const window = Math.floor(room / 4);
    if (window >= LEAST_WINDOW) {
      room -= window;
      return [offset, window];
    }
    const block = offset - (offset % BLOCK);
    // What reaches into the next block is read with it.
    if (isSmall && offset + length > block + BLOCK) return [offset, block + 2 * BLOCK - offset];
    if (isSmall) return [block, BLOCK];
    const [last] = windows;
    const end = last ? last.offset + last.data.length : 0;
    const isNext = offset >= end - LEAST_WINDOW && offset <= end + following;
    following = isNext ? Math.min(2 * following, MOST_FOLLOWING) : LEAST_WINDOW;
    return [offset, following];
  };
  return {
    size: bytes.size,
    async read(offset, length) {
      const found = windows.find((w) => offset >= w.offset && offset + length <= w.offset + w.data.length);
      if (found) return found.data.subarray(offset - found.offset, offset - found.offset + length);
      const [from, window] = nextWindow(offset, length);
      const data = await bytes.read(from, Math.max(offset - from + length, window));
      windows.unshift({ offset: from, data });
      if (windows.length > WINDOWS_KEPT) windows.pop();
      return data.subarray(offset - from, offset - from + length);
    },
  };
}

/** Returns exactly `length` bytes as a view. Throws ImagingError `decode` if the file ends before. */
async function exactly(bytes: ByteSource, offset: number, length: number, what: string): Promise<DataView> {
  const beyond = bytes.size !== undefined && offset + length > bytes.size;
  const data =
    beyond || !Number.isSafeInteger(offset + length) ? new Uint8Array() : await bytes.read(offset, length);
  if (data.length < length) throw damagedTif(`${length} bytes for ${what}`, "an offset beyond the end");
  return new DataView(data.buffer, data.byteOffset, length);
}

/**
 * Reads the file header. `follows`: all directories of the file are read next, not only one. Throws
 * ImagingError `decode` if it is not a TIFF's.
 */
export async function openTiff(source: ByteSource, follows = false): Promise<TiffFile> {
  const bytes = withWindows(source, follows);
  const head = await exactly(bytes, 0, 8, "the file header");
  const order = head.getUint16(0);
  const littleEndian = order === 0x4949;
  const version = head.getUint16(2, littleEndian);
  if ((!littleEndian && order !== 0x4d4d) || (version !== 42 && version !== 43))
    throw damagedTif("a byte order mark and version 42 or 43", "other bytes");
  const sound = source.size === undefined ? FIELDS_OF_UNKNOWN : (READINGS * source.size) / FIELD;
  const streamBytes = STREAM_BYTES + READINGS * (source.size ?? 0);
  const budget = { fields: FIELDS_OF_PAGE + sound, streamBytes };
  const known = new Map<number, Directory>();
  if (version === 42)
    return { bytes, littleEndian, big: false, first: head.getUint32(4, littleEndian), budget, known };
  const more = await exactly(bytes, 0, 16, "the BigTIFF header");
  if (more.getUint16(4, littleEndian) !== 8) throw damagedTif("offsets of 8 bytes", "another size");
  const first = Number(more.getBigUint64(8, littleEndian));
  return { bytes, littleEndian, big: true, first, budget, known };
}

/**
 * Returns the directory at `offset`. Throws ImagingError `decode` if it is not completely inside the file.
 */
export async function readDirectory(file: TiffFile, offset: number): Promise<Directory> {
  const { bytes, littleEndian: little, big, budget, known } = file;
  const read = known.get(offset);
  if (read) return read;
  const [countSize, entrySize, linkSize, countOfValues] = big ? [8, 20, 8, 8] : [2, 12, 4, 4];
  const head = await exactly(bytes, offset, countSize, "a directory");
  const count = big ? Number(head.getBigUint64(0, little)) : head.getUint16(0, little);
  if (count < 1 || count > MAX_ENTRIES)
    throw damagedTif(`a directory of 1 to ${MAX_ENTRIES} fields`, `${count} fields`);
  budget.fields -= count;
  if (budget.fields < 0) throw damagedTif("directories that do not overlap", "more fields than fit into it");
  const start = offset + countSize;
  const length = count * entrySize;
  const view = await exactly(bytes, start, length, "the fields of a directory");
  const entries = new Map<number, Entry>();
  for (let at = 0; at < length; at += entrySize) {
    const type = view.getUint16(at + 2, little);
    const values = big ? Number(view.getBigUint64(at + 4, little)) : view.getUint32(at + 4, little);
    const valueAt = at + 4 + countOfValues;
    const size = (types[type]?.size ?? otherSizes[type] ?? 1) * values;
    const distant = big ? Number(view.getBigUint64(valueAt, little)) : view.getUint32(valueAt, little);
    const tag = view.getUint16(at, little);
    if (entries.has(tag)) continue;
    const isInline = size <= linkSize;
    const first = isInline && values > 0 ? types[type]?.read(view, valueAt, little) : undefined;
    entries.set(tag, { type, count: values, at: isInline ? start + valueAt : distant, first });
  }
  // A chain that is cut off after a sound directory ends there.
  const link = await bytes.read(start + length, linkSize);
  const tail = new DataView(link.buffer, link.byteOffset, link.length);
  const next =
    link.length < linkSize ? 0 : big ? Number(tail.getBigUint64(0, little)) : tail.getUint32(0, little);
  const directory = { offset, next, entries };
  if (known.size < DIRECTORIES_KEPT) known.set(offset, directory);
  return directory;
}

/**
 * Returns the bytes of a file for reading JPEG streams, within its budget. Reads throw ImagingError `decode`.
 */
export function streamBytes({ budget }: TiffFile, bytes: ByteSource): ByteSource {
  return {
    size: bytes.size,
    gap: bytes.gap,
    async read(offset, length, signal) {
      budget.streamBytes -= length;
      if (budget.streamBytes < 0)
        throw damagedTif("JPEG streams that do not overlap", "more bytes than it has");
      return bytes.read(offset, length, signal);
    },
  };
}

/**
 * Returns values `from` to `to` (exclusive) of a field. Throws ImagingError `decode` unless they are numbers
 * inside the file.
 */
export async function readValues(
  file: Pick<TiffFile, "bytes" | "littleEndian">,
  entry: Entry,
  from: number,
  to: number,
): Promise<number[]> {
  const type = types[entry.type];
  if (!type) throw damagedTif("a number field", `field type ${entry.type}`);
  if (to > entry.count) throw damagedTif(`at least ${to} values in a field`, `${entry.count}`);
  const { size, read } = type;
  const view = await exactly(
    file.bytes,
    entry.at + from * size,
    (to - from) * size,
    `${to - from} values of a field`,
  );
  return Array.from({ length: to - from }, (_, i) => read(view, i * size, file.littleEndian));
}

/** Returns how many values of a field are inside a file of `size` bytes. */
export function valuesInside({ type, count, at }: Entry, size = Number.POSITIVE_INFINITY): number {
  return Math.max(0, Math.min(count, Math.floor((size - at) / (types[type]?.size ?? 1))));
}

/**
 * Returns all values of a small field, or undefined if the directory does not have it. More than `limit`
 * values are refused.
 */
export async function readField(
  file: TiffFile,
  directory: Directory,
  tag: number,
  limit: number,
): Promise<number[] | undefined> {
  const entry = directory.entries.get(tag);
  if (!entry || entry.count === 0) return undefined;
  if (entry.count > limit)
    throw damagedTif(`at most ${limit} values in the field with tag ${tag}`, `${entry.count}`);
  return readValues(file, entry, 0, entry.count);
}

/**
 * Returns the first value of a field, or undefined if the directory does not have it; a promise only if it
 * has to be read, since most are within the directory.
 */
export function readNumber(
  file: TiffFile,
  directory: Directory,
  tag: number,
): number | undefined | Promise<number | undefined> {
  const entry = directory.entries.get(tag);
  if (!entry || entry.count === 0) return undefined;
  return entry.first ?? readValues(file, entry, 0, 1).then(([value]) => value);
}
