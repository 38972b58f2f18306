// Finds the bytes of a member by its local header, which must not contradict the directory (APPNOTE.TXT,
// section 4.3.7): its name and extra fields have lengths of their own.

import type { ByteRange, ByteSource } from "../../../base/index.ts";
import { type ArchiveDirectory, localHeaderLength } from "./directory.ts";
import { viewOf } from "./end-record.ts";
import { damagedArchiveError } from "./errors.ts";
import { nextAfter } from "./extents.ts";
import type { MemberHeader } from "./header.ts";

const signature = 0x04034b50;

/** Bytes of a remote member that are read with its local header. */
const firstLength = 64 * 1024;

/** True in flags if sizes and checksum follow the bytes, so that the local header need not have them. */
const followedFlag = 1 << 3;

/**
 * Returns the range of a member's bytes in the archive. Throws ServiceError `decode` (code archive_damaged)
 * if its local header contradicts the directory.
 */
export async function findMember(
  bytes: ByteSource,
  { offsets }: Pick<ArchiveDirectory, "offsets">,
  header: MemberHeader,
  signal?: AbortSignal,
): Promise<ByteRange> {
  const { offset, packed, rawName, flags, method } = header;
  // Where each read is a request, the beginning of the member comes with it.
  const more = bytes.gap === undefined ? 0 : Math.min(packed, firstLength);
  const data = await bytes.read(offset, localHeaderLength + rawName.length + more, signal);
  const view = viewOf(data);
  if (data.length < localHeaderLength + rawName.length || view.getUint32(0, true) !== signature)
    throw damagedArchiveError("this image is not where its directory says");
  const isSame =
    (view.getUint16(6, true) ^ flags) % 2 === 0 &&
    view.getUint16(8, true) === method &&
    view.getUint16(26, true) === rawName.length &&
    rawName.every((byte, i) => byte === data[localHeaderLength + i]) &&
    (view.getUint16(6, true) & followedFlag || hasSameSizes(view, header));
  if (!isSame) throw damagedArchiveError("this image contradicts its directory");
  const start = offset + localHeaderLength + rawName.length + view.getUint16(28, true);
  if (start + packed > nextAfter(offsets, offset)) throw damagedArchiveError("its members overlap");
  return { offset: start, length: packed };
}

/** True if a local header has the checksum and sizes of the directory, or leaves sizes to ZIP64. */
function hasSameSizes(view: DataView, { crc, packed, size }: MemberHeader): boolean {
  const isSame = (found: number, wanted: number) => found === wanted || found === 0xffffffff;
  return (
    view.getUint32(14, true) === crc &&
    isSame(view.getUint32(18, true), packed) &&
    isSame(view.getUint32(22, true), size)
  );
}
