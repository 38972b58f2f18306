// Inflated members: each is inflated once for all who read it, and stays in bounded memory.

import {
  type ByteSource,
  cancelledError,
  crc32,
  createLru,
  createPauses,
  createSemaphore,
  createSingleFlight,
  ImagingError,
  type NativeZlib,
  type Platform,
} from "../../../base/index.ts";
import { inflate } from "../../../imaging/index.ts";
import { damagedArchiveError, deflatedTooLargeError } from "./errors.ts";
import type { MemberHeader } from "./header.ts";

/** Maximum bytes of a member that is inflated. */
export const maxInflated = 64 * 2 ** 20;
/** Maximum bytes of all inflated members in memory: several of the largest. */
const maxTogether = 4 * maxInflated;
/** The part of the memory of a small machine that is the maximum of both instead. */
const partOfMemory = 1 / 8;
/** Number of members that are inflated simultaneously. */
const atOnce = 2;
/** Bytes that are read at a time. */
const readLength = 256 * 1024;

export interface InflatedMembers {
  /**
   * Returns the bytes of a deflated member, which are inflated at the first read. `packed`: its bytes in the
   * archive; `id`: names this state of it. Reading throws ServiceError `decode` (code archive_damaged) if
   * they are damaged, and `too-large` (deflated_too_large).
   */
  bytesOf(id: string, packed: ByteSource, header: Pick<MemberHeader, "size" | "crc">): ByteSource;
}

/** Creates an empty cache. */
export function createInflatedMembers({
  memoryBytes,
  zlib,
  keepAlive,
}: Pick<Platform, "memoryBytes" | "zlib" | "keepAlive">): InflatedMembers {
  const maxBytes = Math.min(maxInflated, memoryBytes * partOfMemory);
  const inMemory = createLru<string, Uint8Array>(Math.min(maxTogether, memoryBytes * partOfMemory));
  const flights = createSingleFlight<Uint8Array>(keepAlive);
  const permits = createSemaphore(atOnce);
  return {
    bytesOf(id, packed, { size, crc }) {
      const load = (signal?: AbortSignal): Promise<Uint8Array> | Uint8Array => {
        if (size > maxBytes) throw deflatedTooLargeError(maxBytes);
        const known = inMemory.get(id);
        if (known) return known;
        const make = (work: AbortSignal) =>
          permits.run(async () => {
            const all = await inflateWhole(piecesOf(packed, work), { size, crc }, zlib);
            inMemory.set(id, all, all.length);
            return all;
          }, work);
        return flights.run(id, make, signal);
      };
      return {
        size,
        async read(offset, length, signal) {
          const all = await load(signal);
          return all.slice(offset, Math.max(offset, offset + length));
        },
      };
    },
  };
}

async function* piecesOf(packed: ByteSource, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < (packed.size ?? 0); at += readLength) {
    if (signal.aborted) throw cancelledError(signal);
    yield await packed.read(at, readLength, signal);
  }
}

/** Inflates exactly `size` bytes with that checksum. */
async function inflateWhole(
  pieces: AsyncGenerator<Uint8Array>,
  { size, crc }: Pick<MemberHeader, "size" | "crc">,
  zlib: NativeZlib | undefined,
): Promise<Uint8Array> {
  const out = new Uint8Array(size);
  const checksum = zlib?.crc32 ?? crc32;
  const pause = createPauses();
  let filled = 0;
  let found = 0;
  try {
    for await (const piece of inflate(pieces, zlib, "deflate-raw")) {
      if (filled + piece.length > size)
        throw damagedArchiveError("this image is longer than its directory says");
      out.set(piece, filled);
      filled += piece.length;
      found = checksum(piece, found);
      const due = pause();
      if (due) await due;
    }
  } catch (error) {
    throw error instanceof ImagingError ? error : damagedArchiveError("this image is damaged");
  }
  if (filled < size) throw damagedArchiveError("this image is shorter than its directory says");
  if (found !== crc) throw damagedArchiveError("this image differs from its checksum");
  return out;
}
