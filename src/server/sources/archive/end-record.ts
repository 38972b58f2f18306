// Finds the central directory of a ZIP file by the records at its end (APPNOTE.TXT 6.3.10 of PKWARE, sections
// 4.3.14 to 4.3.16).

import type { ByteSource } from "../../../base/index.ts";
import { damagedArchiveError, unsupportedArchiveError } from "./errors.ts";

/** The part of a ZIP file that holds its central directory. */
export interface DirectoryExtent {
  readonly offset: number;
  readonly length: number;
  /** Number of its headers. */
  readonly entries: number;
}

const endSignature = 0x06054b50;
const endLength = 22;
const zip64LocatorSignature = 0x07064b50;
const zip64LocatorLength = 20;
const zip64EndSignature = 0x06064b50;
const zip64EndLength = 56;
const maxComment = 0xffff;

/** Maximum length of a directory in bytes, and maximum number of its headers. */
const maxDirectory = { bytes: 64 * 2 ** 20, entries: 500_000 } as const;

/** Bytes of a header of the directory without its name. */
const headerLength = 46;

/** Returns a view of these bytes alone. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** Returns a number of 64 bits; one that is too large for a position in a file is Infinity. */
export function uint64(view: DataView, at: number): number {
  const high = view.getUint32(at + 4, true);
  return high < 2 ** 21 ? high * 2 ** 32 + view.getUint32(at, true) : Number.POSITIVE_INFINITY;
}

/**
 * Returns where the directory of a ZIP file lies. Reads the last 65,557 bytes, or more if two reads are
 * slower than one, which then has the directory of most archives; and 56 bytes for ZIP64. Throws ServiceError
 * `decode` (code archive_damaged) if there is no such directory, or more than one, and `unsupported`
 * (archive_unsupported) for a part of a split archive and for one with too many members.
 */
export async function findDirectory(bytes: ByteSource, signal?: AbortSignal): Promise<DirectoryExtent> {
  const { size = 0, gap = 0 } = bytes;
  const length = Math.min(size, Math.max(endLength + maxComment, gap));
  const all = await bytes.read(size - length, length, signal);
  if (all.length < length) throw damagedArchiveError("it ends earlier than its length says");
  const tail = all.subarray(-endLength - maxComment);
  const start = size - tail.length;
  const at = findEnd(tail);
  const own = readEnd(viewOf(tail), at);
  const end = start + at;
  const isSmall = own.entries < 0xffff && own.length < 0xffffffff && own.offset < 0xffffffff;
  const found = isSmall ? { ...own, end } : await readZip64(bytes, own, end, signal);
  if (found.isSplit) throw unsupportedArchiveError("it is one part of a split archive");
  if (found.length > maxDirectory.bytes || found.entries > maxDirectory.entries)
    throw unsupportedArchiveError(
      `it has more than ${maxDirectory.entries} members, or more than ${maxDirectory.bytes / 2 ** 20} MiB of names`,
    );
  if (found.offset + found.length > found.end || found.entries * headerLength > found.length)
    throw damagedArchiveError("its directory is not where its end says");
  return found;
}

/** Returns the position of the end record, whose comment is what follows up to the end of the file. */
function findEnd(tail: Uint8Array): number {
  const view = viewOf(tail);
  let found: number | undefined;
  for (let at = tail.length - endLength; at >= 0; at--) {
    if (tail[at] !== 0x50 || view.getUint32(at, true) !== endSignature) continue;
    if (at + endLength + view.getUint16(at + 20, true) !== tail.length) continue;
    if (found !== undefined) throw damagedArchiveError("it has two ends, so it can be read in two ways");
    found = at;
  }
  if (found === undefined) throw damagedArchiveError("its end is missing, so it is cut or no ZIP file");
  return found;
}

type EndRecord = DirectoryExtent & { readonly isSplit: boolean };

function readEnd(view: DataView, at: number): EndRecord {
  const [disk, first] = [view.getUint16(at + 4, true), view.getUint16(at + 6, true)];
  const entries = view.getUint16(at + 10, true);
  const isOwn = (number: number) => number === 0 || number === 0xffff;
  return {
    entries,
    length: view.getUint32(at + 12, true),
    offset: view.getUint32(at + 16, true),
    isSplit: !isOwn(disk) || !isOwn(first) || view.getUint16(at + 8, true) !== entries,
  };
}

/** Reads the ZIP64 end record, whose values replace those of `own` that do not fit into it. */
async function readZip64(
  bytes: ByteSource,
  own: EndRecord,
  end: number,
  signal: AbortSignal | undefined,
): Promise<EndRecord & { readonly end: number }> {
  const locator = viewOf(await bytes.read(Math.max(0, end - zip64LocatorLength), zip64LocatorLength, signal));
  const hasLocator =
    locator.byteLength === zip64LocatorLength && locator.getUint32(0, true) === zip64LocatorSignature;
  // An archive with exactly 65,535 members needs no such record.
  if (!hasLocator) return { ...own, end };
  const at = uint64(locator, 8);
  if (at + zip64EndLength > end - zip64LocatorLength)
    throw damagedArchiveError("its ZIP64 end is not where it says");
  const view = viewOf(await bytes.read(at, zip64EndLength, signal));
  if (view.byteLength < zip64EndLength || view.getUint32(0, true) !== zip64EndSignature)
    throw damagedArchiveError("its ZIP64 end is not where it says");
  const entries = uint64(view, 32);
  return {
    entries: own.entries === 0xffff ? entries : own.entries,
    length: own.length === 0xffffffff ? uint64(view, 40) : own.length,
    offset: own.offset === 0xffffffff ? uint64(view, 48) : own.offset,
    isSplit:
      own.isSplit ||
      locator.getUint32(16, true) > 1 ||
      view.getUint32(16, true) !== 0 ||
      view.getUint32(20, true) !== 0 ||
      uint64(view, 24) !== entries,
    end: at,
  };
}
