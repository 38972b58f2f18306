// The end of a JPEG: EOI after the last scan (ITU-T T.81, B.2.1). Behind it there may be further pictures
// (CIPA DC-007, Multi-Picture Format), films or the trailers of programs.

import { ImagingError } from "../../../base/index.ts";
import type { Cut, SizedSource } from "../cut.ts";
import { contains, endBytes, indexOf } from "../search.ts";
import { marker, walkMarkers } from "./markers/walk.ts";

const eoi = [0xff, marker.eoi];

/** Bytes after the first scan header that are searched for EOI if the end of the file is of another kind. */
const maxSearched = 64 * 2 ** 20;

export async function jpegCut(bytes: SizedSource): Promise<Cut | undefined> {
  const { size } = bytes;
  const end = await bytes.read(Math.max(0, size - 2), 2);
  const endsWell = indexOf(end, eoi) === 0;
  const start = await openingOf(bytes);
  if (!start) return undefined;
  if (start.pictures !== undefined) {
    const [main = 0, last = 0] = start.pictures;
    const isWhole = main > start.scan && indexOf(await bytes.read(main - 2, 2), eoi) === 0;
    if (isWhole) return last > size ? "rest" : undefined;
  }
  if (endsWell) return undefined;
  const from = Math.max(start.scan, size - endBytes);
  const tail = await bytes.read(from, size - from);
  if (indexOf(tail, eoi) >= 0) return undefined;
  if (from === start.scan || isCoded(tail)) return "picture";
  if (size - start.scan > maxSearched) return undefined;
  return (await contains(bytes, eoi, start.scan, from + 1)) ? undefined : "picture";
}

interface Opening {
  /** Offset of the first coded bytes. */
  readonly scan: number;
  /** Ends of the first picture and of all, if the file lists its pictures. */
  readonly pictures?: readonly [main: number, last: number];
}

async function openingOf(bytes: SizedSource): Promise<Opening | undefined> {
  const walk = walkMarkers(bytes, 2048);
  let pictures: Opening["pictures"];
  try {
    for await (const segment of walk.segments(2)) {
      if (segment.code === marker.sos) return { scan: segment.end, ...(pictures && { pictures }) };
      if (segment.code !== marker.app2) continue;
      const body = await walk.body(segment);
      if (indexOf(body, multiPicture) === 0) pictures ??= picturesIn(body.subarray(4), segment.at + 8);
    }
  } catch (error) {
    // The probe has reported damage of the header.
    if (!(error instanceof ImagingError) || error.kind !== "decode") throw error;
    return undefined;
  }
  return undefined;
}

/** "MPF" and a zero. */
const multiPicture = [0x4d, 0x50, 0x46, 0];

/** Reads the list of pictures (DC-007, 5.2.3.3); `origin`: file offset that theirs are relative to. */
function picturesIn(body: Uint8Array, origin: number): Opening["pictures"] {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  try {
    const little = view.getUint16(0) === 0x4949;
    const directory = view.getUint32(4, little);
    for (let n = 0; n < view.getUint16(directory, little); n++) {
      const entry = directory + 2 + 12 * n;
      if (view.getUint16(entry, little) !== 0xb002) continue;
      const [count, at] = [view.getUint32(entry + 4, little) / 16, view.getUint32(entry + 8, little)];
      const ends = Array.from({ length: Math.floor(count) }, (_, i) => {
        const [length, offset] = [4, 8].map((part) => view.getUint32(at + 16 * i + part, little)) as [
          number,
          number,
        ];
        return (offset === 0 ? 0 : origin + offset) + length;
      });
      return ends.length === 0 ? undefined : [ends[0] as number, Math.max(...ends)];
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** Bytes of coded data in which a stuffed or restart marker is expected: one byte in 256 is FF. */
const leastCoded = 16 * 1024;

/**
 * True if bytes are those of scans: after FF there is a zero, a restart marker, a fill byte, or a marker that
 * comes between scans. Films and texts look different.
 */
function isCoded(bytes: Uint8Array): boolean {
  let marks = 0;
  for (let at = bytes.indexOf(0xff); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes[at + 1] as number;
    if (!(code === 0 || (code >= 0xd0 && code <= 0xd7) || betweenScans.has(code))) return false;
    marks++;
  }
  return bytes.length >= leastCoded && marks >= bytes.length / leastCoded;
}

const { dht, sos, dqt, dnl, dri } = marker;
const betweenScans: ReadonlySet<number> = new Set([0xff, 0xcc, dht, sos, dqt, dnl, dri]);
