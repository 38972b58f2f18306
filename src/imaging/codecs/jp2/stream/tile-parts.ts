// The tile-parts of a codestream (ITU-T T.800 A.4): their positions, and the packet information in their
// headers.

import type { ByteSource } from "../../../../base/index.ts";
import { damagedJp2 } from "../../damaged.ts";
import { marker } from "../markers.ts";
import { type Segment, segmentsUntil } from "./segments.ts";

/** A tile-part. Offsets count from the beginning of the file. */
export interface TilePart {
  readonly tile: number;
  /** Position of the SOT marker. */
  readonly start: number;
  /** Position of the data after SOD. */
  readonly data: number;
  readonly end: number;
  /** True if its header contains more than lengths of packets. */
  readonly hasParameters: boolean;
  /** Lengths of its packets, headers included (PLT, or found by reading them); undefined if unknown. */
  readonly packets?: Uint32Array | undefined;
}

/** Bytes of a header that are read first. */
const firstRead = 2048;
/** Largest header that is read. */
const maxBytes = 16 * 1024 * 1024;

/** Maximum tile-parts of a tile in TNsot (A.4.2). */
const maxParts = 255;

/** Segments unrelated to coding: PLT, comments. */
const withoutParameters: ReadonlySet<number> = new Set([marker.plt, marker.com]);

/**
 * Reads the segments from `start` on, up to a marker of `end`, and returns its offset. Throws ImagingError
 * `decode` if the file ends earlier, and for a header of more than 16 MiB.
 */
export async function readSegments(
  bytes: ByteSource,
  start: number,
  end: number,
): Promise<{ readonly segments: readonly Segment[]; readonly end: number }> {
  for (let length = firstRead; length <= maxBytes; length *= 8) {
    const part = await bytes.read(start, length);
    const found = segmentsUntil(part, 0, end);
    if (found.end !== undefined) return { segments: found.segments, end: start + found.end };
    if (part.length < length) throw damagedJp2("complete marker segments, but the file ends early");
  }
  throw damagedJp2(`headers of at most ${maxBytes} bytes, received a larger one`);
}

/**
 * Returns all tile-parts of a codestream, in file order. `start`: of the first one; `end`: of the codestream,
 * if its box says so. Throws ImagingError `decode` if one extends beyond the file, or a tile has none.
 */
export async function readTileParts(
  bytes: ByteSource,
  start: number,
  tiles: number,
  end: number | undefined,
): Promise<TilePart[]> {
  const parts: TilePart[] = [];
  const headers = headersOf(bytes);
  /** Number of tile-parts per tile. */
  const found = new Map<number, number>();
  let at = start;
  for (let isLast = false; !isLast; ) {
    const head = await headers.read(at, 12);
    const view = new DataView(head.buffer, head.byteOffset, head.length);
    const kind = head.length < 2 ? 0 : view.getUint16(0);
    if (kind !== marker.sot) {
      // A complete codestream is read whatever length its box has, as in other decoders.
      if (kind !== marker.eoc && end !== undefined && at > end) throw endsEarly();
      break;
    }
    if (head.length < 12) throw endsEarly();
    const tile = view.getUint16(4);
    const length = view.getUint32(6);
    if (tile >= tiles || (length !== 0 && length < 14))
      throw damagedJp2("tile-parts with a valid index and length, received another");
    isLast = length === 0;
    const part = await readTilePart(headers, tile, at, isLast ? await findEnd(bytes, end) : at + length);
    parts.push(part);
    const count = (found.get(tile) ?? 0) + 1;
    if (count > maxParts) throw damagedJp2(`at most ${maxParts} tile-parts of a tile, received more`);
    found.set(tile, count);
    at = part.end;
  }
  if (found.size < tiles) throw damagedJp2(`${tiles} tiles, found ${found.size}`);
  return parts;
}

/** Distance of tile-parts below which the headers of several are read together. */
const near = 1 << 14;
const severalHeaders = 1 << 16;

/** Returns a source of headers, for reads in ascending order: it holds one piece, larger if they are near. */
function headersOf(bytes: ByteSource): ByteSource {
  let from = 0;
  let piece: Uint8Array = new Uint8Array();
  return {
    size: bytes.size,
    async read(offset, length) {
      if (offset < from || offset + length > from + piece.length) {
        const least = offset - from < near && from > 0 ? severalHeaders : firstRead + 12;
        piece = await bytes.read(offset, Math.max(length, least));
        from = offset;
      }
      return piece.subarray(offset - from, offset - from + length);
    },
  };
}

async function readTilePart(bytes: ByteSource, tile: number, start: number, end: number): Promise<TilePart> {
  if (bytes.size !== undefined && end > bytes.size) throw endsEarly();
  const { segments, end: sod } = await readSegments(bytes, start + 12, marker.sod);
  const data = sod + 2;
  if (data > end) throw damagedJp2("tile-parts that hold their headers, received a shorter one");
  const hasParameters = segments.some(({ kind }) => !withoutParameters.has(kind));
  return { tile, start, data, end, hasParameters, packets: packetLengths(segments, end - data) };
}

const endsEarly = () => damagedJp2("tile-parts that end within the file, but the file ends early");

/** Psot 0: the last tile-part ends at the EOC marker, optionally followed by padding zeros (as in DICOM). */
async function findEnd(bytes: ByteSource, end: number | undefined): Promise<number> {
  const size = end ?? bytes.size;
  if (size === undefined) throw damagedJp2("a length of the last tile-part, or of the file");
  for (let at = size, tail = 4096; at > 0 && tail <= maxBytes; tail *= 8) {
    const from = Math.max(0, size - tail);
    const part = await bytes.read(from, size - from);
    const last = part.findLastIndex((byte) => byte !== 0);
    if (last > 0) {
      if (part[last - 1] === 0xff && part[last] === (marker.eoc & 0xff)) return from + last - 1;
      throw damagedJp2("an EOC marker at the end, but the file ends early");
    }
    at = from;
  }
  throw damagedJp2("an EOC marker at the end, found none");
}

/** Returns the lengths in PLT segments (A.7.3); undefined if there are none, or they do not fit the data. */
function packetLengths(segments: readonly Segment[], dataLength: number): Uint32Array | undefined {
  const lists = segments.filter(({ kind, body }) => kind === marker.plt && body.byteLength > 0);
  if (lists.length === 0) return undefined;
  // Zplt counts the segments of a tile-part.
  lists.sort((a, b) => a.body.getUint8(0) - b.body.getUint8(0));
  const lengths: number[] = [];
  let sum = 0;
  let value = 0;
  for (const { body } of lists)
    for (let at = 1; at < body.byteLength; at++) {
      const byte = body.getUint8(at);
      value = value * 128 + (byte & 0x7f);
      if (byte & 0x80) continue;
      lengths.push(value);
      sum += value;
      value = 0;
      if (sum > dataLength) return undefined;
    }
  return sum === dataLength && value === 0 ? Uint32Array.from(lengths) : undefined;
}
